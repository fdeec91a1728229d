#pragma once
/// A random program, written as the run-time library writes its traces.

#include <map>
#include <string>
#include <vector>

#include "random.h"

namespace gridcast::checker {

using Longs = std::vector<long>;

struct TemplateText {
  std::string reference;
  Longs extents;
  std::string system;  ///< on which it is distributed
  std::size_t axes = 1;
};

struct ArrayText {
  std::string header, handle;
  Longs extents;
  std::string over;  ///< template at the end of its alignments
  bool aligned = false;
};

/// Three lists of align_, realn_, mappl_.
struct RuleText {
  Longs axes, coefficients, constants;
};

struct LoopText {
  std::string reference;
  Longs first, last, step;
};

class ProgramWriter {
public:
  /// Arrays, loops and sections are so many times as long as usual.
  explicit ProgramWriter(Random& random, long scale = 1) : random_(random), scale_(scale) {}

  /// Writes a whole program.
  void program();

  [[nodiscard]] const std::string& preamble() const { return preamble_; }
  [[nodiscard]] const std::vector<std::string>& calls() const { return calls_; }

private:
  // program_writer.cpp
  void begin();
  void finish();
  void call(const std::string& name, const std::string& in = "", const std::string& out = "");
  void timed_call(const std::string& name, long microseconds, const std::string& in,
                  const std::string& out);
  std::string reference();
  std::string list(const std::string& name, const Longs& values) const;
  void statements(long count);
  void statement();
  void interval();
  void input_output();
  void io_statement();
  void pending();

  // write_objects.cpp
  void systems();
  void add_template(const std::string& system);
  void weigh(const TemplateText& target);
  void distribute(const std::string& call_name, TemplateText& target, const std::string& system,
                  const std::string& more);
  void add_array();
  bool align(const std::string& call_name, std::size_t array, const std::string& more);
  RuleText rule(const Longs& over, const Longs& extents);
  void redistribute();
  void realign();
  void task();
  Longs extents(std::size_t rank);

  // write_loops.cpp
  void loop();
  void pipelined_loop();
  void loop_in_portions();
  std::string create_loop(std::size_t rank);
  LoopText map_loop(const std::string& reference, std::size_t rank, bool over_template,
                    std::size_t pattern, bool identity);
  void remote_buffer(const std::string& loop, std::size_t rank);
  void run_portion(const LoopText& loop, bool continues, long microseconds);
  std::string portion(const LoopText& loop);

  // write_operations.cpp
  void reduction();
  std::string shadow_group(const std::vector<std::size_t>& arrays, bool corners);
  void shadow();
  void copy();
  void element();
  void delete_array();
  void point_buffer();
  void buffer_group();
  std::string section(const std::string& side, const Longs& extents, const Longs& counts);
  std::size_t any_array();
  std::string names_of(std::size_t array) const;

  Random& random_;
  long scale_;
  std::vector<std::string> calls_;
  std::string preamble_;
  Longs traced_;
  long next_reference_ = 0x1000;
  long line_ = 1;
  long depth_ = 0;
  std::vector<std::string> systems_;   ///< known references; the root first
  std::vector<std::string> machines_;  ///< tasks: abstract machines with a system
  std::vector<std::string> system_of_machine_;
  std::string tasks_;  ///< the template of the tasks
  std::vector<TemplateText> templates_;
  std::vector<ArrayText> arrays_;
  std::vector<std::string> reduction_groups_;
  std::vector<std::string> buffers_, buffer_groups_;
  std::vector<std::string> idle_shadow_groups_;
  /// Waits that are still to be written: function and parameters.
  std::vector<std::pair<std::string, std::string>> waits_;
};

}  // namespace gridcast::checker
