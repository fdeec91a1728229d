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
  put(json, "processors", grid->grid.processors());
  put_nodes(json, grid->grid, grid->nodes);
  put(json, "threads", std::int64_t{grid->grid.threads()});
  put(json, "cores", grid->grid.cores());
  put(json, "placement", grid->placement.text(grid->grid.rank()));
  put(json, "execution_time", grid->execution_time);
  put(json, "efficiency", grid->efficiency);
  json.key("idle_processors");
  if (grid->idle_processors) {
    json.integer(*grid->idle_processors);
  } else {
    json.null();
  }
  json.end_object();
}

void put_job(JsonWriter& json, const std::optional<machine::Job>& job) {
  if (!job) {
    json.null();
    return;
  }
  json.begin_object(Layout::line);
  put(json, "nodes", job->nodes);
  put(json, "processes", job->processes);
  put(json, "processes_per_node", job->processes_per_node);
  put(json, "threads", std::int64_t{job->threads});
  json.key("tasks");
  json.begin_array(Layout::line);
  for (const machine::NodeRun& run : job->tasks) {
    json.begin_object(Layout::line);
    put(json, "nodes", run.count);
    put(json, "processes_per_node", run.size);
    json.end_object();
  }
  json.end_array();
  put_extents(json, "dims", job->grid);
  json.key("reorder");
  json.boolean(false);
  put(json, "processors", processors_text(job->grid));
  put_or_null(json, "srun", job->srun);
  put_or_null(json, "mpirun", job->mpirun);
  put_or_null(json, "rankfile", job->rankfile);
  json.end_object();
}

}  // namespace gridcast::report
