#include <sys/mount.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>

#include "run.h"

using namespace gridcast::cli::test;

namespace {

Run predict(const std::string& trace, const std::string& machine, const std::string& grid = "2x2") {
  return run_gridcast({"predict", trace, "--machine", machine, "--grid", grid});
}

/// A small file system that is full after `bytes` more bytes; needs the rights to mount.
class SmallDisk {
public:
  explicit SmallDisk(const std::filesystem::path& directory) : directory_(directory) {
    std::filesystem::create_directory(directory);
    mounted_ = mount("tmpfs", directory.c_str(), "tmpfs", 0, "size=64k") == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) {
      umount2(directory_.c_str(), MNT_DETACH);
    }
  }
  [[nodiscard]] bool mounted() const noexcept { return mounted_; }

private:
  std::filesystem::path directory_;
  bool mounted_ = false;
};

/// Writes a gzip trace of so many ordinary calls of 1 µs + 1 µs each.
void write_long_trace(const std::string& path, int calls) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "wb1"), gzclose);
  REQUIRE(file != nullptr);
  const std::string whole = trace_text("*");
  const std::size_t at = whole.find('*');
  const std::string one =
      "call_getlen_ TIME=0.000001 LINE=2 FILE=a.c\nret_getlen_ TIME=0.000001 LINE=2 FILE=a.c\n";
  gzputs(file.get(), whole.substr(0, at).c_str());
  for (int i = 0; i < calls; ++i) {
    gzputs(file.get(), one.c_str());
  }
  gzputs(file.get(), whole.substr(at + 1).c_str());
}

}  // namespace

TEST_CASE("a trace of a million calls is predicted like any other") {
  const TemporaryDirectory directory;
  const std::string trace = directory / "long.ptr.gz";
  write_long_trace(trace, 1'000'000);
  const Run done =
      run_gridcast({"predict", trace, "-m", config("mvs.par"), "-g", "1", "--json", "-"});
  INFO(done.err);
  CHECK(done.exit_code == 0);
  const std::string key = "\"execution_time\": ";
  const std::size_t at = done.out.find(key);
  REQUIRE(at != std::string::npos);
  CHECK(std::stod(done.out.substr(at + key.size())) == Approx(2.0).epsilon(1e-9));
}

TEST_CASE("truncated traces are refused with the line where they end") {
  const TemporaryDirectory directory;
  const std::string text = trace_text(call("getlen_"));
  const std::string cut = directory / "cut.ptr";
  write_file(cut, text.substr(0, text.find("ret_getlen_") + 5));
  CHECK(failed_with(predict(cut, config("mvs.par")), 2, {cut + ":", "truncated"}));
  const std::string packed = file_text(jacobi);
  const std::string cut_gzip = directory / "cut.ptr.gz";
  write_file(cut_gzip, packed.substr(0, packed.size() / 2));
  CHECK(failed_with(predict(cut_gzip, config("mvs.par")), 2, {cut_gzip, "truncated"}));
}

TEST_CASE("a reference that was never created is refused with its line") {
  const TemporaryDirectory directory;
  const std::string trace = directory / "t.ptr";
  write_file(trace, trace_text(call("strtsh_", "ShadowGroupRef=5a;")));
  // Four lines of preamble, then the call.
  CHECK(failed_with(predict(trace, config("mvs.par")), 2, {trace + ":", "5a"}));
  CHECK(failed_with(run_gridcast({"trace", "check", trace}), 2, {trace + ":", "5a"}));
}

TEST_CASE("a machine that contains itself is refused with its line") {
  const TemporaryDirectory directory;
  const std::string machine = directory / "cycle.par";
  write_file(machine,
             "cluster = a;\na = {2 x b};\na.CommType = ethernet;\nb = {2 x a};\n"
             "b.CommType = ethernet;\n");
  CHECK(failed_with(predict(jacobi, machine), 2, {machine + ":", "itself"}));
  CHECK(failed_with(run_gridcast({"machine", "show", machine}), 2, {machine + ":"}));
}

TEST_CASE("a grid that is larger than the cluster is refused with both numbers") {
  CHECK(failed_with(predict(jacobi, config("workstations.par"), "17"), 2, {"17", "16"}));
}

