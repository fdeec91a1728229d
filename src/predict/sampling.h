#pragma once
/// Internal: how a sample is drawn, and how far its mean may be off.

#include <cstddef>
#include <map>

namespace gridcast::model {

/// Evenly spread numbers in (0, 1), whatever their count: 1/2, 1/4, 3/4, 1/8, ...
[[nodiscard]] double spread(std::size_t index);

/// Standard error of the mean of what a sample of `all` values shows. The values were taken evenly
/// spread in an order that has something to do with them, so that only neighbours are alike
/// (successive differences; the part that was sampled has no error).
[[nodiscard]] double standard_error(const std::map<std::size_t, double>& sample, std::size_t all);

/// Standard errors within which the mean lies but for once in 10,000 times: quantiles of Student's
/// t, whose degrees of freedom are two thirds of a sample's for successive differences.
[[nodiscard]] double believed_errors(std::size_t sample);

}  // namespace gridcast::model
