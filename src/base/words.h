#pragma once
/// Names and words in one line of text, "reduction=tree block-rule=ceil": how options of the model
/// stand in a store.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridcast {

/// Pairs of a name and a word, neither with spaces, the name without '='.
using NamedWords = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] std::string words_text(const NamedWords& words);

/// Reads words_text(); a part without '=' is a name with an empty word.
[[nodiscard]] NamedWords split_words(std::string_view text);

}  // namespace gridcast
