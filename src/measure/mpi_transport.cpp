#include "gridcast/measure/mpi_transport.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <string>
#include <thread>

#include "gridcast/measure/topology.h"

namespace gridcast::measure {
namespace {

constexpr int ping_tag = 1;
constexpr int pong_tag = 2;

void compute_for(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) {
  }
}

class MpiTransport final : public Transport {
public:
  MpiTransport(const MpiSession& session, std::vector<std::pair<int, int>> pairs)
      : rank_(session.rank()), pairs_(std::move(pairs)) {}

  double round_trip(int messages, double delay, std::int64_t bytes) override {
    // Short times are means over several: a clock has its own cost.
    constexpr std::int64_t short_message = 65536;
    constexpr int many = 20;
    const int rounds = messages == 1 && bytes <= short_message ? many : 1;
    prepare(bytes);
    double seconds = 0.0;
    if (rank_ == pairs_.front().first) {
      const double begin = MPI_Wtime();
      for (int round = 0; round < rounds; ++round) {
        send_train(messages, delay);
      }
      seconds = (MPI_Wtime() - begin) / rounds;
    } else if (rank_ == pairs_.front().second) {
      for (int round = 0; round < rounds; ++round) {
        answer_train(messages);
      }
    }
    return told_by(pairs_.front().first, seconds);
  }

  double late_receive(std::int64_t bytes) override {
    constexpr double long_ago = 200e-6;
    prepare(bytes);
    double seconds = 0.0;
    if (rank_ == pairs_.front().first) {
      send(pairs_.front().second, ping_tag);
    } else if (rank_ == pairs_.front().second) {
      compute_for(long_ago);
      const double begin = MPI_Wtime();
      receive(pairs_.front().first, ping_tag);
      seconds = MPI_Wtime() - begin;
    }
    return told_by(pairs_.front().second, seconds);
  }

  Arrivals together(int pairs, std::int64_t bytes) override {
    prepare(bytes);
    double seconds = 0.0;
    const double begin = MPI_Wtime();
    for (int i = 0; i < pairs; ++i) {
      const auto& [first, second] = pairs_[static_cast<std::size_t>(i)];
      if (rank_ == first) {
        send_train(1, 0.0, second);
        seconds = 0.5 * (MPI_Wtime() - begin);
      } else if (rank_ == second) {
        answer_train(1, first);
      }
    }
    Arrivals arrivals;
    MPI_Allreduce(&seconds, &arrivals.last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&seconds, &arrivals.mean, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    arrivals.mean /= pairs;
    return arrivals;
  }

  [[nodiscard]] int most_pairs() const override { return static_cast<int>(pairs_.size()); }

private:
  void prepare(std::int64_t bytes) {
    bytes_ = static_cast<int>(bytes);
    buffer_.resize(std::max(buffer_.size(), static_cast<std::size_t>(bytes)));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void send(int to, int tag) {
    MPI_Send(buffer_.data(), bytes_, MPI_BYTE, to, tag, MPI_COMM_WORLD);
  }
  void receive(int from, int tag) {
    MPI_Recv(buffer_.data(), bytes_, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  void send_train(int messages, double delay) {
    send_train(messages, delay, pairs_.front().second);
  }
  void send_train(int messages, double delay, int to) {
    for (int i = 0; i < messages; ++i) {
      if (i > 0 && delay > 0.0) {
        compute_for(delay);
      }
      send(to, ping_tag);
    }
    receive(to, pong_tag);
  }
  void answer_train(int messages) { answer_train(messages, pairs_.front().first); }
  void answer_train(int messages, int to) {
    for (int i = 0; i < messages; ++i) {
      receive(to, ping_tag);
    }
    send(to, pong_tag);
  }
  static double told_by(int rank, double seconds) {
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, rank, MPI_COMM_WORLD);
    return seconds;
  }

  int rank_;
  int bytes_ = 0;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<char> buffer_;
};

}  // namespace

MpiSession::MpiSession() {
  int running = 0;
  MPI_Initialized(&running);
  if (running == 0) {
    MPI_Init(nullptr, nullptr);
    owner_ = true;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiSession::~MpiSession() {
  if (owner_) {
    MPI_Finalize();
  }
}

std::vector<Place> MpiSession::places() const {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  const int socket = socket_of_this_process();
  std::vector<char> names(name.size() * static_cast<std::size_t>(size_));
  std::vector<int> sockets(static_cast<std::size_t>(size_));
  MPI_Allgather(name.data(), static_cast<int>(name.size()), MPI_CHAR, names.data(),
                static_cast<int>(name.size()), MPI_CHAR, MPI_COMM_WORLD);
  MPI_Allgather(&socket, 1, MPI_INT, sockets.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::vector<Place> places;
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    places.push_back({std::string(names.data() + i * name.size()), sockets[i]});
  }
  return places;
}

bool MpiSession::all_as_first(bool value) const {
  int flag = value ? 1 : 0;
  MPI_Bcast(&flag, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return flag != 0;
}

std::vector<int> MpiSession::processors_of_host(std::span<const Place> places) const {
  std::vector<int> processors;
  if (places[static_cast<std::size_t>(rank_)].host == places.front().host) {
    processors = allowed_processors();
  }
  int range = processors.empty() ? 0 : processors.back() + 1;
  MPI_Allreduce(MPI_IN_PLACE, &range, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  std::vector<unsigned char> allowed(static_cast<std::size_t>(range), 0);
  for (const int processor : processors) {
    allowed[static_cast<std::size_t>(processor)] = 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, allowed.data(), range, MPI_UNSIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD);
  processors.clear();
  for (int i = 0; i < range; ++i) {
    if (allowed[static_cast<std::size_t>(i)] != 0) {
      processors.push_back(i);
    }
  }
  return processors;
}

void MpiSession::on_first_alone(const std::function<void()>& work) const {
  std::exception_ptr problem;
  if (rank_ == 0) {
    try {
      work();
    } catch (...) {
      problem = std::current_exception();
    }
  }
  // Whoever waits in MPI computes all the time.
  MPI_Request arrived = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &arrived);
  int all = 0;
  for (MPI_Test(&arrived, &all, MPI_STATUS_IGNORE); all == 0;
       MPI_Test(&arrived, &all, MPI_STATUS_IGNORE)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (problem) {
    std::rethrow_exception(problem);
  }
}

std::unique_ptr<Transport> mpi_transport(const MpiSession& session,
                                         std::vector<std::pair<int, int>> pairs) {
  return std::make_unique<MpiTransport>(session, std::move(pairs));
}

}  // namespace gridcast::measure
