#include "output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <streambuf>
#include <system_error>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "run.h"

namespace gridcast::cli {
namespace {

CapturedText* capture = nullptr;
bool stdout_is_taken = false;

std::string reason_of(int error_number) { return std::generic_category().message(error_number); }

/// Errors that the user can only meet by naming another place.
bool is_wrong_place(int error_number) {
  return error_number == ENOENT || error_number == ENOTDIR || error_number == EISDIR ||
         error_number == EACCES || error_number == EPERM || error_number == EROFS ||
         error_number == ENAMETOOLONG || error_number == ELOOP;
}

[[noreturn]] void refuse(const std::string& place, int error_number) {
  if (!is_wrong_place(error_number)) {
    throw RunError(place, "cannot be written: " + reason_of(error_number),
                   "free some space or choose another place");
  }
  throw InputError(place, 0, "cannot be written: " + reason_of(error_number),
                   "expected a file name in an existing directory with write permission");
}

/// The file itself if `path` is a symbolic link, so that a rename does not replace the link.
std::filesystem::path without_links(const std::filesystem::path& path) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(path, error);
  return error || real.empty() ? path : real;
}

}  // namespace

/// A buffer in front of a file descriptor that keeps the reason of the first failure.
class Output::Buffer : public std::streambuf {
public:
  Buffer(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {
    setp(space_.data(), space_.data() + space_.size());
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() override {
    if (owned_ && descriptor_ >= 0) {
      close(descriptor_);
    }
  }

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] int error_number() const noexcept { return error_number_; }

  /// Closes an owned descriptor; file systems over a network report some errors only now.
  void finish() {
    if (owned_ && close(descriptor_) != 0 && error_number_ == 0) {
      error_number_ = errno;
    }
    if (owned_) {
      descriptor_ = -1;
    }
  }

protected:
  int_type overflow(int_type character) override {
    if (sync() != 0) {
      return traits_type::eof();
    }
    if (!traits_type::eq_int_type(character, traits_type::eof())) {
      *pptr() = traits_type::to_char_type(character);
      pbump(1);
    }
    return traits_type::not_eof(character);
  }

  int sync() override {
    const char* at = pbase();
    while (error_number_ == 0 && at < pptr()) {
      const ssize_t written = write(descriptor_, at, static_cast<std::size_t>(pptr() - at));
      if (written >= 0) {
        at += written;
      } else if (errno != EINTR) {
        error_number_ = errno;
      }
    }
    setp(space_.data(), space_.data() + space_.size());
    return error_number_ == 0 ? 0 : -1;
  }

private:
  int descriptor_;
  bool owned_;
  int error_number_ = 0;
  std::array<char, 65536> space_;
};

Output::Output(const std::string& place) : place_(place) {
  if (place_ == "-") {
    if (stdout_is_taken) {
      throw InputError("--json - beside another result on standard output",
                       "expected at most one result on standard output");
    }
    buffer_ = std::make_unique<Buffer>(STDOUT_FILENO, false);
  } else {
    open_file();
  }
  stream_ = std::make_unique<std::ostream>(buffer_.get());
}

void Output::open_file() {
  if (place_.empty()) {
    throw InputError("an empty name of an output file", "expected a file name, or - for stdout");
  }
  struct stat old {};
  const bool exists = stat(place_.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    const int descriptor = open(place_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) {
      refuse(place_, errno);
    }
    buffer_ = std::make_unique<Buffer>(descriptor, true);
    return;
  }
  if (exists && access(place_.c_str(), W_OK) != 0) {
    refuse(place_, errno);  // a rename would replace a file that is protected
  }
  target_ = without_links(place_);
  temporary_ = target_;
  temporary_ += ".tmp" + std::to_string(getpid());
  const int descriptor =
      open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    const int error_number = errno;
    temporary_.clear();
    refuse(place_, error_number);
  }
  if (exists) {
    // The new file is as private or public as the one that it replaces, if the system lets us.
    static_cast<void>(fchmod(descriptor, old.st_mode & 07777U));
  }
  buffer_ = std::make_unique<Buffer>(descriptor, true);
}

Output::~Output() {
  if (!temporary_.empty()) {
    unlink(temporary_.c_str());
  }
}

void Output::fail(int error_number) const {
  if (error_number == EPIPE && place_ == "-") {
    throw ReaderGone{};
  }
  throw RunError(place_ == "-" ? "standard output" : place_,
                 "cannot be written: " + reason_of(error_number),
                 "free some space or choose another place");
}

void Output::commit() {
  stream_->flush();
  buffer_->finish();
  if (buffer_->error_number() != 0) {
    fail(buffer_->error_number());
  }
  if (!stream_->good()) {
    fail(EIO);
  }
  if (!temporary_.empty()) {
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
      fail(errno);
    }
    temporary_.clear();
  }
}

CapturedText::CapturedText(bool stdout_taken) {
  capture = this;
  stdout_is_taken = stdout_taken;
}

CapturedText::~CapturedText() {
  capture = nullptr;
  stdout_is_taken = false;
}

bool prints_to_terminal() { return capture == nullptr && isatty(STDOUT_FILENO) == 1; }

void print(std::string_view text) {
  if (capture != nullptr) {
    capture->text_ += text;
    return;
  }
  Output output("-");
  output.stream() << printable_lines(text);
  output.commit();
}

}  // namespace gridcast::cli
