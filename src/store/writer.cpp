#include "gridcast/store/writer.h"

#include <system_error>
#include <utility>

#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"
#include "gridcast/store/paths.h"
#include "setup_checks.h"
#include "writer_state.h"

namespace gridcast::store {
namespace {

StoreLock locked(const std::filesystem::path& path, const LockOptions& options) {
  require_directory(path);
  return StoreLock(path, options);
}

}  // namespace

StoreWriter::StoreWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
StoreWriter::StoreWriter(StoreWriter&&) noexcept = default;
StoreWriter& StoreWriter::operator=(StoreWriter&&) noexcept = default;
StoreWriter::~StoreWriter() = default;

StoreWriter StoreWriter::create(const std::filesystem::path& path, const StoreSetup& setup,
                                const WriterOptions& options) {
  require_extra_columns(setup.extra_columns);
  require_intervals(setup);
  const std::filesystem::path file = resolve_links(path);
  StoreLock lock = locked(file, options.lock);
  require_new(file);
  auto state = std::make_unique<State>(file, std::move(lock), options);
  state->start(setup);
  return StoreWriter(std::move(state));
}

StoreWriter StoreWriter::resume(const std::filesystem::path& path, const StoreSetup& setup,
                                FailedRows failed, const WriterOptions& options) {
  const std::filesystem::path file = resolve_links(path);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw InputError(path.string(), 0, "there is no such store to resume",
                     "start without --resume");
  }
  auto state = std::make_unique<State>(file, locked(file, options.lock), options);
  state->take_over(setup, failed);
  return StoreWriter(std::move(state));
}

void StoreWriter::append(const ResultRow& row, std::span<const double> extras,
                         std::span<const model::Characteristics> intervals) {
  state_->add(row, extras, intervals, {});
}

void StoreWriter::append_failure(const ResultRow& row, const std::string& reason,
                                 std::span<const double> extras) {
  ResultRow failed = row;
  failed.status = Status::failed;
  const std::vector<model::Characteristics> none(state_->intervals());
  state_->add(failed, extras, none, reason);
}

void StoreWriter::postpone(const machine::Grid& grid, const std::string& reason,
                           FailureCause cause) {
  expects(is_temporary(cause), "what fails every time has a row");
  state_->postponed.push_back({-1, grid.text(), reason, cause});
}

void StoreWriter::keep_proof(Proof proof) { state_->proof = std::move(proof); }

void StoreWriter::keep_front(Front front) { state_->front = std::move(front); }

void StoreWriter::flush() { state_->flush(); }

void StoreWriter::show_rows() { state_->show_rows(); }

void StoreWriter::tell(const RunProgress& progress) { state_->tell(progress); }

void StoreWriter::close() { state_->end(false, std::nullopt); }

void StoreWriter::finish(const std::optional<Best>& best) { state_->end(true, best); }

void StoreWriter::discard() noexcept { state_->discard(); }

std::int64_t StoreWriter::rows() const noexcept { return state_->rows(); }

std::int64_t StoreWriter::lost_rows() const noexcept { return state_->lost; }

}  // namespace gridcast::store
