// Reductions, shadow edges, copies, remote access.

#include <algorithm>

#include "program_writer.h"

namespace gridcast::checker {

std::size_t ProgramWriter::any_array() {
  return static_cast<std::size_t>(random_.up_to(static_cast<long>(arrays_.size()) - 1));
}

void ProgramWriter::reduction() {
  if (reduction_groups_.empty() || random_.once_in(4)) {
    const std::string group = reference();
    call("crtrg_", "StaticSign=1; DelRedSign=0;\n", "RedGroupRef=" + group + ";\n");
    const long variables = random_.between(1, 2);
    for (long i = 0; i < variables; ++i) {
      const std::string variable = reference();
      call("crtred_",
           "RedFuncNumb=3; RedArrayType=" + std::to_string(random_.between(1, 6)) +
               "; RedArrayLength=" + std::to_string(random_.between(1, 20)) + "; LocElmLength=" +
               std::to_string(random_.up_to(1) * random_.up_to(12)) + "; StaticSign=1;\n",
           "RedRef=" + variable + ";\n");
      call("insred_", "RedGroupRef=" + group + "; RedRef=" + variable + ";\n");
    }
    reduction_groups_.push_back(group);
  }
  const std::string group = random_.one_of(reduction_groups_);
  const std::string parameters = "RedGroupRef=" + group + ";\n";
  for (const auto& [name, wait] : waits_) {
    if (wait == parameters) {
      return;  // on its way
    }
  }
  call("strtrd_", parameters);
  if (random_.once_in(3)) {
    waits_.emplace_back("waitrd_", parameters);
  } else {
    call("waitrd_", parameters);
  }
}

std::string ProgramWriter::shadow_group(const std::vector<std::size_t>& arrays, bool corners) {
  const std::string group = reference();
  call("crtshg_", "StaticSign=1;\n", "ShadowGroupRef=" + group + ";\n");
  for (const std::size_t array : arrays) {
    const std::size_t rank = arrays_[array].extents.size();
    Longs low, high, signs;
    for (std::size_t d = 0; d < rank; ++d) {
      low.push_back(random_.once_in(8) ? -1 : random_.up_to(2));
      high.push_back(random_.once_in(8) ? -1 : random_.up_to(2));
      signs.push_back(random_.one_of(std::vector<long>{7, 7, 3, 5, 1}));
    }
    // No draw of its own: what follows stays as it is.
    const bool part = (low.front() + 2 * high.front() + signs.front()) % 4 == 1;
    const std::string names =
        "ShadowGroupRef=" + group + "; " + names_of(array) + (part ? "EdgeTypeSize=3; " : "");
    const long choice = random_.up_to(3);
    if (choice == 0) {
      const auto ends = [&](const std::string& side, const Longs& width) {
        return list("Init" + side + "ShdIndex", Longs(rank, -1)) +
               list("Last" + side + "ShdIndex", width);
      };
      call("incsh_", names + "FullShdSign=" + (corners ? "1" : "0") + ";\n" +
                         list("InitDimIndex", Longs(rank, 0)) + ends("Low", low) +
                         ends("Hi", high));
    } else if (choice == 1) {
      call("insshd_", names + "MaxShdCount=" + std::to_string(corners ? random_.between(1, 3) : 1) +
                          ";\n" + list("LowShdWidthArray", low) + list("HiShdWidthArray", high) +
                          list("ShdSignArray", signs));
    } else {
      call("inssh_", names + "FullShdSign=" + (corners ? "1" : "0") + ";\n" +
                         list("LowShdWidthArray", low) + list("HiShdWidthArray", high));
    }
  }
  return group;
}

void ProgramWriter::shadow() {
  std::vector<std::size_t> arrays{any_array()};
  if (random_.once_in(3)) {
    arrays.push_back(any_array());
  }
  const std::string parameters =
      "ShadowGroupRef=" + shadow_group(arrays, random_.once_in(2)) + ";\n";
  const long times = random_.between(1, 2);
  for (long i = 0; i < times; ++i) {
    call(random_.once_in(6) ? (random_.once_in(3) ? "recvsh_" : "sendsh_") : "strtsh_", parameters);
    if (i + 1 == times && random_.once_in(3)) {
      waits_.emplace_back("waitsh_", parameters);
    } else {
      call("waitsh_", parameters);
    }
  }
}

std::string ProgramWriter::section(const std::string& side, const Longs& extents,
                                   const Longs& counts) {
  // The counts above 1 in order over some of the dimensions.
  Longs first, last, step;
  std::size_t next = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const std::size_t left = extents.size() - d;
    const bool takes = next < counts.size() && extents[d] >= counts[next] &&
                       (left <= counts.size() - next || !random_.once_in(4));
    if (!takes) {
      first.push_back(random_.up_to(extents[d] - 1));
      last.push_back(first.back());
      step.push_back(random_.up_to(1));
      continue;
    }
    const long count = counts[next++];
    const long stride =
        random_.between(1, std::max(1L, std::min(3L, (extents[d] - 1) / (count - 1))));
    const long room = extents[d] - 1 - stride * (count - 1);
    if (count == extents[d] && random_.once_in(2)) {
      first.push_back(-1);
      last.push_back(random_.once_in(2) ? -1 : extents[d] - 1);
      step.push_back(1);
      continue;
    }
    if (random_.once_in(6)) {  // downwards
      last.push_back(random_.up_to(room));
      first.push_back(last.back() + stride * (count - 1));
      step.push_back(-stride);
      continue;
    }
    first.push_back(random_.up_to(room));
    last.push_back(first.back() + stride * (count - 1) +
                   random_.up_to(std::min(stride - 1, room - first.back())));
    step.push_back(stride == 1 && random_.once_in(5) ? 0 : stride);
  }
  if (next < counts.size()) {
    return "";
  }
  return list(side + "InitIndexArray", first) + list(side + "LastIndexArray", last) +
         list(side + "StepArray", step);
}

