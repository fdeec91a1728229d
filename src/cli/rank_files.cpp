#include "rank_files.h"

#include "gridcast/base/error.h"
#include "gridcast/machine/job.h"
#include "output.h"

namespace gridcast::cli {

void add_rankfile(CLI::App& command, std::string& file) {
  command
      .add_option_function<std::string>(
          "--rankfile",
          [&file](const std::string& name) {
            if (name.empty() || name == "-") {
              throw InputError("--rankfile " + name, "expected the name of a file");
            }
            file = name;
          },
          "Write a rank file of Open MPI for the best grid, and F.sh, which starts it under Slurm")
      ->type_name("F");
}

Places& claim_rank_files(Places& places, const std::string& file) {
  if (!file.empty()) {
    places.writes("--rankfile", file).writes("--rankfile", file + ".sh");
  }
  return places;
}

void write_rank_files(const StoredSearch& search) {
  const std::optional<machine::Job>& job = search.answer.job;
  if (!job || job->rankfile.empty()) {
    return;
  }
  const AnsweredRun run(search.store.setup.description);
  Output ranks(job->rankfile);
  machine::write_rank_file(ranks.stream(), *run.nodes(), *job);
  ranks.commit();
  Output script(job->rankfile + ".sh");
  machine::write_rank_script(script.stream(), *job);
  script.commit();
}

}  // namespace gridcast::cli
