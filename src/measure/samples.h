#pragma once
/// What is timed on a network, and by what: a real one over MPI, or a simulated one in tests.

#include <cstdint>
#include <vector>

namespace gridcast::measure {

/// Seconds from the start of messages of several pairs to their arrival.
struct Arrivals {
  double last = 0.0;
  double mean = 0.0;
};

/// Times messages between the processors of one network. With MPI every call is collective: all
/// ranks make the same calls, and all get the result.
class Transport {
public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// PRTT(n, d, s) of [PetriNets]: the first processor sends n messages of s bytes and computes d
  /// seconds between any two of them; the second answers the last with a message of s bytes.
  /// Seconds from the first send to the answer.
  virtual double round_trip(int messages, double delay, std::int64_t bytes) = 0;

  /// Seconds that it takes a processor to take a message that has been there for long.
  virtual double late_receive(std::int64_t bytes) = 0;

  /// `pairs` messages, each of another pair, that start at once.
  virtual Arrivals together(int pairs, std::int64_t bytes) = 0;

  /// Pairs that can send at once.
  [[nodiscard]] virtual int most_pairs() const = 0;
};

/// Repeated measurements of one thing.
struct Sample {
  int messages = 1;  ///< n of PRTT, or pairs
  double delay = 0.0;
  std::int64_t bytes = 0;
  std::vector<double> seconds;

  [[nodiscard]] double median() const;
};

/// All that was timed on a network.
struct LinkSamples {
  std::vector<Sample> single;    ///< PRTT(1, 0, s) of all size classes
  std::vector<Sample> trains;    ///< PRTT(n, 0, s)
  std::vector<Sample> delayed;   ///< PRTT(n, d, s) with d longer than the spacing of a train
  std::vector<Sample> late;      ///< late_receive(s)
  std::vector<Sample> together;  ///< together(k, s): the last arrival
  std::vector<Sample> mean;      ///< of the same messages: the mean arrival
};

/// How much is measured.
struct MeasurePlan {
  std::vector<std::int64_t> sizes;        ///< of single messages, bytes
  std::vector<std::int64_t> train_sizes;  ///< of trains
  int train = 16;                         ///< messages in a train
  int repetitions = 21;
};

/// Powers of two from 1 byte to 4 MiB; with `quick` fewer of them and fewer repetitions.
[[nodiscard]] MeasurePlan measure_plan(bool quick);

/// Times everything of the plan, each once without counting it.
[[nodiscard]] LinkSamples collect(Transport& transport, const MeasurePlan& plan);

}  // namespace gridcast::measure
