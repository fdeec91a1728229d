#include "gridcast/report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "style.h"

namespace gridcast::report {

std::string page_begin(std::string_view title, bool many) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"gridcast\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body{}>\n<main id=\"top\">\n",
      escape_html(title), style_sheet(), many ? " class=\"many\"" : "");
}

std::string page_end() { return "</main>\n</body>\n</html>\n"; }

std::string cards(const std::vector<std::pair<std::string, std::string>>& figures) {
  std::string text = "<dl class=\"cards\">\n";
  for (const auto& [name, value] : figures) {
    text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, value);
  }
  return text + "</dl>\n";
}

std::string warnings_box(const std::vector<std::string>& warnings) {
  if (warnings.empty()) {
    return {};
  }
  std::string text = fmt::format("<div class=\"box warn\" role=\"note\"><b>{} {}</b>\n<ul>\n",
                                 warnings.size(), warnings.size() == 1 ? "warning" : "warnings");
  for (const std::string& warning : warnings) {
    text += fmt::format("<li>{}</li>\n", escape_html(warning));
  }
  return text + "</ul></div>\n";
}

std::string efficiency_bar(double efficiency) {
  constexpr double good = 0.8;
  constexpr double middling = 0.5;
  const char* level = efficiency >= good       ? ""
                      : efficiency >= middling ? " class=\"mid\""
                                               : " class=\"poor\"";
  return fmt::format("<span class=\"eb\"><i{} style=\"width:{:.1f}%\"></i></span>", level,
                     100.0 * std::clamp(efficiency, 0.0, 1.0));
}

std::string time_cell(double seconds, std::string_view field) {
  const std::string name = field.empty() ? std::string() : fmt::format(" data-field=\"{}\"", field);
  if (seconds == 0.0) {
    return fmt::format("<td class=\"z\"{}>{}</td>", name, seconds_text(seconds));
  }
  return fmt::format("<td{} title=\"{} s\">{}</td>", name, exact(seconds), seconds_text(seconds));
}

}  // namespace gridcast::report
