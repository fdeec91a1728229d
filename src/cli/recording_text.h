#pragma once
/// A recorded run for people and as JSON.

#include <iosfwd>
#include <string>

#include "gridcast/record/recording.h"

namespace gridcast::cli {

/// Per rank: communicators, then a line per operation and site. `verified`: the program made the
/// grid itself.
[[nodiscard]] std::string recording_text(const record::Recording& recording, bool verified);

/// The same as gridcast.recording/1 (docs/schemas/recording.json).
void write_recording(std::ostream& out, const record::Recording& recording, bool verified);

/// One line about a run that was just recorded; warnings of its ranks are logged. Throws InputError
/// if it is not what its manifest says.
[[nodiscard]] std::string check_recorded(const record::Recording& recording);

}  // namespace gridcast::cli
