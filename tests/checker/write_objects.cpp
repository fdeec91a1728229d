// Processor systems, tasks, templates, arrays.

#include <algorithm>

#include "program_writer.h"

namespace gridcast::checker {

Longs ProgramWriter::extents(std::size_t rank) {
  const long most = scale_ * (rank == 1 ? 14 : rank == 2 ? 8 : 4);
  Longs result;
  for (std::size_t d = 0; d < rank; ++d) {
    result.push_back(random_.between(1, most));
  }
  return result;
}

void ProgramWriter::systems() {
  const std::string root = reference();
  call("getps_", "AMRefPtr=NULL; AMRef=0;\n", "PSRef=" + root + ";\n");
  systems_.push_back(root);
  std::string parent = root;
  Longs shape = traced_;
  if (random_.once_in(3)) {
    long product = 1;
    for (const long extent : traced_) {
      product *= extent;
    }
    const std::vector<Longs> views{{product}, {product, 1}, {1, product}, traced_};
    shape = random_.one_of(views);
    if (product % 2 == 0 && random_.once_in(2)) {
      shape = {2, product / 2};
    }
    parent = reference();
    call("psview_",
         "PSRef=" + root + "; Rank=" + std::to_string(shape.size()) + "; StaticSign=1;\n" +
             list("SizeArray", shape),
         "PSRef=" + parent + ";\n");
    systems_.push_back(parent);
  }
  if (!random_.once_in(2)) {
    return;
  }
  const std::string machine = reference();
  tasks_ = reference();
  call("getam_", "", "AMRef=" + machine + ";\n");
  const long tasks = random_.between(1, 3);
  call("crtamv_", "AMRef=" + machine + "; Rank=1; StaticSign=1;\n" + list("SizeArray", {tasks}),
       "AMViewRef=" + tasks_ + ";\n");
  for (long i = 0; i < tasks; ++i) {
    Longs first, last;
    for (const long extent : shape) {
      first.push_back(random_.up_to(extent - 1));
      last.push_back(random_.between(first.back(), extent - 1));
    }
    systems_.push_back(reference());
    system_of_machine_.push_back(systems_.back());
    call("crtps_",
         "PSRef=" + parent + "; StaticSign=1;\n" + list("InitIndexArray", first) +
             list("LastIndexArray", last),
         "PSRef=" + systems_.back() + ";\n");
    machines_.push_back(reference());
    call("getamr_", "AMViewRef=" + tasks_ + ";\nIndexArray[0]=" + std::to_string(i) + ";\n",
         "AMRef=" + machines_.back() + ";\n");
    call("mapam_", "AMRef=" + machines_.back() + "; PSRef=" + systems_.back() + ";\n");
  }
}

void ProgramWriter::task() {
  if (machines_.empty() || depth_ > 3) {
    return;
  }
  const auto i = static_cast<std::size_t>(random_.up_to(static_cast<long>(machines_.size()) - 1));
  if (random_.once_in(2)) {
    call("getamr_", "AMViewRef=" + tasks_ + ";\nIndexArray[0]=" + std::to_string(i) + ";\n",
         "AMRef=" + machines_[i] + ";\n");
  }
  if (random_.once_in(10)) {
    call("runam_", "AMRef=" + machines_[i] + ";\n", "Run=0;\n");
    return;
  }
  call("runam_", "AMRef=" + machines_[i] + ";\n", "Run=1;\n");
  ++depth_;
  if (random_.once_in(3) && templates_.size() < 5) {
    add_template(system_of_machine_[i]);
    add_array();
  }
  statements(random_.between(1, 4));
  --depth_;
  call("stopam_");
}

void ProgramWriter::add_template(const std::string& system) {
  TemplateText made;
  made.reference = reference();
  made.extents = extents(static_cast<std::size_t>(random_.between(1, 3)));
  std::string periodic;
  if (random_.once_in(3)) {
    Longs flags;
    for (std::size_t d = 0; d < made.extents.size(); ++d) {
      flags.push_back(random_.up_to(1));
    }
    periodic = list("PeriodicArray", flags);
  }
  call("crtamv_",
       "AMRef=0; Rank=" + std::to_string(made.extents.size()) + "; StaticSign=1;\n" +
           list("SizeArray", made.extents) + periodic,
       "AMViewRef=" + made.reference + ";\n");
  if (random_.once_in(3)) {
    weigh(made);
  }
  if (random_.once_in(4)) {
    Longs divisors;
    for (std::size_t d = 0; d < made.extents.size(); ++d) {
      divisors.push_back(random_.between(1, 3));
    }
    call("blkdiv_", "AMViewRef=" + made.reference + "; AMVAxisCount=" +
                        std::to_string(divisors.size()) + "\n" + list("AMVAxisDiv", divisors));
  }
  distribute(random_.once_in(8) ? "redis_" : "distr_", made, system, "NewSign=0;");
  templates_.push_back(made);
}

void ProgramWriter::weigh(const TemplateText& target) {
  const long dimensions = random_.between(1, 2);
  std::string text = "PSRef=0; AMViewRef=" + target.reference + ";\n";
  const bool lengths = random_.once_in(2);
  text += lengths ? "AxisCount=1; DoubleSign=0\n" : "AddrNumber=1;\n";
  for (long d = 0; d < dimensions; ++d) {
    if (lengths) {
      // Blocks of the recorded run; they add up to the extent of the dimension that they cut.
      long left = target.extents[std::min(static_cast<std::size_t>(d), target.extents.size() - 1)];
      const long blocks = random_.between(1, 4);
      for (long i = 0; i < blocks; ++i) {
        const long own = i + 1 == blocks ? left : random_.up_to(left);
        left -= own;
        text += "AxisWeightAddr[" + std::to_string(d) + "][" + std::to_string(i) +
                "] = " + std::to_string(own) + "\n";
      }
      continue;
    }
    const long count = random_.up_to(6);
    text += "WeightNumber[" + std::to_string(d) + "] = " + std::to_string(count) + ";\n";
    for (long i = 0; i < count; ++i) {
      text += "  LoadWeight[" + std::to_string(i) + "] = " + std::to_string(random_.between(1, 9)) +
              ".00;\n";
    }
  }
  call(lengths ? "genblk_" : "setelw_", text);
}

void ProgramWriter::distribute(const std::string& call_name, TemplateText& target,
                               const std::string& system, const std::string& more) {
  Longs axes;
  for (std::size_t i = 1; i <= target.extents.size(); ++i) {
    axes.push_back(static_cast<long>(i));
  }
  const long zeros = random_.up_to(2);
  for (long i = 0; i < zeros; ++i) {
    axes.push_back(0);
  }
  if (random_.once_in(2)) {
    random_.shuffle(axes);
  }
  axes.resize(random_.once_in(4) ? 1 : std::min(axes.size(), std::size_t{4}));
  call(call_name,
       "AMViewRef=" + target.reference + "; PSRef=" + system +
           "; ParamCount=" + std::to_string(axes.size()) + "; " + more + "\n" +
           list("AxisArray", axes) + list("DistrParamArray", Longs(axes.size(), 0)),
       "IsLocal=1;\n");
  target.system = system;
}

RuleText ProgramWriter::rule(const Longs& over, const Longs& extents) {
  RuleText made;
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    dims.push_back(d);
  }
  if (random_.once_in(2)) {
    random_.shuffle(dims);
  }
  std::reverse(dims.begin(), dims.end());
  for (const long extent : over) {
    long axis = -1, coefficient = 0, constant = 0;
    const long choice = random_.up_to(7);
    if (choice == 0) {
      axis = 0;
      constant = random_.up_to(extent - 1);
    } else if (choice > 1 && !dims.empty()) {
      const std::size_t dim = dims.back();
      const long most = extents[dim] - 1;
      const long largest = most == 0 ? 3 : (extent - 1) / most;
      if (largest > 0) {
        dims.pop_back();
        axis = static_cast<long>(dim) + 1;
        coefficient = random_.once_in(3) ? random_.between(1, std::min(largest, 3L)) : 1;
        constant = random_.up_to(std::max(extent - 1 - coefficient * most, 0L));
        if (random_.once_in(4)) {
          constant += coefficient * most;
          coefficient = -coefficient;
        }
        constant = std::min(constant, extent - 1);
      }
    }
    made.axes.push_back(axis);
    made.coefficients.push_back(coefficient);
    made.constants.push_back(constant);
  }
  return made;
}