void ProgramWriter::copy() {
  const std::size_t from = any_array();
  const std::size_t to = any_array();
  Longs counts;
  const auto rank =
      static_cast<long>(std::min(arrays_[from].extents.size(), arrays_[to].extents.size()));
  const long dimensions = random_.between(0, rank);
  for (long i = 0; i < dimensions; ++i) {
    counts.push_back(random_.between(2, 5 * scale_));
  }
  const bool buffer = random_.once_in(6);
  std::string read = section("From", arrays_[from].extents, counts);
  std::string written = section("To", arrays_[to].extents, counts);
  if (read.empty() || written.empty()) {
    return;
  }
  std::string names = "FromArrayHeader=" + arrays_[from].header +
                      "; FromArrayHandlePtr=" + arrays_[from].handle + "; ";
  std::string target =
      "ToArrayHeader=" + arrays_[to].header + "; ToArrayHandlePtr=" + arrays_[to].handle + "; ";
  if (buffer && random_.once_in(2)) {
    names = "FromBufferPtr=77; ";
    read.clear();
  } else if (buffer) {
    target = "ToBufferPtr=77; ";
    written.clear();
  }
  if (random_.once_in(2)) {
    call("arrcpy_", names + target + "CopyRegim=0;\n" + read + written);
    return;
  }
  const std::string flag = "CopyFlagPtr=" + reference() + ";\n";
  call("aarrcp_", names + target + "CopyRegim=0; " + flag + read + written);
  waits_.emplace_back("waitcp_", flag);
}

void ProgramWriter::element() {
  const std::size_t from = any_array();
  const std::size_t to = any_array();
  const auto index = [&](const std::string& name, std::size_t array) {
    Longs values;
    for (const long extent : arrays_[array].extents) {
      values.push_back(random_.up_to(extent - 1));
    }
    return list(name, values);
  };
  const std::string source = "FromArrayHeader=" + arrays_[from].header +
                             "; FromArrayHandlePtr=" + arrays_[from].handle + "; ";
  const std::string target =
      "ToArrayHeader=" + arrays_[to].header + "; ToArrayHandlePtr=" + arrays_[to].handle + "; ";
  switch (random_.up_to(2)) {
    case 0:
      call("rwelm_", source + "ToBufferPtr=77;\n" + index("IndexArray", from));
      break;
    case 1:
      call("rwelm_", "FromBufferPtr=77; " + target + "\n" + index("IndexArray", to));
      break;
    default:
      call(random_.once_in(2) ? "copelm_" : "elmcpy_",
           source + target + "\n" + index("FromIndexArray", from) + index("ToIndexArray", to));
  }
}

void ProgramWriter::delete_array() {
  if (arrays_.size() < 3) {
    return;
  }
  const std::size_t array = any_array();
  if (random_.once_in(2)) {
    call("delda_", names_of(array) + "\n");
  } else {
    call("delobj_", "ObjectRef=" + arrays_[array].handle + ";\n");
  }
  arrays_.erase(arrays_.begin() + static_cast<std::ptrdiff_t>(array));
  buffers_.clear();  // some may be of this array
}

void ProgramWriter::point_buffer() {
  const std::size_t array = any_array();
  Longs coordinates;
  for (const long extent : arrays_[array].extents) {
    coordinates.push_back(random_.once_in(2) ? -1 : random_.up_to(extent - 1));
  }
  const std::string header = reference();
  const std::string handle = reference();
  call("crtrbp_",
       "RemArrayHeader=" + arrays_[array].header + "; RemArrayHandlePtr=" + arrays_[array].handle +
           "; BufferHeader=" + header +
           "; StaticSign=1; PSRef=" + (random_.once_in(2) ? random_.one_of(systems_) : "0") +
           ";\n" + list("CoordArray", coordinates),
       "BufferHandlePtr=" + handle + "; IsLocal=1\n");
  const std::string names = "BufferHeader=" + header + "; BufferHandlePtr=" + handle + ";";
  if (random_.once_in(3)) {
    buffers_.push_back(names);
    return;
  }
  call("loadrb_", names + " RenewSign=0;\n");
  waits_.emplace_back("waitrb_", names + "\n");
}

void ProgramWriter::buffer_group() {
  if (buffers_.empty()) {
    return;
  }
  const std::string group = "RegularAccessGroupRef=" + reference() + ";\n";
  call("crtbg_", "StaticSign=1; DelBufSign=0;\n", group);
  for (const std::string& buffer : buffers_) {
    call("insrb_", buffer + " " + group);
  }
  if (random_.once_in(2)) {
    buffers_.clear();
  }
  call("loadbg_", "RenewSign=0; " + group);
  if (random_.once_in(2)) {
    call("waitbg_", group);
  } else {
    waits_.emplace_back("waitbg_", group);
  }
}

}  // namespace gridcast::checker
