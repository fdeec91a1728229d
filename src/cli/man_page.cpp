#include "man_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gridcast::cli {
namespace {

/// Text as man(7) shows it: nothing is taken for a request or an escape.
std::string roff(const std::string& text) {
  std::string result;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) {
      result += "\\&";
    }
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    begins_line = c == '\n';
  }
  return result;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

std::string synopsis(const Command& command) {
  std::string text =
      ".B " + roff(command.program) + (command.path.empty() ? "" : " " + roff(command.path)) + "\n";
  for (const CLI::Option* option : command.app->get_options()) {
    const auto names = names_of(*option);
    if (!names.empty() && option->get_required()) {
      text += fmt::format("\\fB{}\\fR \\fI{}\\fR\n", roff(names.front()),
                          roff(option->get_type_name()));
    } else if (names.empty()) {
      text += fmt::format(
          "{}\\fI{}\\fR{}{}\n", option->get_required() ? "" : "[", roff(option->get_single_name()),
          option->get_items_expected_max() > 1 ? " ..." : "", option->get_required() ? "" : "]");
    }
  }
  if (parts_of(*command.app).empty()) {
    return text + "[options]\n";
  }
  return text + (command.app->get_require_subcommand_min() > 0 ? "COMMAND ...\n"
                                                               : "[options] | COMMAND ...\n");
}

std::string option_entry(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : names_of(option)) {
    names.push_back("\\fB" + roff(name) + "\\fR");
  }
  if (names.empty()) {
    names.push_back("\\fI" + roff(option.get_single_name()) + "\\fR");
  }
  const std::string type = takes_value(option) ? option.get_type_name() : std::string();
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "),
                     type.empty() ? "" : " \\fI" + roff(type) + "\\fR",
                     roff(option.get_description()));
}

}  // namespace

std::string page_name(const Command& command) {
  std::string name = command.program;
  if (!command.path.empty()) {
    name += "-" + command.path;
  }
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string man_page(const Command& command, const std::vector<Command>& all,
                     const std::string& version) {
  const std::string name = page_name(command);
  std::string text =
      fmt::format(".TH {} 1 \"\" \"gridcast {}\" \"gridcast\"\n", upper(roff(name)), roff(version));
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(command.app->get_description()));
  text += ".SH SYNOPSIS\n" + synopsis(command);
  const auto parts = parts_of(*command.app);
  if (!parts.empty()) {
    text += ".SH COMMANDS\n";
    for (const CLI::App* part : parts) {
      text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(part->get_name()),
                          roff(part->get_description()));
    }
  }
  text += ".SH OPTIONS\n";
  for (const CLI::Option* option : command.app->get_options()) {
    text += option_entry(*option);
  }
  if (!command.app->get_footer().empty()) {
    text += ".SH EXAMPLE\n.nf\n" + roff(command.app->get_footer()) + "\n.fi\n";
  }
  text +=
      ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\nfailed while running\n.TP\n2\nbad usage or bad "
      "input\n"
      ".TP\n3\nstopped early with everything stored; \\-\\-resume goes on\n";
  text += ".SH SEE ALSO\n";
  std::vector<std::string> others;
  for (const Command& other : all) {
    if (page_name(other) != name) {
      others.push_back("\\fB" + roff(page_name(other)) + "\\fR(1)");
    }
  }
  return text + fmt::format("{}\n", fmt::join(others, ",\n"));
}

}  // namespace gridcast::cli
