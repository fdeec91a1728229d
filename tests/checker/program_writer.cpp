#include "program_writer.h"

#include <cstdio>

namespace gridcast::checker {

void ProgramWriter::program() {
  begin();
  systems();
  const long templates = random_.between(1, 3);
  for (long i = 0; i < templates; ++i) {
    add_template(random_.one_of(systems_));
  }
  const long arrays = random_.between(1, 4);
  for (long i = 0; i < arrays; ++i) {
    add_array();
  }
  statements(random_.between(2, 12));
  finish();
}

void ProgramWriter::begin() {
  const std::vector<Longs> shapes{{1}, {1, 1}, {1, 1, 1, 1}, {4}, {2, 2}, {3}, {2, 3}, {6}};
  traced_ = random_.one_of(shapes);
  std::string extents;
  long product = 1;
  for (const long extent : traced_) {
    extents += " " + std::to_string(extent);
    product *= extent;
  }
  preamble_ = "RTS VERSION = 2889\n ProcCount=1;      PSRank=1;      PSSize= 1;\n";
  preamble_ += product == 1 ? "VProcCount=0;\n"
                            : "VProcCount=" + std::to_string(product) +
                                  ";\n VPSRank=" + std::to_string(traced_.size()) +
                                  ";  VPSSize=" + extents + ";\n";
  if (product == 1) {
    preamble_ = "RTS VERSION = 2889\n ProcCount=1; PSRank=" + std::to_string(traced_.size()) +
                "; PSSize=" + extents + ";\nVProcCount=0;\n";
  }
  preamble_ +=
      "call_mps_Barrier TIME=0.5 LINE=16 FILE=main.cdv\nret_mps_Barrier TIME=0.25 LINE=16 "
      "FILE=main.cdv\nret_dvm_Init TIME=0.125 LINE=16 FILE=main.cdv\n";
}

void ProgramWriter::finish() {
  while (!waits_.empty()) {
    pending();
  }
  calls_.emplace_back("Event_dvm_exit TIME=8.0 LINE=99 FILE=main.cdv\n");
}

std::string ProgramWriter::reference() {
  char text[24];
  std::snprintf(text, sizeof text, "%lx", static_cast<unsigned long>(next_reference_ += 16));
  return text;
}

std::string ProgramWriter::list(const std::string& name, const Longs& values) const {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += name + "[" + std::to_string(i) + "]=" + std::to_string(values[i]) + "; ";
  }
  return text + "\n";
}

void ProgramWriter::call(const std::string& name, const std::string& in, const std::string& out) {
  const std::vector<long> scales{0, 3, 30, 300, 3000};
  timed_call(name, random_.up_to(random_.one_of(scales)), in, out);
}

void ProgramWriter::timed_call(const std::string& name, long microseconds, const std::string& in,
                               const std::string& out) {
  const std::vector<long> scales{0, 30, 300, 3000};
  const auto event = [&](const std::string& kind, const std::string& of, double micros) {
    char text[160];
    const double time = random_.once_in(12) ? 0.0 : micros * 1e-6;
    std::snprintf(text, sizeof text, "%s_%s TIME=%.9f LINE=%ld FILE=a.cdv\n", kind.c_str(),
                  of.c_str(), time, line_);
    return std::string(text);
  };
  const auto random_time = [&] {
    return static_cast<double>(random_.up_to(random_.one_of(scales))) +
           static_cast<double>(random_.up_to(999)) * 1e-3;
  };
  std::string text =
      event("call", name,
            static_cast<double>(microseconds) + static_cast<double>(random_.up_to(99)) * 1e-2);
  text += in;
  if (random_.once_in(40)) {
    text += event("call", "mps_Bcast", random_time()) + event("ret", "mps_Bcast", random_time());
  }
  text += event("ret", name, random_time()) + out;
  if (random_.once_in(60)) {
    text += "Event_something TIME=1.0 LINE=3 FILE=a.cdv\n";
  }
  calls_.push_back(text);
}

void ProgramWriter::statements(long count) {
  for (long i = 0; i < count; ++i) {
    line_ = random_.between(1, 400);
    statement();
  }
}

void ProgramWriter::statement() {
  switch (random_.up_to(24)) {
    case 0:
      call(random_.once_in(2) ? "bsynch_" : "getlen_");
      break;
    case 1:
      interval();
      break;
    case 2:
      input_output();
      break;
    case 3:
      io_statement();
      break;
    case 4:
    case 5:
    case 6:
      loop();
      break;
    case 7:
    case 8:
    case 9:
      pipelined_loop();
      break;
    case 10:
      loop_in_portions();
      break;
    case 11:
    case 12:
      reduction();
      break;
    case 13:
    case 14:
      shadow();
      break;
    case 15:
      copy();
      break;
    case 16:
      point_buffer();
      break;
    case 17:
      buffer_group();
      break;
    case 18:
      redistribute();
      break;
    case 19:
      realign();
      break;
    case 20:
    case 21:
      task();
      break;
    case 22:
      element();
      break;
    case 23:
      delete_array();
      break;
    default:
      pending();
  }
}

void ProgramWriter::interval() {
  if (depth_ > 3) {
    return;
  }
  const std::vector<std::string> kinds{"binter_", "bsloop_", "bploop_"};
  const std::string kind = random_.one_of(kinds);
  const long line = random_.between(1, 5);
  const std::string index = random_.once_in(2) ? "2000000000" : std::to_string(random_.up_to(3));
  const long times = random_.between(1, 2);
  ++depth_;
  for (long i = 0; i < times; ++i) {
    line_ = line;
    call(kind, "nline=" + std::to_string(line) + "; index=" + index + ";\n");
    statements(random_.between(1, 3));
    call(kind == "binter_" ? "einter_" : "enloop_", "nline=1;\n");
  }
  --depth_;
}

void ProgramWriter::input_output() {
  switch (random_.up_to(3)) {
    case 0:
      call("dvm_void_printf");
      break;
    case 1:
      call("dvm_fopen");
      break;
    case 2:
      call("dvm_fread", "Size=8; Count=" + std::to_string(random_.between(1, 90)) + ";\n",
           "Res=" + std::to_string(random_.up_to(80)) + ";\n");
      break;
    default:
      call("srmem_",
           "MemoryCount=2;\n" + list("LengthArray", {random_.between(1, 100), random_.up_to(500)}));
  }
}

void ProgramWriter::io_statement() {
  call("biof_");
  const long inside = random_.up_to(2);
  for (long i = 0; i < inside; ++i) {
    call(random_.once_in(2) ? "bsynch_" : "getlen_");
  }
  if (random_.once_in(3)) {
    reduction();
  }
  call("eiof_");
}

void ProgramWriter::pending() {
  if (waits_.empty()) {
    return;
  }
  const auto chosen = static_cast<std::size_t>(random_.up_to(static_cast<long>(waits_.size()) - 1));
  const auto wait = waits_[chosen];
  waits_.erase(waits_.begin() + static_cast<std::ptrdiff_t>(chosen));
  call(wait.first, wait.second);
}

}  // namespace gridcast::checker