void ProgramWriter::add_array() {
  ArrayText made;
  made.header = reference();
  made.handle = reference();
  const TemplateText& near = random_.one_of(templates_);
  made.extents =
      random_.once_in(3) ? extents(static_cast<std::size_t>(random_.between(1, 3))) : near.extents;
  Longs low, high;
  for (std::size_t d = 0; d < made.extents.size(); ++d) {
    low.push_back(random_.up_to(2));
    high.push_back(random_.up_to(2));
  }
  const std::vector<long> sizes{4, 8, 1, 16, 100, -1, -2, -6};
  call("crtda_",
       "ArrayHeader=" + made.header + "; Rank=" + std::to_string(made.extents.size()) +
           "; TypeSize=" + std::to_string(random_.one_of(sizes)) + "; StaticSign=1;\n" +
           list("SizeArray", made.extents) + list("LowShdWidthArray", low) +
           list("HiShdWidthArray", high),
       "ArrayHandlePtr=" + made.handle + ";\n");
  arrays_.push_back(made);
  if (!random_.once_in(12)) {
    align(random_.once_in(8) ? "realn_" : "align_", arrays_.size() - 1, "NewSign=0;");
  }
}

std::string ProgramWriter::names_of(std::size_t array) const {
  return "ArrayHeader=" + arrays_[array].header + "; ArrayHandlePtr=" + arrays_[array].handle +
         "; ";
}

