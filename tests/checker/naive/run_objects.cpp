// Intervals, input and output, systems, templates, arrays.

#include <cstdlib>
#include <stdexcept>

#include "run.h"

namespace gridcast::naive {
namespace {

Rule rule_of(const Parameters& in) {
  return {in.list("AxisArray"), in.list("CoeffArray"), in.list("ConstArray")};
}

double size_of_type(long type) {
  const std::vector<double> sizes{0, 4, 8, 4, 8, 8, 16};
  return sizes.at(static_cast<std::size_t>(type));
}

/// What every processor of the root grid holds of an array.
Written held(const std::vector<Holders>& holders, int processors) {
  Written written;
  written.by.resize(static_cast<std::size_t>(processors));
  for (std::size_t e = 0; e < holders.size(); ++e) {
    for (int p = 0; p < processors; ++p) {
      if (contains(holders[e], p)) {
        written.by[static_cast<std::size_t>(p)].insert(e);
      }
    }
  }
  return written;
}

}  // namespace

void Run::ordinary(const Call& call) {
  user_time(call.call_time);
  library_time(call.ret_time);
}

void Run::begin_interval(const Call& call) {
  ordinary(call);
  Interval identity;
  identity.type = call.name == "binter_"   ? "user"
                  : call.name == "bsloop_" ? "sequential"
                                           : "parallel";
  identity.file = call.file;
  identity.line = call.line;
  const long none = 2000000000;
  const long index = call.in.number("index", none);
  identity.has_expression = index != none;
  identity.expression = identity.has_expression ? index : 0;
  ledger_.enter(identity);
}

void Run::end_interval(const Call& call) {
  ordinary(call);
  ledger_.leave();
}

void Run::output(const Call& call) {
  user_time(call.call_time);
  ledger_.input_output(0, call.ret_time / performance(0));
  ledger_.count(io);
}

void Run::input_output(const Call& call) {
  output(call);
  double bytes = 4;
  if (call.name == "dvm_fread" || call.name == "dvm_read") {
    const long count = call.out.number("Res", call.in.number("Count"));
    bytes += static_cast<double>(call.in.number("Size", 1) * count);
  }
  broadcast(bytes);
}

void Run::share_memory(const Call& call) {
  output(call);
  double bytes = 0;
  for (const long length : call.in.list("LengthArray")) {
    bytes += static_cast<double>(length);
  }
  broadcast(bytes);
}

void Run::begin_statement(const Call& call) {
  user_time(call.call_time);
  in_statement_ = true;
  library_time(call.ret_time);
  ledger_.count(io);
}

void Run::end_statement(const Call& call) {
  ordinary(call);
  in_statement_ = false;
}

System Run::system_of(const Call& call, const System& otherwise) const {
  const auto found = systems_.find(call.in.text("PSRef"));
  return found == systems_.end() ? otherwise : found->second;
}

void Run::create_system(const Call& call) {
  ordinary(call);
  systems_[call.out.text("PSRef")] =
      system_of(call, current())
          .section(call.in.list("InitIndexArray"), call.in.list("LastIndexArray"));
}

void Run::reshape_system(const Call& call) {
  ordinary(call);
  systems_[call.out.text("PSRef")] = system_of(call, current()).reshaped(call.in.list("SizeArray"));
}

void Run::get_system(const Call& call) {
  ordinary(call);
  const auto machine = machines_.find(call.in.text("AMRef"));
  const bool mapped = machine != machines_.end() && machine->second.system;
  systems_[call.out.text("PSRef")] = mapped ? *machine->second.system : current();
}

void Run::get_machine(const Call& call) {
  ordinary(call);
  machines_.try_emplace(call.out.text("AMRef"));
}

void Run::map_machine(const Call& call) {
  ordinary(call);
  machines_[call.in.text("AMRef")].system = system_of(call, current());
}

void Run::run_task(const Call& call) {
  ordinary(call);
  if (call.out.number("Run", 1) != 0) {
    const System next = machines_[call.in.text("AMRef")].system.value_or(current());
    systems_open_.push_back(next);
    ledger_.is_current(next);
  }
}

void Run::stop_task(const Call& call) {
  ordinary(call);
  if (systems_open_.size() > 1) {
    systems_open_.pop_back();
    ledger_.is_current(current());
  }
}

void Run::create_template(const Call& call) {
  ordinary(call);
  auto made = std::make_shared<Template>();
  made->extents = call.in.list("SizeArray");
  made->periodic = call.in.list("PeriodicArray");
  templates_[call.out.text("AMViewRef")] = made;
}

void Run::divide_blocks(const Call& call) {
  ordinary(call);
  templates_.at(call.in.text("AMViewRef"))->divisors = call.in.list("AMVAxisDiv");
}

void Run::set_weights(const Call& call) {
  ordinary(call);
  Weights& weights = templates_.at(call.in.text("AMViewRef"))->weights;
  weights = {};
  for (const Parameter& parameter : call.in.all()) {
    if (parameter.name == "WeightNumber") {
      weights.along.emplace_back();
    } else if (parameter.name == "LoadWeight") {
      weights.along.back().push_back(std::stod(parameter.value));
    }
  }
}

void Run::set_lengths(const Call& call) {
  ordinary(call);
  Weights& weights = templates_.at(call.in.text("AMViewRef"))->weights;
  weights = {};
  weights.are_lengths = true;
  for (const Parameter& parameter : call.in.all()) {
    if (parameter.name == "AxisWeightAddr") {
      weights.along.resize(
          std::max(weights.along.size(), static_cast<std::size_t>(parameter.first) + 1));
      weights.along[static_cast<std::size_t>(parameter.first)].push_back(
          std::stod(parameter.value));
    }
  }
}

void Run::distribute(const Call& call) {
  ordinary(call);
  templates_.at(call.in.text("AMViewRef"))
      ->distribute(system_of(call, current()), call.in.list("AxisArray"), machine_,
                   options_.blocks);
}

void Run::create_array(const Call& call) {
  ordinary(call);
  auto made = std::make_shared<Array>();
  made->extents = call.in.list("SizeArray");
  const long type = call.in.number("TypeSize");
  made->element_size = type < 0 ? size_of_type(-type) : static_cast<double>(type);
  made->low = call.in.list("LowShdWidthArray");
  made->high = call.in.list("HiShdWidthArray");
  arrays_[call.out.text("ArrayHandlePtr")] = made;
  arrays_[call.in.text("ArrayHeader")] = made;
}

void Run::delete_array(const Call& call) {
  ordinary(call);
  const auto gone = array_of(call.in, "ArrayHandlePtr", "ArrayHeader");
  std::erase_if(arrays_, [&](const auto& entry) { return entry.second == gone; });
}

void Run::delete_object(const Call& call) {
  ordinary(call);
  if (const auto named = arrays_.find(call.in.text("ObjectRef")); named != arrays_.end()) {
    const std::shared_ptr<Array> gone = named->second;
    std::erase_if(arrays_, [&](const auto& entry) { return entry.second == gone; });
  }
}

std::shared_ptr<Array> Run::array_of(const Parameters& in, const std::string& handle,
                                     const std::string& header) const {
  for (const std::string& name : {in.text(handle), in.text(header)}) {
    if (const auto found = arrays_.find(name); found != arrays_.end()) {
      return found->second;
    }
  }
  return nullptr;
}

Placed Run::placed_by(const Call& call) const {
  const std::string pattern = call.in.text("PatternRef");
  return call.in.says("(AMView)") ? over_template(templates_.at(pattern), rule_of(call.in))
                                  : over_array(*arrays_.at(pattern), rule_of(call.in));
}

void Run::align(const Call& call) {
  ordinary(call);
  Array& array = *array_of(call.in, "ArrayHandlePtr", "ArrayHeader");
  array.placed = placed_by(call);
  array.aligned = true;
}

void Run::realign(const Call& call) {
  const std::shared_ptr<Array> array = array_of(call.in, "ArrayHandlePtr", "ArrayHeader");
  if (!array->aligned) {
    align(call);
    return;
  }
  user_time(call.call_time);
  begin_collective(redistribution, machine_.collective);
  const std::vector<Holders> before = holders_of_array(*array, current());
  array->placed = placed_by(call);
  if (call.in.number("NewSign") != 0) {
    library_time(call.ret_time);
    return;
  }
  const std::vector<Holders> after = holders_of_array(*array, current());
  Transfers transfers;
  move(machine_, before, after, array->element_size, transfers);
  blocking(redistribution, transfers);
  written_time(call.ret_time, {held(after, machine_.processors())});
}

void Run::redistribute(const Call& call) {
  const auto named = templates_.find(call.in.text("AMViewRef"));
  const std::shared_ptr<Template> target =
      named != templates_.end() ? named->second
                                : array_of(call.in, "ArrayHandlePtr", "ArrayHeader")->placed.over;
  if (!target->distributed) {
    ordinary(call);
    target->distribute(system_of(call, current()), call.in.list("AxisArray"), machine_,
                       options_.blocks);
    return;
  }
  user_time(call.call_time);
  begin_collective(redistribution, machine_.collective);
  std::set<std::shared_ptr<Array>> moved;
  for (const auto& [name, array] : arrays_) {
    if (array->placed.over == target) {
      moved.insert(array);
    }
  }
  std::map<std::shared_ptr<Array>, std::vector<Holders>> before;
  for (const auto& array : moved) {
    before[array] = holders_of_array(*array, current());
  }
  target->distribute(system_of(call, target->system), call.in.list("AxisArray"), machine_,
                     options_.blocks);
  if (call.in.number("NewSign") != 0) {
    library_time(call.ret_time);
    return;
  }
  Transfers transfers;
  std::vector<Written> written;
  for (const auto& array : moved) {
    const std::vector<Holders> after = holders_of_array(*array, current());
    move(machine_, before[array], after, array->element_size, transfers);
    written.push_back(held(after, machine_.processors()));
  }
  blocking(redistribution, transfers);
  written_time(call.ret_time, written);
}

}  // namespace gridcast::naive
