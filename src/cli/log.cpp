#include "log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "gridcast/base/printable.h"
#include "gridcast/farm/launched.h"

namespace gridcast::cli {
namespace {

/// The message with the names that it holds made printable: what the library's %v shows as it is.
class PrintableMessage final : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& out) override {
    const std::string text = printable({message.payload.data(), message.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableMessage>();
  }
};

}  // namespace

bool coloured_messages() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets variables
  const char* const refused = std::getenv("NO_COLOR");
  return isatty(STDERR_FILENO) == 1 && (refused == nullptr || *refused == '\0');
}

void set_up_log(bool quiet, int verbosity) {
  auto logger = std::make_shared<spdlog::logger>(
      "gridcast",
      std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
          coloured_messages() ? spdlog::color_mode::automatic : spdlog::color_mode::never));
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableMessage>('*').set_pattern("gridcast: %^%l%$: %*");
  logger->set_formatter(std::move(formatter));
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
