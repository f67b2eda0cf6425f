// Re2Text: RE2's string view type, whatever this release of RE2 calls it.
//
// RE2 took re2::StringPiece up to 2023 and absl::string_view since; neither converts from std::string_view in every
// combination of releases. The type is taken from the signature of RE2::Match, so no release needs to be named.
#pragma once

#include <re2/re2.h>

#include <string_view>
#include <type_traits>

namespace ncclwhy {

namespace re2_internal {
// Never defined but for the signature that Match has: another one is an error when the program is built, not a wrong
// cast.
template <typename F>
struct MatchText;
template <typename R, typename Text, typename... Rest>
struct MatchText<R (RE2::*)(Text, Rest...) const> {
  using type = std::remove_cv_t<std::remove_reference_t<Text>>;
};
}  // namespace re2_internal

using Re2Text = re2_internal::MatchText<decltype(&RE2::Match)>::type;

// Borrows, in both directions.
inline Re2Text ToRe2(std::string_view text) { return Re2Text(text.data(), text.size()); }
// A group that did not take part in the match has no data.
inline std::string_view FromRe2(const Re2Text& text) {
  return text.data() == nullptr ? std::string_view{} : std::string_view(text.data(), text.size());
}

}  // namespace ncclwhy
