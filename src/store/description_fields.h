#pragma once
/// The fields of a RunDescription: written, read and listed in one place.

#include <array>
#include <cstdint>
#include <string>

#include "gridcast/store/description.h"

namespace gridcast::store {

struct TextField {
  const char* name;  ///< of the attribute
  std::string RunDescription::*member;
  std::uint32_t since = 1;  ///< first layout of stores that has it
};
inline constexpr std::array text_fields{
    TextField{"gridcast_version", &RunDescription::gridcast_version},
    TextField{"model_version", &RunDescription::model_version},
    TextField{"command_line", &RunDescription::command_line},
    TextField{"objective", &RunDescription::objective},
    TextField{"options", &RunDescription::options},
    TextField{"machine", &RunDescription::machine},
    TextField{"machine_name", &RunDescription::machine_name},
    TextField{"trace_sha256", &RunDescription::trace_sha256},
    TextField{"assumed", &RunDescription::assumed, 2},
};

struct NumberField {
  const char* name;
  std::int64_t RunDescription::*member;
};
inline constexpr std::array number_fields{
    NumberField{"mode", &RunDescription::mode},
    NumberField{"candidates", &RunDescription::candidates},
    NumberField{"not_bad", &RunDescription::not_bad},
};

}  // namespace gridcast::store