TEST_CASE("files that are not there are named") {
  CHECK(failed_with(predict("no.ptr", config("mvs.par")), 2, {"no.ptr", "No such file"}));
  CHECK(failed_with(predict(jacobi, "no.par"), 2, {"no.par"}));
  CHECK(failed_with(run_gridcast({"status", "no.h5"}), 2, {"no.h5"}));
  CHECK(failed_with(run_gridcast({"export", "no.h5", "--csv", "-"}), 2, {"no.h5"}));
  CHECK(failed_with(run_gridcast({"report", jacobi, "--html", "-"}), 2, {"HDF5"}));
}

TEST_CASE("results in a directory that does not exist are refused before any work") {
  const TemporaryDirectory directory;
  const std::string place = directory / "no/such/place";
  for (const char* option : {"--json", "--html"}) {
    CHECK(failed_with(run_gridcast({"predict", "no.ptr", "-m", "no.par", option, place}), 2,
                      {place, "existing directory"}));
  }
  CHECK(failed_with(run_gridcast({"sweep", jacobi, "-m", config("mvs.par"), "--mode", "1",
                                  "--store", place + ".h5", "--max-processors", "4"}),
                    2, {place, "does not exist"}));
  for (const char* option : {"--best-html", "--rankfile", "--json", "--events"}) {
    INFO(option);
    CHECK(failed_with(run_gridcast({"sweep", jacobi, "-m", config("mvs.par"), "--mode", "1",
                                    "--store", directory / "s.h5", option, place}),
                      2, {place, "existing directory"}));
    CHECK_FALSE(std::filesystem::exists(directory / "s.h5"));
  }
}

TEST_CASE("a limit on the size of files shows as a failure while running") {
  const TemporaryDirectory directory;
  Setting setting;
  setting.file_limit = 4096;
  const std::string page = directory / "page.html";
  CHECK(failed_with(
      run_gridcast({"predict", jacobi, "-m", config("mvs.par"), "-g", "4x2", "--html", page},
                   setting),
      1, {page, "File too large"}));
  CHECK(names_in(directory.path()).empty());
  CHECK(failed_with(run_gridcast({"sweep", jacobi, "-m", config("mvs.par"), "--mode", "1",
                                  "--store", directory / "s.h5", "--max-processors", "4"},
                                 setting),
                    1, {"s.h5", "File too large"}));
}

TEST_CASE("a full disk shows as a failure while running") {
  Setting full;
  full.out_file = "/dev/full";
  CHECK(failed_with(run_gridcast({"predict", jacobi, "-m", config("mvs.par"), "-g", "4x2"}, full),
                    1, {"standard output", "No space left"}));
  const TemporaryDirectory directory;
  const SmallDisk disk(directory / "disk");
  if (!disk.mounted()) {
    WARN("skipped: mounting a small file system needs the rights of root");
    return;
  }
  const std::string page = directory / "disk/page.json";
  CHECK(failed_with(run_gridcast({"predict", jacobi, "-m", config("mvs.par"), "-g", "16x16",
                                  "--processors", "--json", page}),
                    1, {page, "No space left"}));
  CHECK(failed_with(run_gridcast({"sweep", jacobi, "-m", config("mvs.par"), "--mode", "1",
                                  "--store", directory / "disk/s.h5", "--max-processors", "16"}),
                    1, {"s.h5", "No space left"}));
  CHECK(names_in(directory / "disk").empty());
}

TEST_CASE("a command says which kind of file or value it expects") {
  const TemporaryDirectory directory;
  const std::string machine = config("mvs.par");
  const std::string program = config("programs/jacobi2d.toml");
  CHECK(failed_with(run_gridcast({"status", directory / "."}), 2, {"is a directory"}));
  CHECK(failed_with(run_gridcast({"predict", program, "--machine", machine, "--grid"}), 2,
                    {"--grid: has no value", "P1xP2"}));
  CHECK(failed_with(run_gridcast({"sweep", program, "--machine", machine, "--store",
                                  directory / "s.h5", "--time-limit", "soon"}),
                    2, {"--time-limit: 'soon' cannot be read", "SECONDS"}));
  const std::string written = directory / "p.json";
  REQUIRE(
      run_gridcast({"predict", program, "--machine", machine, "--grid", "2x2", "--json", written})
          .exit_code == 0);
  CHECK(failed_with(run_gridcast({"compare", written, directory / "no.json"}), 2,
                    {"no.json", "predict --json"}));
  CHECK(failed_with(run_gridcast({"compare", program, written}), 2,
                    {"jacobi2d.toml", "predict it first"}));
  CHECK(failed_with(run_gridcast({"compare", written, written, "--grid", "2x2"}), 2,
                    {"--grid without stores"}));
}
