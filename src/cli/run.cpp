#include "run.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/farm/launched.h"
#include "gridcast/store/hdf5.h"
#include "log.h"

namespace gridcast::cli {

void print_error(std::string_view message) {
  if (sweep::launched_rank() != 0) {
    return;
  }
  // A file name may hold anything, the message stays one line.
  const std::string line = (coloured_messages() ? "\033[1;31mgridcast:\033[0m " : "gridcast: ") +
                           printable(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int run_guarded(const std::function<int()>& command) {
  try {
    return command();
  } catch (const ReaderGone&) {
    return done;
  } catch (const InputError& error) {
    print_error(error.what());
    return bad_input;
  } catch (const std::bad_alloc&) {
    print_error("out of memory (a smaller grid or trace, or a machine with more memory)");
    return failed;
  } catch (const std::exception& error) {
    print_error(error.what());
    return failed;
  }
}

void report_failed_writes() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  store::hdf5::leave_open_at_exit();
}

}  // namespace gridcast::cli
