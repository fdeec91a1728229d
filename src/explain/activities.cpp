#include "activities.h"

#include <array>

namespace gridcast::model {

Activity activity_of(const Op& op) noexcept {
  constexpr std::array<Activity, operation_count> communications{
      Activity::io, Activity::reduction, Activity::shadow, Activity::remote_access,
      Activity::redistribution};
  switch (op.kind) {
    case Op::Kind::work:
      return Activity::computation;
    case Op::Kind::share:
    case Op::Kind::block_work:
      return Activity::loop;
    case Op::Kind::pipeline:
      return Activity::sweep;
    case Op::Kind::io_work:
      return Activity::io;
    case Op::Kind::copied:
      return Activity::library;
    case Op::Kind::synchronize:
      if (op.operation == Operation::shadow) {
        return Activity::sweep;  // across_: nothing else synchronises without a transfer
      }
      [[fallthrough]];
    default:
      return communications[static_cast<std::size_t>(op.operation)];
  }
}

}  // namespace gridcast::model
