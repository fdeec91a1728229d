/// Descriptions of programs (trace generate): every one must become a trace that can be read, or be
/// refused with an error of one line.

#include <cstdio>
#include <ostream>
#include <streambuf>

#include "fuzz.h"
#include "gridcast/retrace/generate.h"
#include "gridcast/trace/program.h"

namespace {

/// More than any trace worth a look.
constexpr std::size_t longest_trace = std::size_t{1} << 20U;

struct TooLong {};

/// Keeps what is written, up to a limit.
class LimitedBuffer : public std::streambuf {
public:
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

protected:
  int_type overflow(int_type character) override {
    const char value = traits_type::to_char_type(character);
    xsputn(&value, 1);
    return character;
  }
  std::streamsize xsputn(const char* from, std::streamsize size) override {
    if (text_.size() + static_cast<std::size_t>(size) > longest_trace) {
      throw TooLong{};
    }
    text_.append(from, static_cast<std::size_t>(size));
    return size;
  }

private:
  std::string text_;
};

}  // namespace

namespace gridcast::fuzz {

const bool of_lines = true;

bool use_input(const std::string& input) {
  return accepted(input, [](const std::string& text) {
    LimitedBuffer trace;
    std::ostream out(&trace);
    out.exceptions(std::ios::badbit);
    try {
      const trace::GenerateResult result = trace::generate_trace(text, "fuzz.toml", out);
      try {
        const trace::Program program = trace::parse_program(trace.text(), "fuzz.ptr");
        if (program.records.size() > result.calls) {
          std::abort();
        }
      } catch (const InputError& error) {
        // What is generated must be readable.
        std::fprintf(stderr, "%s\n", error.what());
        std::abort();
      }
    } catch (const TooLong&) {
      // Nothing is wrong with long traces.
    }
  });
}

}  // namespace gridcast::fuzz
