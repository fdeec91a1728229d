#include "free_blocks.h"

#include <algorithm>

#include "reduction_rounds.h"

namespace gridcast::naive {

long BlockDomain::begin(long n, long P, long q) const {
  if (rule == "ceil") {
    return std::min(n, q * ((n + P - 1) / P));
  }
  if (rule == "balanced") {
    return q * n / P;
  }
  // One element after the other: who has one more?
  long elements = 0;
  for (long i = 0; i < q; ++i) {
    const long longer = n % P;
    const bool more = rule == "first" ? i < longer : i >= P - longer;
    elements += n / P + (more ? 1 : 0);
  }
  return elements;
}

int BlockRun::at(int p, int dim) const {
  const int width = machine_.shape.size() > 1 ? machine_.shape[1] : 1;
  return dim == 0 ? p / width : p % width;
}

long BlockRun::own(int p, int dim) const {
  const auto d = static_cast<std::size_t>(dim);
  const long cut = d < machine_.shape.size() ? machine_.shape[d] : 1;
  return domain_.length(domain_.extents[d], cut, at(p, dim));
}

double BlockRun::value(const BlockSum& sum, int p, int to) const {
  return sum[0] + sum[1] * static_cast<double>(own(p, 0)) +
         sum[2] * static_cast<double>(own(p, 1)) + sum[3] * at(to, 0);
}

/// -1: there is none. It may be the process itself.
int BlockRun::neighbour(int p, const std::array<int, 2>& offset, int sign) const {
  int found = 0;
  for (int dim = 0; dim < 2; ++dim) {
    const auto d = static_cast<std::size_t>(dim);
    const int extent = d < machine_.shape.size() ? machine_.shape[d] : 1;
    int there = at(p, dim) + sign * offset[d];
    if (domain_.periodic[d]) {
      there = ((there % extent) + extent) % extent;
    }
    if (there < 0 || there >= extent) {
      return -1;
    }
    found = found * extent + there;
  }
  const bool nothing = own(p, 0) * own(p, 1) * own(found, 0) * own(found, 1) == 0;
  return nothing ? -1 : found;
}

/// What a process alone sends to itself takes no time.
int BlockRun::partner(int p, const std::array<int, 2>& offset) const {
  return machine_.processors() > 1 ? neighbour(p, offset, 1) : -1;
}

void BlockRun::operator()(const BlockStatement& statement) {
  if (statement.kind == "compute") {
    for (int p = 0; p < machine_.processors(); ++p) {
      free_.spend(free_.program, p,
                  value(statement.value, p) / machine_.performance[static_cast<std::size_t>(p)]);
    }
  } else if (statement.kind == "phase" || statement.kind == "start") {
    phase(statement);
  } else if (statement.kind == "wait") {
    free_.append(later_[statement.label]);
  } else if (statement.kind == "turns") {
    turns(statement);
  } else if (statement.kind == "send" || statement.kind == "receive") {
    one(statement, statement.kind == "receive");
  } else {
    // Groups by the coordinates that do not count.
    const auto inside = [&](int dim) {
      return statement.across.empty() ||
             std::count(statement.across.begin(), statement.across.end(), dim + 1) > 0;
    };
    std::map<std::pair<int, int>, Members> groups;
    for (int p = 0; p < machine_.processors(); ++p) {
      groups[{inside(0) ? 0 : at(p, 0), inside(1) ? 0 : at(p, 1)}].push_back(p);
    }
    for (const auto& [key, members] : groups) {
      std::size_t root = 0;
      for (std::size_t i = 0; i < members.size() && !statement.root.empty(); ++i) {
        const bool first = !inside(0) || at(members[i], 0) == statement.root[0];
        const bool second = !inside(1) || at(members[i], 1) == statement.root[1];
        root = first && second ? i : root;
      }
      collective(statement, members, root);
    }
  }
}

void BlockRun::phase(const BlockStatement& statement) {
  std::vector<int> all;
  FreeActs& program = free_.program;
  std::map<int, std::vector<int>> sends;
  std::map<int, std::vector<int>> asks;
  for (const BlockMessage& entry : statement.messages) {
    for (int p = 0; p < machine_.processors(); ++p) {
      const int to = partner(p, entry.offset);
      for (int k = 0; k < entry.count && to >= 0 && value(entry.bytes, p) > 0.0; ++k) {
        const int m = free_.message(p, to, value(entry.bytes, p));
        all.push_back(m);
        sends[p].push_back(m);
        asks[to].push_back(m);
      }
    }
  }
  for (const int m : all) {
    free_.ask(program, m);
  }
  for (const int m : all) {
    free_.send(program, m);
  }
  FreeActs after;
  for (int p = 0; p < machine_.processors(); ++p) {
    free_.finish(after, p, sends[p], asks[p]);
  }
  if (statement.kind == "start") {
    later_[statement.label] = after;
  } else {
    free_.append(after);
  }
}

void BlockRun::turns(const BlockStatement& statement) {
  for (const BlockMessage& entry : statement.messages) {
    for (int k = 0; k < entry.count; ++k) {
      std::vector<int> messages;
      for (int p = 0; p < machine_.processors(); ++p) {
        const int to = partner(p, entry.offset);
        if (to >= 0 && value(entry.bytes, p) > 0.0) {
          messages.push_back(free_.message(p, to, value(entry.bytes, p)));
        }
      }
      free_.round(free_.program, messages);
    }
  }
}

/// Whoever comes first makes the message; the other one finds it.
void BlockRun::one(const BlockStatement& statement, bool receives) {
  for (const BlockMessage& entry : statement.messages) {
    for (int k = 0; k < entry.count; ++k) {
      for (int p = 0; p < machine_.processors(); ++p) {
        const int other = neighbour(p, entry.offset, 1);
        const int from = receives ? other : p;
        const int to = receives ? p : other;
        if (other < 0 || other == p || !(value(entry.bytes, from) > 0.0)) {
          continue;
        }
        const std::string key =
            std::to_string(from) + " " + std::to_string(to) + " " + statement.label;
        std::deque<int>& open = receives ? sent_[key] : asked_[key];
        int m = -1;
        if (open.empty()) {
          m = free_.message(from, to, value(entry.bytes, from));
          (receives ? asked_ : sent_)[key].push_back(m);
        } else {
          m = open.front();
          open.pop_front();
        }
        if (receives) {
          free_.blocking_receive(free_.program, m);
        } else {
          free_.blocking_send(free_.program, m);
        }
      }
    }
  }
}

/// One message after the other, of those that it concerns.
void BlockRun::list(const std::vector<int>& messages) {
  for (const int m : messages) {
    free_.blocking_send(free_.program, m);
    free_.blocking_receive(free_.program, m);
  }
}

void BlockRun::all_to_all(const BlockStatement& statement, const Members& members) {
  const int count = static_cast<int>(members.size());
  const bool pairs =
      statement.algorithm == "pairwise" || (statement.algorithm.empty() && count > 64);
  const bool even = (count & (count - 1)) == 0;
  const auto bytes = [&](int i, int k) {
    return value(statement.value, members[static_cast<std::size_t>(i)],
                 members[static_cast<std::size_t>(k)]);
  };
  const auto message = [&](int i, int k) {
    return free_.message(members[static_cast<std::size_t>(i)], members[static_cast<std::size_t>(k)],
                         bytes(i, k));
  };
  if (pairs) {
    for (int step = 1; step < count; ++step) {
      std::vector<int> messages;
      for (int i = 0; i < count; ++i) {
        const int to = even ? i ^ step : (i + step) % count;
        if (bytes(i, to) > 0.0) {
          messages.push_back(message(i, to));
        }
      }
      free_.round(free_.program, messages);
    }
    return;
  }
  std::map<int, std::vector<int>> sends;
  std::map<int, std::vector<int>> asks;
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < count; ++k) {
      const int to = statement.kind == "alltoall" ? (i + k) % count : k;
      if (to != i && bytes(i, to) > 0.0) {
        const int m = message(i, to);
        sends[i].push_back(m);
        asks[to].push_back(m);
      }
    }
  }
  for (int i = 0; i < count; ++i) {
    for (const int m : asks[i]) {
      free_.ask(free_.program, m);
    }
  }
  for (int i = 0; i < count; ++i) {
    for (const int m : sends[i]) {
      free_.send(free_.program, m);
    }
    free_.finish(free_.program, members[static_cast<std::size_t>(i)], sends[i], asks[i]);
  }
}