bool ProgramWriter::align(const std::string& call_name, std::size_t array,
                          const std::string& more) {
  ArrayText& own = arrays_[array];
  std::vector<std::size_t> patterns;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (i != array && arrays_[i].aligned) {
      patterns.push_back(i);
    }
  }
  const bool over_array = !patterns.empty() && random_.once_in(2);
  const std::size_t chosen = over_array ? random_.one_of(patterns) : 0;
  const TemplateText& target = random_.one_of(templates_);
  const Longs& over = over_array ? arrays_[chosen].extents : target.extents;
  RuleText lists = rule(over, own.extents);
  if (over == own.extents && random_.once_in(2)) {
    for (std::size_t d = 0; d < over.size(); ++d) {
      lists.axes[d] = static_cast<long>(d) + 1;
      lists.coefficients[d] = 1;
      lists.constants[d] = 0;
    }
  }
  call(
      call_name,
      names_of(array) + "PatternRefPtr=1; PatternRef=" +
          (over_array ? arrays_[chosen].handle + " (DisArray);" : target.reference + " (AMView);") +
          " " + more + "\n" + list("AxisArray", lists.axes) +
          list("CoeffArray", lists.coefficients) + list("ConstArray", lists.constants),
      "IsLocal=1\n");
  own.aligned = true;
  own.over = over_array ? arrays_[chosen].over : target.reference;
  return true;
}

void ProgramWriter::redistribute() {
  auto& target =
      templates_[static_cast<std::size_t>(random_.up_to(static_cast<long>(templates_.size()) - 1))];
  if (random_.once_in(4)) {
    weigh(target);
  }
  distribute("redis_", target, random_.once_in(2) ? random_.one_of(systems_) : "0",
             random_.once_in(5) ? "NewSign=1;" : "NewSign=0;");
}

void ProgramWriter::realign() {
  align("realn_", any_array(), random_.once_in(5) ? "NewSign=1;" : "NewSign=0;");
}

}  // namespace gridcast::checker
