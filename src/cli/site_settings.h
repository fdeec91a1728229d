#pragma once
/// Options that a site sets once: from the environment, and from the file of the site.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gridcast::cli {

/// Names the variable of each option that a site sets ("GRIDCAST_LOCK_WAIT" of --lock-wait) in the
/// descriptions of a command's options.
void describe_variables(CLI::App& command);

/// The words of a command line with the options that the environment sets and the words do not
/// give. Throws InputError about a wrong value, with the name of its variable.
[[nodiscard]] std::vector<std::string> with_environment(CLI::App& app,
                                                        std::vector<std::string> words);

/// The same from the file of the site: what $GRIDCAST_SITE names (empty: none), else
/// /etc/gridcast.toml if it is there. File names are relative to its folder. It is read for
/// commands with an option that a site sets. Throws InputError (file and line).
[[nodiscard]] std::vector<std::string> with_site_file(CLI::App& app,
                                                      std::vector<std::string> words);

}  // namespace gridcast::cli
