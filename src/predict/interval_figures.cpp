#include "interval_figures.h"

#include "gridcast/figures/figures.h"

namespace gridcast::model {

void add(OperationTimes& to, const OperationTimes& from, double factor) {
  for (const OperationFigure& figure : operation_figures) {
    to.*figure.value += factor * (from.*figure.value);
  }
}

void add(TimesByKind& to, const TimesByKind& from, double factor) {
  for (std::size_t k = 0; k < operation_count; ++k) {
    to[k] += factor * from[k];
  }
}

void add(ProcessorTimes& to, const ProcessorTimes& from, double factor) {
  using Times = ProcessorTimes;
  for (const auto time :
       {&Times::execution_time, &Times::io_time, &Times::cpu_time, &Times::sys_time,
        &Times::insufficient_parallelism_usr, &Times::insufficient_parallelism_sys, &Times::idle,
        &Times::load_imbalance, &Times::synchronization, &Times::time_variation}) {
    to.*time += factor * (from.*time);
  }
  for (std::size_t k = 0; k < operation_count; ++k) {
    add(to.operations[k], from.operations[k], factor);
  }
}

void add(Characteristics& to, const Characteristics& from, double factor) {
  for (const Figure& figure : figures()) {
    to.*figure.value += factor * (from.*figure.value);
  }
  for (std::size_t k = 0; k < operation_count; ++k) {
    add(to.operations[k], from.operations[k], factor);
  }
  to.efficiency = to.total_time == 0.0 ? 1.0 : to.productive_time / to.total_time;
}

void add(IntervalResult& to, const IntervalResult& from, double factor) {
  add(to.sums, from.sums, factor);
  add(to.pipelined, from.pipelined, factor);
  add(to.time_variations, from.time_variations, factor);
  for (std::size_t p = 0; p < to.per_processor.size(); ++p) {
    add(to.per_processor[p], from.per_processor[p], factor);
  }
}

}  // namespace gridcast::model
