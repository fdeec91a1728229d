/// fuzz_trace N SEED FILES...: reads N damaged variants of the given traces. Every one must either
/// be read or be refused with an InputError of one line; anything else ends the program.

#include "fuzz_main.h"
#include "gridcast/trace/info.h"
#include "gridcast/trace/program.h"

int main(int argc, char** argv) {
  return gridcast::fuzz::run(argc, argv, "fuzz_trace", [](const std::string& text) {
    const auto program = gridcast::trace::parse_program(text, "fuzz.ptr");
    const auto info = gridcast::trace::summarise(program);
    if (gridcast::trace::to_text(info).empty() || info.calls != program.records.size()) {
      std::abort();
    }
    static_cast<void>(gridcast::trace::check(program));
  });
}
