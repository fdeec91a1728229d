#pragma once
/// Internal: texts of files that the build puts into the program.

#include <string_view>

namespace gridcast::embedded {

extern const std::string_view d3;       ///< what all charts need of the chart library
extern const std::string_view d3_zoom;  ///< after it, for charts that one zooms
extern const std::string_view d3_licence;
extern const std::string_view csv_script;  ///< before the scripts that save tables
extern const std::string_view helpers_script;
extern const std::string_view runs_data_script;
extern const std::string_view runs_charts_script;
extern const std::string_view runs_page_script;
extern const std::string_view search_data_script;
extern const std::string_view search_state_script;
extern const std::string_view search_open_script;
extern const std::string_view search_map_script;
extern const std::string_view search_parallel_script;
extern const std::string_view search_charts_script;
extern const std::string_view search_page_script;
extern const std::string_view tables_script;
extern const std::string_view placement_script;

}  // namespace gridcast::embedded
