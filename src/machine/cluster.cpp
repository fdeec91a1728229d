#include "gridcast/machine/cluster.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "cluster_build.h"
#include "gridcast/base/error.h"
#include "par_description.h"
#include "par_tokens.h"

namespace gridcast::machine {
namespace {

// A file of megabytes is some other file given by mistake.
constexpr std::size_t max_file_bytes = std::size_t{4} << 20;

std::string contents(const std::filesystem::path& path) {
  const std::string file = path.string();
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) {
    throw InputError(file, 0, "is a directory", "expected a machine file (.par)");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw InputError(file, 0, "cannot be opened", "expected a readable machine file (.par)");
  }
  std::string result(max_file_bytes + 1, '\0');
  stream.read(result.data(), static_cast<std::streamsize>(result.size()));
  if (stream.bad()) {
    throw InputError(file, 0, "cannot be read", "expected a readable machine file (.par)");
  }
  result.resize(static_cast<std::size_t>(stream.gcount()));
  if (result.size() > max_file_bytes) {
    throw InputError(file, 0, "is too large for a machine file", "expected at most 4 MiB");
  }
  return result;
}

}  // namespace

const Segment& Network::segment_of(double bytes) const noexcept {
  const auto after = std::upper_bound(
      segments.begin() + 1, segments.end(), bytes,
      [](double length, const Segment& each) { return length < static_cast<double>(each.bytes); });
  return *(after - 1);
}

std::vector<std::pair<std::string, double>> named_costs(const Network& network) {
  std::vector<std::pair<std::string, double>> named;
  const auto add = [&](const std::string& segment, double start_time, double byte_time) {
    named.emplace_back(segment + "TStart", start_time);
    named.emplace_back(segment + "TByte", byte_time);
  };
  if (network.segments.empty()) {
    add("", network.start_time, network.byte_time);
  }
  for (const Segment& each : network.segments) {
    add("Segments." + std::to_string(each.bytes) + ".", each.start_time, each.byte_time);
  }
  if (network.type == NetworkType::ports) {
    named.emplace_back("TSend", network.send_time);
    named.emplace_back("TRecv", network.receive_time);
    named.emplace_back("TGap", network.gap);
  }
  return named;
}

Cluster Cluster::read(const std::filesystem::path& path) {
  return parse(contents(path), path.string());
}

Cluster Cluster::parse(std::string_view text, const std::string& name) {
  const par::Description description = par::describe(text, name);
  par::Built built = par::build(description, name);
  Cluster result;
  result.nodes_ = std::move(built.nodes);
  result.root_ = built.root;
  result.search_mode_ = description.search_mode;
  result.topology_ = description.topology;
  const par::Definition& top = description.definitions[built.root];
  result.library_ = par::library_costs(top);
  result.allreduce_ = top.allreduce;
  result.text_ = par::canonical_text(description);
  result.file_ = name;
  return result;
}

void Cluster::set(std::string_view assignment) {
  try {
    const auto statements = par::statements(std::string(assignment) + "\n;", {});
    if (statements.size() != 1) {
      throw InputError("one assignment is possible at a time", "expected NAME.ATTRIBUTE=VALUE");
    }
    par::Description description = par::describe(text_, {});
    par::apply(description, statements.front());
    // Through the text, so that text() and the cluster cannot disagree.
    Cluster changed = parse(par::canonical_text(description), {});
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      changed.nodes_[i].line = nodes_[i].line;
    }
    changed.file_ = file_;
    *this = std::move(changed);
  } catch (const InputError& error) {
    throw InputError("setting " + par::in_quotes(assignment) + ": " + error.problem(),
                     error.remedy());
  }
}

Cluster Cluster::with_threads(std::int32_t threads) const {
  if (threads == 1) {
    return *this;
  }
  par::Description description = par::describe(text_, file_);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    description.definitions[i].line = nodes_[i].line;  // of the file, not of the text
  }
  return parse(par::canonical_text(par::with_threads(description, threads, file_)), file_);
}

const std::string& Cluster::name() const noexcept { return nodes_[root_].name; }

}  // namespace gridcast::machine
