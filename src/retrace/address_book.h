#pragma once
/// Addresses of one process in terms of another: each process of a run names the same object by an
/// address of its own, and one merged trace needs one name.

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace gridcast::trace {

/// Informational lines are walked parameter by parameter; those whose name ends with Ref, Ptr or
/// Header hold addresses.
class AddressBook {
public:
  /// `process` marks addresses that only this process has; 0 keeps them as they are.
  explicit AddressBook(std::size_t process) : process_(process) {}

  /// The lines with the addresses of the merged trace. `creates`: the lines are results of a call
  /// that makes an object: the first address gets a new name even if an earlier object had it.
  [[nodiscard]] std::string translate(std::string_view lines, bool creates);

  /// Learns that `own` (lines of this process) say the same as `merged` (lines of the merged
  /// trace), parameter by parameter.
  void learn(std::string_view own, std::string_view merged);

private:
  [[nodiscard]] std::string unique_name(std::string_view address) const;

  std::size_t process_;
  std::unordered_map<std::string, std::string> names_;
};

}  // namespace gridcast::trace
