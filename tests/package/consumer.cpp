// Finds the best grid of a described program: consumer PROGRAM.toml MACHINE.par PROCESSORS
#include <cstdio>
#include <string>

#include "gridcast/gridcast.h"

int main(int argc, char** argv) try {
  if (argc != 4) {
    return 2;
  }
  gridcast::SearchSettings settings;
  settings.max_processors = std::stoll(argv[3]);
  const auto program = gridcast::read_program({argv[1]});
  const auto machine = gridcast::read_machine(argv[2]);
  const auto best = gridcast::search(program, machine, settings).best.at(0).grid;
  std::printf("%s %.17g\n", best.text().c_str(),
              gridcast::predict(program, machine, best).execution_time);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
