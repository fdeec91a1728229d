#include "gridcast/store.h"

#include "api.h"
#include "gridcast/store/reader.h"
#include "gridcast/store/run_columns.h"

namespace gridcast {
inline namespace v1 {
namespace {

StoreRow row_of(const store::ResultRow& row) {
  return {outer(row.grid()),
          row.status == store::Status::failed,
          row.evenness,
          row.characteristics.execution_time,
          row.characteristics.efficiency,
          {}};
}

}  // namespace

struct Store::State {
  explicit State(const std::filesystem::path& file) : reader(file) {
    const std::vector<store::ExtraColumn>& columns = reader.about().setup.extra_columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!store::tells_run(columns[i])) {
        inputs.push_back(i);
      }
    }
  }
  store::StoreReader reader;
  std::vector<std::size_t> inputs;  ///< numbers of the extra columns that are inputs
};

Store::Store(const std::filesystem::path& file) : state_(std::make_unique<State>(file)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

std::string Store::state() const { return store::name(state_->reader.about().state); }

std::string Store::machine() const { return state_->reader.about().setup.description.machine; }

std::vector<std::string> Store::inputs() const {
  std::vector<std::string> names;
  for (const std::size_t column : state_->inputs) {
    names.push_back(state_->reader.about().setup.extra_columns[column].name);
  }
  return names;
}

std::optional<StoreRow> Store::best() const {
  const auto& best = state_->reader.about().best;
  return best ? std::optional(row_of(best->chosen)) : std::nullopt;
}

void Store::read(const std::function<void(const StoreRow&)>& take) {
  const std::size_t width = state_->reader.about().setup.extra_columns.size();
  state_->reader.read_rows([&](const store::RowBatch& batch) {
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      StoreRow row = row_of(batch.rows[i]);
      for (const std::size_t column : state_->inputs) {
        row.inputs.push_back(batch.extras[i * width + column]);
      }
      take(row);
    }
  });
}

}  // namespace v1
}  // namespace gridcast
