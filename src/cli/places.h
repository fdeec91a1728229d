#pragma once
/// Which files a command reads and writes, checked before the first of them is written.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output.h"

namespace gridcast::cli {

/// The results of one command that its options ask for, opened before the work begins.
class Outputs {
public:
  /// Whether any was asked for.
  [[nodiscard]] bool any() const noexcept;
  [[nodiscard]] bool has(std::string_view option) const { return outputs_.at(option).has_value(); }

  /// Lets `write` write what `option` asks for to a stream, and publishes it; nothing if it was not
  /// asked for. The option is one that Places::writes() had.
  template <class Write>
  void write(std::string_view option, Write&& write) {
    if (std::optional<Output>& output = outputs_.at(option)) {
      write(output->stream());
      output->commit();
    }
  }

private:
  friend class Places;
  std::map<std::string_view, std::optional<Output>> outputs_;
};

/// The files of one command. Standard output and what is no regular file (devices, pipes) may be
/// named as often as one likes.
class Places {
public:
  /// A file that the command reads.
  Places& reads(const std::string& file);
  Places& reads(const std::vector<std::string>& files);

  /// A store that is read, with the journal beside it. Throws InputError if the name is empty.
  Places& reads_store(const std::string& file);

  /// A file that `option`, a literal, names and the command writes; empty: the option was not
  /// given.
  Places& writes(const char* option, const std::string& file);

  /// A store that the command makes or goes on with, and the files that appear beside it. Throws
  /// InputError if the name is empty.
  Places& writes_store(const std::string& file);

  /// Throws InputError if an output is an input or another output, or two are standard output: the
  /// same file under whatever name, or the same name of a file that is still to be made; on the
  /// first rank also if one cannot be written, so that a wrong folder shows before hours of work.
  void require_usable() const;

  /// The same, and opens what writes() named.
  [[nodiscard]] Outputs open() const;

private:
  struct Place {
    std::string option;
    std::string file;
  };
  std::vector<std::string> inputs_;
  std::vector<Place> outputs_;
  std::vector<const char*> options_;  ///< that writes() had
};

}  // namespace gridcast::cli
