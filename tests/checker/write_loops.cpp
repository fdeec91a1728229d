// Parallel loops.

#include <algorithm>
#include <cstdlib>

#include "program_writer.h"

namespace gridcast::checker {

std::string ProgramWriter::create_loop(std::size_t rank) {
  const std::string made = reference();
  call("crtpl_", "Rank=" + std::to_string(rank) + ";\n", "LoopRef=" + made + ";\n");
  return made;
}

LoopText ProgramWriter::map_loop(const std::string& reference, std::size_t rank, bool over_template,
                                 std::size_t pattern, bool identity) {
  const Longs over = over_template ? templates_[pattern].extents : arrays_[pattern].extents;
  const std::string name = over_template ? templates_[pattern].reference + " (AMView);"
                                         : arrays_[pattern].handle + " (DisArray);";
  LoopText loop{reference, Longs(rank, 0), Longs(rank, 0), Longs(rank, 1)};
  const std::vector<long> steps{1, 1, 1, 1, 2, 3, -1, -1, -2};
  const std::vector<long> coefficients{1, 1, 1, 1, -1, 2};
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < rank; ++d) {
    loop.step[d] = random_.one_of(steps);
    loop.first[d] = random_.between(-2, 3);
    loop.last[d] = loop.first[d] + loop.step[d] * random_.up_to(5 * scale_) +
                   (loop.step[d] > 0 ? 1 : -1) * random_.up_to(std::abs(loop.step[d]) - 1);
    dims.push_back(d);
  }
  if (random_.once_in(3)) {
    random_.shuffle(dims);
  }
  std::reverse(dims.begin(), dims.end());
  RuleText rule;
  for (std::size_t t = 0; t < over.size(); ++t) {
    const long choice = identity ? 9 : random_.up_to(9);
    long axis = -1, coefficient = 0, constant = 0;
    if (choice == 0 || (dims.empty() && choice > 4)) {
      axis = 0;
      constant = random_.up_to(over[t] - 1);
    } else if (choice > 1 && !dims.empty()) {
      const std::size_t d = dims.back();
      dims.pop_back();
      axis = static_cast<long>(d) + 1;
      coefficient = random_.one_of(coefficients);
      const long stride = coefficient * loop.step[d];
      const long most = (over[t] - 1) / std::abs(stride);
      const long count = random_.once_in(2) ? most : random_.up_to(most);
      const long slack = over[t] - 1 - count * std::abs(stride);
      const long begin = (stride > 0 ? 0 : count * -stride) + random_.up_to(slack);
      constant = begin - coefficient * loop.first[d];
      loop.last[d] = loop.first[d] + loop.step[d] * count;
      if (random_.once_in(25)) {
        constant += random_.between(-2, 2);  // some iterations beyond the pattern: nobody's
      }
    }
    rule.axes.push_back(axis);
    rule.coefficients.push_back(coefficient);
    rule.constants.push_back(constant);
  }
  if (random_.once_in(30)) {
    loop.last[0] = loop.first[0] - loop.step[0];
  }
  call("mappl_",
       "LoopRef=" + reference + "; PatternRefPtr=1; PatternRef=" + name + "\n" +
           list("AxisArray", rule.axes) + list("CoeffArray", rule.coefficients) +
           list("ConstArray", rule.constants) + list("InInitIndexArray", loop.first) +
           list("InLastIndexArray", loop.last) + list("InStepArray", loop.step),
       "IsLocal=1;\n");
  return loop;
}

void ProgramWriter::run_portion(const LoopText& loop, bool continues, long microseconds) {
  timed_call("dopl_", microseconds, "LoopRef=" + loop.reference + ";\n",
             std::string("DoPL=") + (continues ? "1" : "0") + ";\n" +
                 (random_.once_in(12) ? portion(loop) : ""));
}

std::string ProgramWriter::portion(const LoopText& loop) {
  Longs lower, upper;
  for (std::size_t d = 0; d < loop.first.size(); ++d) {
    const long most = std::max(0L, (loop.last[d] - loop.first[d]) / loop.step[d]);
    const long from = random_.up_to(most);
    lower.push_back(loop.first[d] + from * loop.step[d]);
    upper.push_back(loop.first[d] + random_.between(from, most) * loop.step[d]);
  }
  return list("Lower", lower) + list("Upper", upper) + list("Step", loop.step);
}

void ProgramWriter::loop() {
  const auto rank = static_cast<std::size_t>(random_.between(1, 3));
  const std::string name = create_loop(rank);
  const bool over_template = random_.once_in(5);
  const std::size_t pattern =
      over_template
          ? static_cast<std::size_t>(random_.up_to(static_cast<long>(templates_.size()) - 1))
          : any_array();
  const LoopText mapped = map_loop(name, rank, over_template, pattern, false);
  if (random_.once_in(3)) {
    remote_buffer(name, rank);
  }
  if (random_.once_in(2)) {
    run_portion(mapped, true, random_.up_to(3));
  }
  run_portion(mapped, false, random_.up_to(30000));
  call("endpl_", "LoopRef=" + name + ";\n");
}

