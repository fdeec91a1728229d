#pragma once
/// From the parameters of a call to its value (parameters: docs/functions.md, "Parameters";
/// [Predictor2010 app. 5]). One decoder per function of the run-time library; it also keeps the
/// table of objects up to date.

#include <cstddef>

#include "arguments.h"
#include "gridcast/trace/calls.h"
#include "objects.h"

namespace gridcast::trace {

/// What a decoder works with.
struct Decoding {
  const Arguments& call;    ///< lines after call_
  const Arguments& result;  ///< lines after ret_
  Objects& objects;
  std::size_t& missing_weights;  ///< setelw_ and genblk_ without their lists
  /// What reading puts up with is an InputError: the use of what was deleted, a handle or header
  /// that names nothing beside one that does. A step of 0 stays one.
  bool checks = false;

  [[nodiscard]] const CallPlace& place() const noexcept { return call.place(); }

  /// The object that the parameter of the call names; no_object for 0 or an unknown reference.
  [[nodiscard]] Slot find(Kind kind, const ParameterName& name) const;
  /// The same, but an unknown reference is an InputError (0 too).
  [[nodiscard]] Slot need(Kind kind, const ParameterName& name) const;
  /// By handle or, where the trace leaves it out or it is unknown, by header.
  [[nodiscard]] Slot find(Kind kind, const ParameterName& handle,
                          const ParameterName& header) const;
  [[nodiscard]] Slot need(Kind kind, const ParameterName& handle,
                          const ParameterName& header) const;

  /// With `checks`: throws InputError if the parameter names something that was deleted.
  void refuse_deleted(const ParameterName& name) const;

  /// Throws InputError: the parameter names no object of this kind.
  [[noreturn]] void refuse_unknown(Kind kind, const ParameterName& name) const;

  /// An object under the reference that the call returned. InputError if that is missing or 0.
  [[nodiscard]] Slot create(Kind kind, const ParameterName& name) const;

  /// True if the object outlives the block of the program (StaticSign; absent: it does).
  [[nodiscard]] bool fixed() const;
};

/// A decoder: the value of one call.
using Decoder = Call (*)(Decoding&);

namespace decode {

// decode_systems.cpp
Call create_system(Decoding& d);
Call reshape_system(Decoding& d);
Call get_system(Decoding& d);
Call delete_system(Decoding& d);
Call get_machine(Decoding& d);
Call get_machine_element(Decoding& d);
Call map_machine(Decoding& d);
Call run_task(Decoding& d);
Call stop_task(Decoding& d);
Call delete_object(Decoding& d);
Call begin_block(Decoding& d);
Call end_block(Decoding& d);

// decode_arrays.cpp
Call create_template(Decoding& d);
Call delete_template(Decoding& d);
Call divide_blocks(Decoding& d);
Call set_weights(Decoding& d);
Call set_block_lengths(Decoding& d);
Call distribute(Decoding& d);
Call redistribute(Decoding& d);
Call get_template(Decoding& d);
Call create_array(Decoding& d);
Call create_replicated_array(Decoding& d);
Call delete_array(Decoding& d);
Call align(Decoding& d);
Call realign(Decoding& d);

// decode_copies.cpp
Call copy_arrays(Decoding& d);
Call start_copy(Decoding& d);
Call wait_copy(Decoding& d);
Call access_element(Decoding& d);
Call create_remote_buffer(Decoding& d);
Call create_point_buffer(Decoding& d);
Call load_buffer(Decoding& d);
Call wait_buffer(Decoding& d);
Call create_buffer_group(Decoding& d);
Call insert_buffer(Decoding& d);
Call load_buffer_group(Decoding& d);
Call wait_buffer_group(Decoding& d);

// decode_loops.cpp
Call create_loop(Decoding& d);
Call map_loop(Decoding& d);
Call run_loop(Decoding& d);
Call end_loop(Decoding& d);
Call across(Decoding& d);
Call create_reduction_group(Decoding& d);
Call create_reduction(Decoding& d);
Call insert_reduction(Decoding& d);
Call delete_reduction(Decoding& d);
Call delete_reduction_group(Decoding& d);
Call start_reduction(Decoding& d);
Call wait_reduction(Decoding& d);
Call export_first(Decoding& d);
Call import_last(Decoding& d);

// decode_shadows.cpp
Call create_shadow_group(Decoding& d);
Call insert_shadow(Decoding& d);
Call include_shadow(Decoding& d);
Call delete_shadow_group(Decoding& d);
Call start_shadow(Decoding& d);
Call wait_shadow(Decoding& d);
Call send_shadow(Decoding& d);
Call receive_shadow(Decoding& d);

// decode_statements.cpp
Call begin_user_interval(Decoding& d);
Call begin_sequential_interval(Decoding& d);
Call begin_parallel_interval(Decoding& d);
Call end_interval(Decoding& d);
Call input_output(Decoding& d);
Call output_without_result(Decoding& d);
Call read_bytes(Decoding& d);
Call share_memory(Decoding& d);
Call run_statement(Decoding& d);
Call begin_io_statement(Decoding& d);
Call end_io_statement(Decoding& d);

/// How dimensions are laid over others: AxisArray, CoeffArray, ConstArray, one entry each.
struct AxisLists {
  std::vector<std::int64_t> axes, coefficients, constants;
};

/// Numbers that an entry does not use are left unread and 0: coefficient and constant of a
/// replicated dimension (Axis < 0), the coefficient of a constant one (Axis 0).
[[nodiscard]] AxisLists axis_lists(const Decoding& d);

/// PatternRef, AxisArray, CoeffArray, ConstArray of align_, realn_ and mappl_.
[[nodiscard]] AlignmentRule alignment_rule(const Decoding& d);

/// Bytes of the types 1…6 of crtred_ (docs/model.md §2.15), nothing for other numbers.
[[nodiscard]] std::optional<std::int64_t> size_of_type(std::int64_t type);

}  // namespace decode
}  // namespace gridcast::trace
