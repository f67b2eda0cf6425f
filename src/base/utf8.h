// UTF-8: decoding, repair and display width of text that may be anything.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ncclwhy {

// Decodes the first code point of `text` into `*code_point` and returns its length in bytes; 0 when the bytes are not
// valid UTF-8 (overlong forms, surrogates and values above U+10FFFF are not) or `text` is empty.
// `*code_point` is left alone where 0 is returned.
size_t DecodeUtf8(std::string_view text, char32_t* code_point);

// Appends `code_point`, which is a valid one, as UTF-8: surrogates are not refused.
void AppendUtf8(char32_t code_point, std::string* out);

// `text` with every byte that is not part of valid UTF-8 written as \xNN, lower case. The result is always valid UTF-8,
// and up to four times as long. A sequence that is cut short is as many escapes as it has bytes.
std::string SanitizeUtf8(std::string_view text);

// Terminal columns of a code point: 0 for combining marks, 2 for East Asian wide and most emoji, else 1. By tables of
// blocks, without locale: wcwidth knows what the C library of the machine knows.
int DisplayWidth(char32_t code_point);

// Terminal columns of a text without control characters; an invalid byte counts as one column.
size_t DisplayWidth(std::string_view text);

// The longest prefix of `text` that is at most `columns` wide; never cuts a code point.
// A wide character that would stand half beyond the edge is left out.
std::string_view PrefixOfWidth(std::string_view text, size_t columns);

}  // namespace ncclwhy
