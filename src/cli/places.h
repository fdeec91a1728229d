#pragma once
/// Which files a command reads and writes, checked before the first of them is written.

#include <string>
#include <vector>

namespace gridcast::cli {

/// The files of one command. Standard output and what is no regular file (devices, pipes) may be
/// named as often as one likes.
class Places {
public:
  /// A file that the command reads.
  Places& reads(const std::string& file);
  Places& reads(const std::vector<std::string>& files);

  /// A store that is read, with the journal beside it. Throws InputError if the name is empty.
  Places& reads_store(const std::string& file);

  /// A file that `option` names and the command writes; empty: the option was not given.
  Places& writes(const std::string& option, const std::string& file);

  /// A store that the command makes or goes on with, and the files that appear beside it. Throws
  /// InputError if the name is empty.
  Places& writes_store(const std::string& file);

  /// Throws InputError if an output is an input or another output: the same file under whatever
  /// name, or the same name of a file that is still to be made; on the first rank also if one
  /// cannot be written, so that a wrong folder shows before hours of work.
  void require_usable() const;

private:
  struct Place {
    std::string option;
    std::string file;
  };
  std::vector<std::string> inputs_;
  std::vector<Place> outputs_;
};

}  // namespace gridcast::cli
