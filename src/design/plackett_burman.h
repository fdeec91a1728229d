#pragma once
/// Plackett–Burman designs: the main effects of up to n - 1 factors from n runs at two levels
/// ([PetriNets] screens machine parameters with them; docs/datasets.md).

#include <cstdint>
#include <vector>

namespace gridcast::design {

/// Levels of all factors in all runs: +1 (high) or -1 (low).
class TwoLevelDesign {
public:
  TwoLevelDesign(std::size_t runs, std::size_t factors) : factors_(factors) {
    levels_.resize(runs * factors, 1);
  }

  [[nodiscard]] std::size_t runs() const noexcept {
    return factors_ == 0 ? 0 : levels_.size() / factors_;
  }
  [[nodiscard]] std::size_t factors() const noexcept { return factors_; }
  [[nodiscard]] int at(std::size_t run, std::size_t factor) const {
    return levels_[run * factors_ + factor];
  }
  void set(std::size_t run, std::size_t factor, int level) {
    levels_[run * factors_ + factor] = static_cast<std::int8_t>(level);
  }

private:
  std::size_t factors_;
  std::vector<std::int8_t> levels_;
};

/// True if there is a construction for so many runs: 4 and q + 1, 2(q + 1) and doubles of these, q
/// prime; that is every multiple of 4 up to 48 and most above.
[[nodiscard]] bool has_plackett_burman(std::int64_t runs) noexcept;

/// The least number of runs for so many factors.
[[nodiscard]] std::int64_t plackett_burman_runs(std::size_t factors) noexcept;

/// The design with `runs` runs for runs - 1 factors: every factor is high in half of the runs, any
/// two columns agree in half of the runs, and in the last run all are low. Throws InputError unless
/// has_plackett_burman(runs).
[[nodiscard]] TwoLevelDesign plackett_burman(std::int64_t runs);

/// The design followed by its mirror image, so that interactions of two factors do not bias main
/// effects.
[[nodiscard]] TwoLevelDesign foldover(const TwoLevelDesign& design);

}  // namespace gridcast::design
