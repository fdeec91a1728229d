#include "gridcast/predict/prediction.h"
#include "gridcast/rules/options.h"

namespace gridcast::model {

std::string assumed_text(const NamedWords& assumed) {
  NamedWords shown;
  for (const auto& [name, word] : assumed) {
    if (depends_on_input(name)) {
      shown.emplace_back(name, word);
    }
  }
  return words_text(shown);
}

}  // namespace gridcast::model
