/// Traces in gzip that unpack to much more than they are: an input says how often each of its
/// pieces is repeated before it is packed, up to 96 MiB in all. Reading must take
/// or refuse them within the fuzzer's limits of memory and time.

#include <zlib.h>

#include <algorithm>
#include <array>

#include "fuzz.h"
#include "gridcast/trace/program.h"

namespace gridcast::fuzz {
namespace {

constexpr std::size_t most_unpacked = std::size_t{3} << 25U;

/// Packs as it goes, so that the long text is nowhere as a whole.
class Packer {
public:
  Packer() { deflateInit2(&stream_, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() { deflateEnd(&stream_); }

  void add(std::string piece, std::size_t times) {
    for (; times > 0 && unpacked_ < most_unpacked; --times) {
      unpacked_ += piece.size();
      run(piece, Z_NO_FLUSH);
    }
  }
  const std::string& finish() {
    std::string nothing;
    run(nothing, Z_FINISH);
    return packed_;
  }

private:
  void run(std::string& piece, int flush) {
    std::array<char, 4096> buffer{};
    stream_.next_in = reinterpret_cast<Bytef*>(piece.data());
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = buffer.size();
      deflate(&stream_, flush);
      packed_.append(buffer.data(), buffer.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  std::size_t unpacked_ = 0;
  std::string packed_;
};

}  // namespace

const bool of_lines = true;

/// Pieces end with a line "*N": so often, as a power of two.
bool use_input(const std::string& input) {
  Packer packer;
  std::string piece;
  for (std::size_t begin = 0; begin < input.size();) {
    const std::size_t end = std::min(input.find('\n', begin), input.size() - 1) + 1;
    const std::string_view line = std::string_view(input).substr(begin, end - begin);
    if (line.starts_with('*') && line.size() > 1) {
      packer.add(piece, std::size_t{1} << (static_cast<unsigned char>(line[1]) % 26U));
      piece.clear();
    } else {
      piece += line;
    }
    begin = end;
  }
  packer.add(piece, 1);
  static const std::filesystem::path file = scratch_file("packed.ptr.gz");
  write_file(file, packer.finish());
  return accepted(input, [](const std::string&) {
    const trace::Program program = trace::read_program(file);
    if (program.records.size() > most_unpacked / 32) {
      std::abort();
    }
  });
}

}  // namespace gridcast::fuzz
