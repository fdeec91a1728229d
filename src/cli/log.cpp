#include "log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "gridcast/sweep/sweep.h"

namespace gridcast::cli {

void set_up_log(bool quiet, int verbosity) {
  auto logger = std::make_shared<spdlog::logger>(
      "gridcast", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("gridcast: %^%l%$: %v");
  if (quiet || sweep::launched_rank() != 0) {
    logger->set_level(spdlog::level::err);
  } else if (verbosity >= 2) {
    logger->set_level(spdlog::level::trace);
  } else if (verbosity == 1) {
    logger->set_level(spdlog::level::debug);
  } else {
    logger->set_level(spdlog::level::info);
  }
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace gridcast::cli
