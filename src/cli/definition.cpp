#include "definition.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace gridcast::cli {
namespace {

void add_commands_below(const CLI::App& app, const std::string& program, const std::string& path,
                        std::vector<Command>& commands) {
  commands.push_back({program, path, &app});
  for (const CLI::App* part : parts_of(app)) {
    add_commands_below(*part, program,
                       path.empty() ? part->get_name() : path + " " + part->get_name(), commands);
  }
}

/// Letters to change, put in, leave out or swap with the next one.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1,
                             rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[a.size()][b.size()];
}

/// Letters that the name has more, if one of the words that it is made of begins with these:
/// "nodes" and "--whole-nodes". A word of few letters says too little.
std::optional<std::size_t> letters_more(std::string_view begin, std::string_view name) {
  constexpr std::size_t fewest = 4;
  for (std::size_t at = name.find(begin); at != std::string_view::npos;
       at = name.find(begin, at + 1)) {
    if (begin.size() >= fewest && (at == 0 || name[at - 1] == '-')) {
      return name.size() - begin.size();
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<const CLI::App*> parts_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<Command> all_commands(const CLI::App& app) {
  std::vector<Command> commands;
  add_commands_below(app, app.get_name(), "", commands);
  return commands;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::vector<std::string> words_of(const CLI::Option& option) {
  const std::string text = option.get_type_name();
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  const bool plain = std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
  });
  return plain && words.size() > 1 ? words : std::vector<std::string>();
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  const std::string_view bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  std::size_t most = std::string_view::npos;
  for (const std::string& name : names) {
    if (const auto more = letters_more(bare, name); more && *more < most) {
      most = *more;
      best = name;
    }
  }
  if (!best.empty()) {
    return best;
  }
  // More changes than these make another word.
  std::size_t least = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string& name : names) {
    const std::size_t changes = distance(word, name);
    if (changes < least) {
      least = changes;
      best = name;
    }
  }
  return best;
}

}  // namespace gridcast::cli
