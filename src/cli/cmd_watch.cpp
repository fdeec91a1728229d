#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"
#include "gridcast/store/paths.h"
#include "gridcast/store/progress.h"
#include "output.h"
#include "places.h"
#include "run.h"
#include "stored_search.h"

namespace gridcast::cli {
namespace {

struct WatchOptions {
  std::string store;
  double every = 1.0;  ///< seconds from one look to the next
};

std::size_t terminal_columns() {
  constexpr std::size_t usual = 80;
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : usual;
}

/// "[#####---------------] 25 %"
std::string bar(double share, std::size_t columns) {
  constexpr std::size_t longest = 60;
  const std::string percent = fmt::format(" {:.0f} %", 100.0 * share);
  const std::size_t length = std::min(longest, columns - std::min(columns, percent.size() + 2));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(length));
  return fmt::format("[{:#<{}}{:-<{}}]{}", "", filled, "", length - filled, percent);
}

/// Shows how far a run is: on a terminal in place, elsewhere a line for each change.
class LiveView {
public:
  explicit LiveView(std::string store) : store_(std::move(store)) {}

  void show(const std::optional<store::LockOwner>& owner,
            const std::optional<store::RunProgress>& progress) {
    if (terminal_) {
      draw(owner, progress);
    } else if (progress) {
      const std::string line = store::progress_text(*progress);
      if (line != last_) {
        print(line + "\n");
        last_ = line;
      }
    }
  }

  /// Makes room for something else.
  void clear() {
    if (drawn_ > 0) {
      put({});
    }
  }

private:
  void draw(const std::optional<store::LockOwner>& owner,
            const std::optional<store::RunProgress>& progress) {
    std::vector<std::string> lines{store_ + (owner ? ": " + owner_text(*owner) : "")};
    if (progress) {
      if (progress->share) {
        lines.push_back(bar(*progress->share, terminal_columns()));
      }
      lines.push_back(progress->work);
      if (!progress->answer.empty()) {
        lines.push_back(progress->answer);
      }
    }
    put(lines);
  }

  /// Puts lines in the place of those before.
  void put(const std::vector<std::string>& lines) {
    std::string text = drawn_ == 0 ? "" : fmt::format("\033[{}A", drawn_);
    for (const std::string& line : lines) {
      // \033[K: the rest of a longer line before goes away.
      text += first_columns(printable(line), terminal_columns());
      text += "\033[K\n";
    }
    drawn_ = lines.size();
    Output output("-");
    output.stream() << text << "\033[J";
    output.commit();
  }

  std::string store_;
  bool terminal_ = prints_to_terminal();
  std::size_t drawn_ = 0;  ///< lines
  std::string last_;
};

/// Returns when no writer has the store.
void watch_writer(const WatchOptions& options, LiveView& view) {
  using Seconds = std::chrono::duration<double>;
  const std::filesystem::path path = store::resolve_links(options.store);
  // The end shows at once, however seldom the progress is looked at.
  const Seconds nap(std::min(1.0, options.every));
  Seconds since(options.every);
  for (; store::is_locked(path); std::this_thread::sleep_for(nap), since += nap) {
    if (since.count() >= options.every) {
      view.show(store::read_lock(path), store::read_progress(path));
      since = Seconds(0);
    }
  }
}

/// What a run that has ended left behind; the exit code is that of the run.
int show_end(const WatchOptions& options, const StoredSearch& search) {
  print(status_text(search));
  switch (search.store.state) {
    case store::StoreState::complete:
      return done;
    case store::StoreState::killed:
      throw RunError(
          options.store,
          "its writer is gone" + (search.store.owner ? ": " + owner_text(*search.store.owner) : ""),
          "start it again with --resume");
    case store::StoreState::running:
    case store::StoreState::stopped:
      break;
  }
  return stopped_early;
}

int run_watch(const WatchOptions& options) {
  Places().reads_store(options.store).require_usable();
  LiveView view(options.store);
  for (;;) {
    const bool running =
        store::StoreReader(options.store).about().state == store::StoreState::running;
    if (running) {
      watch_writer(options, view);
      continue;
    }
    const StoredSearch search = read_search(options.store);
    if (search.store.state != store::StoreState::running) {
      view.clear();
      return show_end(options, search);
    }
  }
}

}  // namespace

void add_watch(CLI::App& app, Session& session) {
  auto options = std::make_shared<WatchOptions>();
  CLI::App& command =
      add_command(app, session, "watch",
                  "Shows a running sweep or data set until it ends: how far, how fast, the best",
                  "gridcast watch jac.h5");
  command.add_option("STORE", options->store, "Store (.h5)")->type_name("")->required();
  command.add_option("--every", options->every, "Seconds from one look to the next")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.05, 3600.0))
      ->capture_default_str();
  on_chosen(command, session, options, run_watch);
}

}  // namespace gridcast::cli