void ProgramWriter::pipelined_loop() {
  std::vector<std::size_t> aligned;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (arrays_[i].aligned) {
      aligned.push_back(i);
    }
  }
  if (aligned.empty()) {
    return;
  }
  const std::size_t array = random_.one_of(aligned);
  const std::size_t rank = arrays_[array].extents.size();
  const std::string name = create_loop(rank);
  std::vector<std::size_t> group{array};
  if (random_.once_in(4)) {
    group.push_back(random_.one_of(aligned));
  }
  const std::string fresh = shadow_group(group, false);
  const std::string old = random_.once_in(2) ? shadow_group(group, random_.once_in(2)) : "0";
  const LoopText mapped = map_loop(name, rank, false, array, !random_.once_in(4));
  call("across_", "AcrossType=0; OldShadowGroupRef=" + old + "; NewShadowGroupRef=" + fresh +
                      "; PipeLinePar=0.0;\n");
  const long before = random_.up_to(2);
  for (long i = 0; i < before; ++i) {
    timed_call("dopl_", random_.up_to(3), "LoopRef=" + name + ";\n", "DoPL=1;\n");
  }
  const std::vector<long> scales{10, 1000, 100000};
  timed_call("dopl_", random_.up_to(random_.one_of(scales)), "LoopRef=" + name + ";\n",
             "DoPL=0;\n");
  call("endpl_", "LoopRef=" + name + ";\n");
}

void ProgramWriter::loop_in_portions() {
  const std::size_t array = any_array();
  const std::size_t rank = arrays_[array].extents.size();
  const bool sends = random_.once_in(2);
  const bool receives = !sends || random_.once_in(2);
  const std::string sent = sends ? shadow_group({array}, random_.once_in(2)) : "";
  const std::string received = receives ? shadow_group({array}, random_.once_in(2)) : "";
  if (receives) {
    call("strtsh_", "ShadowGroupRef=" + received + ";\n");
  }
  const std::string name = create_loop(rank);
  if (sends) {
    call("exfrst_", "LoopRef=" + name + "; ShadowGroupRef=" + sent + ";\n");
  }
  if (receives) {
    call("imlast_", "LoopRef=" + name + "; ShadowGroupRef=" + received + ";\n");
  }
  const LoopText mapped = map_loop(name, rank, false, array, random_.once_in(2));
  const std::vector<long> counts{0, 1, 2, 4, 5};
  const long count = random_.one_of(counts);
  for (long i = 0; i < count; ++i) {
    timed_call("dopl_", random_.up_to(3000), "LoopRef=" + name + ";\n",
               i + 1 < count ? "DoPL=1;\n" : "DoPL=0;\n");
  }
  call("endpl_", "LoopRef=" + name + ";\n");
  if (sends) {
    waits_.emplace_back("waitsh_", "ShadowGroupRef=" + sent + ";\n");
  }
}

void ProgramWriter::remote_buffer(const std::string& loop, std::size_t rank) {
  const std::size_t array = any_array();
  Longs axes, coefficients, constants;
  for (const long extent : arrays_[array].extents) {
    const long choice = random_.up_to(3);
    axes.push_back(choice == 0   ? -1
                   : choice == 1 ? 0
                                 : random_.between(1, static_cast<long>(rank)));
    coefficients.push_back(axes.back() > 0 ? random_.between(-1, 2) : 0);
    constants.push_back(random_.up_to(extent - 1));
  }
  // A dimension of the loop stands in one dimension of the buffer at most.
  std::vector<bool> used(rank + 1, false);
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (axes[d] > 0 && coefficients[d] != 0 && used[static_cast<std::size_t>(axes[d])]) {
      coefficients[d] = 0;
    } else if (axes[d] > 0 && coefficients[d] != 0) {
      used[static_cast<std::size_t>(axes[d])] = true;
    }
  }
  const std::string header = reference();
  const std::string handle = reference();
  call("crtrbl_",
       "RemArrayHeader=" + arrays_[array].header + "; RemArrayHandlePtr=" + arrays_[array].handle +
           "; BufferHeader=" + header + "; StaticSign=1; LoopRef=" + loop + ";\n" +
           list("AxisArray", axes) + list("CoeffArray", coefficients) +
           list("ConstArray", constants),
       "BufferHandlePtr=" + handle + "; IsLocal=1\n");
  const std::string names = "BufferHeader=" + header + "; BufferHandlePtr=" + handle + ";";
  if (random_.once_in(2)) {
    buffers_.push_back(names);
    return;
  }
  call("loadrb_", names + " RenewSign=0;\n");
  if (random_.once_in(4)) {
    waits_.emplace_back("waitrb_", names + "\n");
  } else {
    call("waitrb_", names + "\n");
  }
}

}  // namespace gridcast::checker
