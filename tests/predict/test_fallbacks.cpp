// Which programs are predicted processor by processor although nobody asked for it: a program that
// joins them is a step back.

#include <filesystem>
#include <set>

#include "described.h"
#include "fixture.h"

namespace gridcast::model::test {
namespace {

machine::Cluster drawn(const std::string& network) {
  return machine::Cluster::parse("cluster = c; c = {4096 x p}; p = 1; c.CommType = " + network +
                                     "; c.TStart = 7; c.TByte = 0.004;",
                                 "flat.par");
}

/// Programs that fall back on a machine of equal processors with this network.
std::set<std::string> fallen_back(const std::string& name, const trace::Program& program,
                                  std::set<std::string> so_far) {
  const Compiled compiled = compile(program);
  for (const std::string network :
       {"myrinet (1)", "myrinet (8)", "ethernet", "transputer", "ports"}) {
    const machine::Cluster cluster = drawn(network);
    Predictor predictor(compiled.script, cluster);
    for (const char* on : {"16", "4x4", "16x16", "3x5x7"}) {
      predictor.evaluate(grid(on));
      if (!predictor.fallback().empty()) {
        so_far.insert(name);
      }
    }
  }
  return so_far;
}

}  // namespace

TEST_CASE("no more recorded programs fall back to the reference engine than these") {
  std::set<std::string> fallen;
  for (const std::string name : {"c_acopy_100.ptr",
                                 "c_adi_20x10.ptr.gz",
                                 "c_gauss_10.ptr.gz",
                                 "c_gaussgb_500.ptr.gz",
                                 "c_gausswb_10.ptr",
                                 "c_jac1d_8.ptr",
                                 "c_jac2d_1000x10.ptr.gz",
                                 "c_jac2d_8_e1.ptr",
                                 "c_jac3d_200x10.ptr.gz",
                                 "c_lib_100.ptr.gz",
                                 "c_redb_1000x10.ptr.gz",
                                 "c_redist_100_e4.ptr",
                                 "c_sor_1000x10.ptr.gz",
                                 "c_tsk_8.ptr.gz",
                                 "c_tsk_ra_8.ptr.gz",
                                 "f_across_100.ptr.gz",
                                 "f_adi_20x10.ptr.gz",
                                 "f_feat_100.ptr.gz",
                                 "f_jac_8.ptr.gz",
                                 "f_jacas_8.ptr.gz",
                                 "f_sor_10.ptr.gz",
                                 "f_tasks_8.ptr.gz",
                                 "h_gauss_c.ptr.gz",
                                 "h_jacross.ptr.gz",
                                 "h_sor.ptr.gz"}) {
    fallen = fallen_back(name, trace::read_program(data(name)), fallen);
  }
  const std::set<std::string> known{"c_gaussgb_500.ptr.gz", "c_gausswb_10.ptr",  // weighted blocks
                                    "c_tsk_8.ptr.gz", "c_tsk_ra_8.ptr.gz",       // tasks
                                    "f_tasks_8.ptr.gz"};
  CHECK(fallen == known);
}

TEST_CASE("of the programs in configs only the one with tasks falls back") {
  std::set<std::string> fallen;
  const std::filesystem::path programs =
      std::filesystem::path(GRIDCAST_SOURCE_DIR) / "configs" / "programs";
  for (const auto& entry : std::filesystem::directory_iterator(programs)) {
    if (entry.is_directory()) {
      continue;  // programs by messages run free
    }
    fallen = fallen_back(entry.path().stem(), shipped_program(entry.path().stem()), fallen);
  }
  CHECK(fallen == std::set<std::string>{"taskjacobi"});
}

TEST_CASE("borders of loops that send nothing do not set the neighbours of a border apart") {
  const Compiled compiled = compile(
      described("[[array]]\nname = \"A\"\nextents = [1000, 1000, 1000]\nshadow = 1\n"
                "distribute = [\"block\", \"block\", \"block\"]\n"
                "[[do]]\nrepeat = 3\ninterval = \"sequential\"\n[[do.do]]\nexchange = [\"A\"]\n"
                "[[do.do]]\nloop = [\"i = 300 : 600\", \"j = 300 : 600\", \"k = 300 : 600\"]\n"
                "on = \"A[i, j, k]\"\ntime = 1e-9\n"));
  const machine::Cluster cluster = drawn("ports");
  Predictor predictor(compiled.script, cluster);
  predictor.evaluate(grid("12x12x12"));
  CHECK(predictor.fallback().empty());
}

}  // namespace gridcast::model::test
