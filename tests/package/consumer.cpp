// Predicts a described program on a grid: consumer PROGRAM.toml MACHINE.par GRID
#include <cstdio>
#include <filesystem>
#include <vector>

#include "gridcast/compile/compile.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/retrace/merge.h"
#include "gridcast/rules/options.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    return 2;
  }
  const std::vector<std::filesystem::path> files{argv[1]};
  const auto program = gridcast::trace::read_run(files);
  const auto compiled = gridcast::model::compile(program);
  const auto cluster = gridcast::machine::Cluster::read(argv[2]);
  gridcast::model::Predictor predictor(compiled.script, cluster,
                                       gridcast::model::resolve({}, program).options);
  const auto prediction = predictor.predict(gridcast::machine::Grid::parse(argv[3]));
  std::printf("%.17g\n", prediction.intervals.front().sums.execution_time);
  return 0;
}