void BlockRun::collective(const BlockStatement& statement, const Members& members,
                          std::size_t root) {
  const std::size_t count = members.size();
  if (count == 1) {
    return;
  }
  const std::string& kind = statement.kind;
  std::string how = statement.algorithm;
  if (kind == "allreduce" && how.empty()) {
    how = algorithm_of("auto", machine_.allreduce, count, value(statement.value, members[root]));
  }
  const auto rank = [&](std::size_t i) { return members[(root + i) % count]; };
  const auto own = [&](std::size_t i) { return value(statement.value, rank(i)); };
  // What the subtree of rank i has below bit `bit`.
  const auto subtree = [&](std::size_t i, std::size_t bit) {
    double sum = 0.0;
    for (std::size_t k = i; k < i + bit && k < count; ++k) {
      sum += own(k);
    }
    return sum;
  };
  std::vector<std::size_t> bits;  // descending
  for (std::size_t bit = 1; bit < count; bit *= 2) {
    bits.insert(bits.begin(), bit);
  }
  const auto play = [&](const std::vector<int>& messages) { free_.round(free_.program, messages); };
  const auto down = [&](auto bytes) {  // each to those of its lower bits, the farthest first
    for (const std::size_t bit : bits) {
      std::vector<int> messages;
      for (std::size_t i = 0; i < count; i += 2 * bit) {
        if (i + bit < count) {
          messages.push_back(free_.message(rank(i), rank(i + bit), bytes(i + bit, bit)));
        }
      }
      list(messages);
    }
  };
  const auto up = [&](auto bytes) {
    for (auto bit = bits.rbegin(); bit != bits.rend(); ++bit) {
      std::vector<int> messages;
      for (std::size_t i = 0; i + *bit < count; i += 2 * *bit) {
        messages.push_back(free_.message(rank(i + *bit), rank(i), bytes(i + *bit, *bit)));
      }
      list(messages);
    }
  };
  const auto round_about = [&](auto bytes) {  // the part that member i sends on in a round
    for (std::size_t step = 0; step + 1 < count; ++step) {
      std::vector<int> messages;
      for (std::size_t i = 0; i < count; ++i) {
        messages.push_back(
            free_.message(members[i], members[(i + 1) % count], bytes((i + count - step) % count)));
      }
      play(messages);
    }
  };
  const auto flat = [&](std::size_t, std::size_t) { return own(0); };
  if (kind == "allreduce" && how != "tree" && how != "linear") {
    free_.reduce(how, members, own(0), free_.program);
  } else if (kind == "allreduce" || kind == "reduce") {
    const bool linear = how == "linear";
    std::vector<int> messages;
    for (std::size_t i = count - 1; linear && i > 0; --i) {
      messages.push_back(free_.message(rank(i), rank(0), own(i)));
    }
    list(messages);
    if (!linear) {
      up([&](std::size_t i, std::size_t) { return own(i); });
    }
    messages.clear();
    for (std::size_t i = 1; linear && kind == "allreduce" && i < count; ++i) {
      messages.push_back(free_.message(rank(0), rank(i), own(0)));
    }
    list(messages);
    if (!linear && kind == "allreduce") {
      down(flat);
    }
  } else if (kind == "broadcast") {
    if (how == "scatter-ring" || (how.empty() && own(0) > 524288.0)) {
      const double part = own(0) / static_cast<double>(count);
      down([&](std::size_t i, std::size_t bit) {
        return part * static_cast<double>(std::min(bit, count - i));
      });
      round_about([&](std::size_t) { return part; });
    } else {
      down(flat);
    }
  } else if (kind == "barrier" || kind == "scan") {
    for (std::size_t bit = 1; bit < count; bit *= 2) {
      std::vector<int> messages;
      for (std::size_t i = 0; i < count; ++i) {
        if (kind == "barrier") {
          messages.push_back(free_.message(members[i], members[(i + bit) % count], 0.0));
        } else if ((i ^ bit) < count) {
          messages.push_back(free_.message(members[i], members[i ^ bit], own(i)));
        }
      }
      play(messages);
    }
  } else if (kind == "gather") {
    up(subtree);
  } else if (kind == "scatter") {
    down(subtree);
  } else if (kind == "allgather") {
    const bool even = (count & (count - 1)) == 0;
    if (even && how != "ring" && (how == "doubling" || subtree(0, count) <= 524288.0)) {
      for (std::size_t bit = 1; bit < count; bit *= 2) {
        std::vector<int> messages;
        for (std::size_t i = 0; i < count; ++i) {
          messages.push_back(
              free_.message(members[i], members[i ^ bit], subtree(i - i % bit, bit)));
        }
        play(messages);
      }
    } else {
      round_about([&](std::size_t i) { return own(i); });
    }
  } else {
    all_to_all(statement, members);
  }
}

}  // namespace gridcast::naive
