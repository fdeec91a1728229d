#include "gridcast/machine/threads.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"

namespace gridcast::machine {

std::vector<std::int32_t> parse_threads(std::string_view text) {
  std::vector<std::int32_t> numbers;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (bool more = true; more;) {
    std::int32_t number = 0;
    const auto [rest, error] = std::from_chars(at, end, number);
    more = rest != end && *rest == ',';
    if (error != std::errc() || number < 1 || number > most_threads || (rest != end && !more)) {
      throw InputError("'" + std::string(text) + "' names no numbers of threads",
                       "expected a number or a list like 1,2,4,8, at most " +
                           std::to_string(most_threads) + " each");
    }
    numbers.push_back(number);
    at = rest + (more ? 1 : 0);
  }
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::string threads_text(std::span<const std::int32_t> numbers) {
  std::string text;
  for (const std::int32_t number : numbers) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return text;
}

ThreadedClusters::ThreadedClusters(const Cluster& cluster, std::span<const std::int32_t> numbers)
    : whole_(cluster), numbers_(numbers.begin(), numbers.end()) {
  clusters_.reserve(numbers_.size());
  for (const std::int32_t number : numbers_) {
    clusters_.push_back(cluster.with_threads(number));
  }
}

std::size_t ThreadedClusters::place_of(std::int32_t threads) const {
  const auto found = std::ranges::find(numbers_, threads);
  expects(found != numbers_.end(), "the machine is known for these threads");
  return static_cast<std::size_t>(found - numbers_.begin());
}

}  // namespace gridcast::machine
