#pragma once
/// Random programs, machines, grids and options: what their drawing has in common.

#include <random>
#include <string>

namespace gridcast::model::test {

class Drawing {
public:
  explicit Drawing(unsigned seed) : random_(seed) {}

  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool one_in(int n) { return between(1, n) == 1; }

  /// What messages cost the processors of a network of ports, each number there or not.
  std::string costs_of_ports(const std::string& name) {
    std::string text;
    for (const std::string cost : {"TSend", "TRecv", "TGap"}) {
      if (one_in(2)) {
        text +=
            name + "." + cost + " = " + (one_in(2) ? "4" : std::to_string(between(1, 30))) + "; ";
      }
    }
    return text;
  }

private:
  std::mt19937 random_;
};

}  // namespace gridcast::model::test
