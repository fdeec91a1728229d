#include "gridcast/report/answer.h"
#include "json_members.h"

namespace gridcast::report {

void put_answered(JsonWriter& json, const std::optional<AnsweredGrid>& grid) {
  if (!grid) {
    json.null();
    return;
  }
  json.begin_object(Layout::line);
  put_extents(json, "grid", grid->grid);
  json.member("processors", grid->grid.processors());
  put_nodes(json, grid->grid, grid->nodes);
  json.member("threads", std::int64_t{grid->grid.threads()});
  json.member("cores", grid->grid.cores());
  json.member("placement", grid->placement.text(grid->grid.rank()));
  json.member("execution_time", grid->execution_time);
  json.member("efficiency", grid->efficiency);
  json.member("idle_processors", grid->idle_processors);
  json.end_object();
}

void put_job(JsonWriter& json, const std::optional<machine::Job>& job) {
  if (!job) {
    json.null();
    return;
  }
  json.begin_object(Layout::line);
  json.member("nodes", job->nodes);
  json.member("processes", job->processes);
  json.member("processes_per_node", job->processes_per_node);
  json.member("threads", std::int64_t{job->threads});
  json.key("tasks");
  json.begin_array(Layout::line);
  for (const machine::NodeRun& run : job->tasks) {
    json.begin_object(Layout::line);
    json.member("nodes", run.count);
    json.member("processes_per_node", run.size);
    json.end_object();
  }
  json.end_array();
  json.member("ranks", machine::Placement{.kind = job->ranks}.text());
  put_extents(json, "dims", job->grid);
  json.member("reorder", false);
  json.member("processors", processors_text(job->grid));
  json.text_or_null("srun", job->srun);
  json.text_or_null("mpirun", job->mpirun);
  json.text_or_null("rankfile", job->rankfile);
  json.end_object();
}

}  // namespace gridcast::report
