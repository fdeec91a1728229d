#include "gridcast/base/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/base/sha256.h"

namespace gridcast {
namespace {

constexpr std::size_t block_size = std::size_t{1} << 18U;
/// gzip makes a text smaller by 400 times or more only if 32 of its bytes repeat and nothing else:
/// no line of a trace is so short. Small files may be anything.
constexpr std::uint64_t most_unpacked_per_byte = 400;
constexpr std::uint64_t unpacked_unasked = std::uint64_t{1} << 26U;

class FileBytes final : public ByteSource {
public:
  FileBytes(const std::filesystem::path& path, std::string name)
      : name_(std::move(name)), file_(std::fopen(path.c_str(), "rb")) {
    if (!file_) {
      fail("cannot be opened");
    }
  }

  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file_.get());
    if (count < buffer.size() && std::ferror(file_.get()) != 0) {
      fail("cannot be read");
    }
    return count;
  }

private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(name_, 0, problem + ": " + std::generic_category().message(errno),
                     "expected a file that can be read");
  }

  struct Close {
    void operator()(std::FILE* file) const noexcept {
      std::fclose(file);  // NOLINT(cppcoreguidelines-owning-memory): this is the owner's deleter
    }
  };
  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
};

class MemoryBytes final : public ByteSource {
public:
  explicit MemoryBytes(std::string_view bytes) : rest_(bytes) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), rest_.size());
    std::copy_n(rest_.data(), count, buffer.data());
    rest_.remove_prefix(count);
    return count;
  }

private:
  std::string_view rest_;
};

/// Unpacks gzip data member by member.
class Inflater {
public:
  Inflater() {
    constexpr int gzip_window = 15 + 16;
    if (inflateInit2(&stream_, gzip_window) != Z_OK) {
      throw RunError("zlib", "could not start", "check the zlib installation");
    }
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  enum class State : std::uint8_t { more, member_end, damaged };

  /// Takes bytes from the front of `input`, appends to `output`; returns how many were written.
  std::size_t step(std::span<char>& input, std::span<char> output, State& state) {
    const auto clip = [](std::size_t size) {
      return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
    };
    stream_.next_in = reinterpret_cast<Bytef*>(input.data());
    stream_.avail_in = clip(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(output.data());
    stream_.avail_out = clip(output.size());
    const uInt given = stream_.avail_in;
    const uInt room = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    input = input.subspan(given - stream_.avail_in);
    state = code == Z_STREAM_END                  ? State::member_end
            : code == Z_OK || code == Z_BUF_ERROR ? State::more
                                                  : State::damaged;
    return room - stream_.avail_out;
  }

  void next_member() { inflateReset(&stream_); }

private:
  z_stream stream_{};
};

/// Unpacks the stored bytes if they begin like gzip, and hashes what comes out.
class TraceBytes final : public HashedSource {
public:
  TraceBytes(std::unique_ptr<ByteSource> stored, std::string name)
      : stored_(std::move(stored)), name_(std::move(name)), block_(block_size) {
    refill();
    if (input_.size() >= 2 && input_[0] == '\x1f' && input_[1] == '\x8b') {
      inflater_ = std::make_unique<Inflater>();
    }
  }

  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = inflater_ ? read_packed(buffer) : read_plain(buffer);
    hash_.update(buffer.first(count));
    return count;
  }

  std::string sha256() override { return hash_.hex(); }

private:
  void refill() {
    const std::size_t count = stored_->read(block_);
    input_ = std::span(block_).first(count);
    stored_bytes_ += count;
  }

  std::size_t read_plain(std::span<char> buffer) {
    if (!input_.empty()) {  // what was looked at to tell the kind of file
      const std::size_t count = std::min(buffer.size(), input_.size());
      std::copy_n(input_.data(), count, buffer.data());
      input_ = input_.subspan(count);
      return count;
    }
    return stored_->read(buffer);
  }

  std::size_t read_packed(std::span<char> buffer) {
    std::size_t written = 0;
    while (written < buffer.size() && !finished_) {
      if (input_.empty()) {
        refill();
      }
      if (input_.empty()) {
        if (!between_members_) {
          throw InputError(name_, 0, "the gzip data ends too early",
                           "the file is truncated: expected a complete trace");
        }
        finished_ = true;
        break;
      }
      if (between_members_ && !begin_member()) {
        break;
      }
      Inflater::State state{};
      const std::size_t unpacked = inflater_->step(input_, buffer.subspan(written), state);
      written += unpacked;
      require_proportion(unpacked);
      if (state == Inflater::State::damaged) {
        throw InputError(name_, 0, "the gzip data is damaged", "expected a gzip or a text file");
      }
      between_members_ = state == Inflater::State::member_end;
    }
    return written;
  }

  /// A few bytes that unpack to gigabytes are refused before they are all there.
  void require_proportion(std::size_t unpacked) {
    unpacked_bytes_ += unpacked;
    const std::uint64_t used = stored_bytes_ - input_.size();
    if (unpacked_bytes_ > unpacked_unasked && unpacked_bytes_ / most_unpacked_per_byte > used) {
      throw InputError(name_, 0,
                       "the gzip data unpacks to more than " +
                           std::to_string(most_unpacked_per_byte) + " times its size",
                       "expected a trace, whose lines are not all the same");
    }
  }

  /// False if only padding follows (zeros, as tapes and block devices leave them).
  bool begin_member() {
    if (!started_ || input_[0] == '\x1f') {
      started_ = true;
      between_members_ = false;
      inflater_->next_member();
      return true;
    }
    if (input_[0] != '\0') {
      throw InputError(name_, 0, "something follows the gzip data", "expected one gzip file");
    }
    finished_ = true;
    return false;
  }

  std::unique_ptr<ByteSource> stored_;
  std::string name_;
  std::vector<char> block_;
  std::span<char> input_;
  Sha256 hash_;
  std::uint64_t stored_bytes_ = 0;    ///< read so far
  std::uint64_t unpacked_bytes_ = 0;  ///< of them
  std::unique_ptr<Inflater> inflater_;
  bool started_ = false;
  bool between_members_ = true;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<HashedSource> open_source(const std::filesystem::path& path,
                                          const std::string& name) {
  return std::make_unique<TraceBytes>(std::make_unique<FileBytes>(path, name), name);
}

std::unique_ptr<HashedSource> open_source(std::string_view bytes, const std::string& name) {
  return std::make_unique<TraceBytes>(std::make_unique<MemoryBytes>(bytes), name);
}

}  // namespace gridcast
