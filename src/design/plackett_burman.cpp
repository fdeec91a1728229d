#include "gridcast/design/plackett_burman.h"

#include "gridcast/base/error.h"

namespace gridcast::design {
namespace {

/// More runs than anybody screens with; bounds the square matrix.
constexpr std::int64_t most_hadamard_runs = 4096;

/// A square matrix of +1 and -1 whose rows are orthogonal (a Hadamard matrix).
using Matrix = std::vector<std::vector<std::int8_t>>;

bool is_prime(std::int64_t number) noexcept {
  if (number < 2) {
    return false;
  }
  for (std::int64_t divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) {
      return false;
    }
  }
  return true;
}

/// How a matrix of some size is made.
enum class Method : std::uint8_t {
  none,
  smallest,  ///< 1 or 2
  cyclic,    ///< q + 1, q = 3 mod 4 prime: Paley's first construction, Plackett and Burman's cycles
  paired,    ///< 2(q + 1), q = 1 mod 4 prime: Paley's second construction
  doubled,   ///< Sylvester's: twice a smaller one
};

Method method_for(std::int64_t size) noexcept {
  if (size == 1 || size == 2) {
    return Method::smallest;
  }
  if (size < 4 || size % 4 != 0 || size > most_hadamard_runs) {
    return Method::none;
  }
  if (is_prime(size - 1)) {
    return Method::cyclic;
  }
  if (method_for(size / 2) != Method::none) {
    return Method::doubled;
  }
  const std::int64_t q = size / 2 - 1;
  return q % 4 == 1 && is_prime(q) ? Method::paired : Method::none;
}

Matrix square(std::size_t size) { return Matrix(size, std::vector<std::int8_t>(size, 1)); }

std::int8_t negative(std::int8_t value) noexcept { return static_cast<std::int8_t>(-value); }

/// 1 for squares modulo the prime q other than 0, -1 for numbers that are none, 0 for 0.
std::vector<std::int8_t> quadratic_characters(std::size_t q) {
  std::vector<std::int8_t> result(q, -1);
  result[0] = 0;
  for (std::size_t root = 1; root < q; ++root) {
    result[root * root % q] = 1;
  }
  return result;
}

/// The first row of the cycle is that of Plackett and Burman's table: high at 0 and at squares.
/// Each further row is the one before, moved by one place; the last row is all low. The last
/// column, which is the mean and no factor, is all high.
Matrix cyclic(std::size_t size) {
  const std::size_t q = size - 1;
  const std::vector<std::int8_t> character = quadratic_characters(q);
  Matrix result = square(size);
  for (std::size_t row = 0; row < q; ++row) {
    for (std::size_t column = 0; column < q; ++column) {
      result[row][column] = character[(column + q - row) % q] == -1 ? -1 : 1;
    }
  }
  for (std::size_t column = 0; column < q; ++column) {
    result[q][column] = -1;
  }
  return result;
}

/// Each entry c of a symmetric conference matrix becomes a block of four: c ((1, 1), (1, -1)), and
/// ((1, -1), (-1, -1)) for the zeros of the diagonal.
Matrix paired(std::size_t size) {
  const std::size_t q = size / 2 - 1;
  const std::vector<std::int8_t> character = quadratic_characters(q);
  Matrix result = square(size);
  for (std::size_t row = 0; row <= q; ++row) {
    for (std::size_t column = 0; column <= q; ++column) {
      std::int8_t value = 1;
      if (row == column) {
        value = 0;
      } else if (row > 0 && column > 0) {
        value = character[(column + q - row) % q];
      }
      const bool diagonal = value == 0;
      result[2 * row][2 * column] = diagonal ? std::int8_t{1} : value;
      result[2 * row][2 * column + 1] = diagonal ? std::int8_t{-1} : value;
      result[2 * row + 1][2 * column] = diagonal ? std::int8_t{-1} : value;
      result[2 * row + 1][2 * column + 1] = diagonal ? std::int8_t{-1} : negative(value);
    }
  }
  return result;
}

Matrix hadamard(std::int64_t size);

Matrix doubled(std::size_t size) {
  const std::size_t half = size / 2;
  const Matrix part = hadamard(static_cast<std::int64_t>(half));
  Matrix result = square(size);
  for (std::size_t row = 0; row < half; ++row) {
    for (std::size_t column = 0; column < half; ++column) {
      const std::int8_t value = part[row][column];
      result[row][column] = value;
      result[row][half + column] = value;
      result[half + row][column] = value;
      result[half + row][half + column] = negative(value);
    }
  }
  return result;
}

Matrix hadamard(std::int64_t size) {
  const auto count = static_cast<std::size_t>(size);
  switch (method_for(size)) {
    case Method::cyclic:
      return cyclic(count);
    case Method::paired:
      return paired(count);
    case Method::doubled:
      return doubled(count);
    case Method::smallest:
    case Method::none:
      break;
  }
  Matrix result = square(count);
  if (count == 2) {
    result[1][1] = -1;
  }
  return result;
}

/// Rows and columns may be multiplied by -1: the last column becomes all high, the last row all low
/// but for that column.
void normalise(Matrix& matrix) {
  for (auto& row : matrix) {
    if (row.back() == -1) {
      for (std::int8_t& value : row) {
        value = negative(value);
      }
    }
  }
  for (std::size_t column = 0; column + 1 < matrix.size(); ++column) {
    if (matrix.back()[column] == 1) {
      for (auto& row : matrix) {
        row[column] = negative(row[column]);
      }
    }
  }
}

}  // namespace

bool has_plackett_burman(std::int64_t runs) noexcept {
  return runs >= 4 && method_for(runs) != Method::none;
}

std::int64_t plackett_burman_runs(std::size_t factors) noexcept {
  std::int64_t runs = 4;
  while (runs <= most_hadamard_runs &&
         (runs <= static_cast<std::int64_t>(factors) || !has_plackett_burman(runs))) {
    runs += 4;
  }
  return runs;
}

TwoLevelDesign plackett_burman(std::int64_t runs) {
  if (!has_plackett_burman(runs)) {
    std::int64_t next = runs < 4 ? 4 : (runs + 3) / 4 * 4;
    while (next < most_hadamard_runs && !has_plackett_burman(next)) {
      next += 4;
    }
    throw InputError("there is no Plackett-Burman design with " + std::to_string(runs) + " runs",
                     "expected 4, 8, 12, ... runs, for instance " +
                         std::to_string(next < most_hadamard_runs ? next : most_hadamard_runs));
  }
  Matrix matrix = hadamard(runs);
  normalise(matrix);
  const std::size_t size = matrix.size();
  TwoLevelDesign design(size, size - 1);
  for (std::size_t run = 0; run < size; ++run) {
    for (std::size_t factor = 0; factor + 1 < size; ++factor) {
      design.set(run, factor, matrix[run][factor]);
    }
  }
  return design;
}

TwoLevelDesign foldover(const TwoLevelDesign& design) {
  TwoLevelDesign result(2 * design.runs(), design.factors());
  for (std::size_t run = 0; run < design.runs(); ++run) {
    for (std::size_t factor = 0; factor < design.factors(); ++factor) {
      result.set(run, factor, design.at(run, factor));
      result.set(design.runs() + run, factor, -design.at(run, factor));
    }
  }
  return result;
}

}  // namespace gridcast::design
