// A report in at most so many bytes, for bots: whole blocks are left out, the least telling first, until it fits. What
// never goes: outcome, verdict, the first cause (or the first failing line) with its first evidence, and its first fix.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "report/renderer.h"

namespace ncclwhy {

struct Budgeted {
  std::string bytes;
  bool fits = true;  // false: the least that can be said is longer
};

// What was left out is said: in coverage.notes ("left_out_warnings": 3), and in a last line of text and Markdown.
Budgeted RenderWithin(Report report, const Format& format, const RenderOptions& options, size_t budget);

// Whether a format can be cut to a budget: text, full, markdown, json.
bool TakesBudget(std::string_view format);

}  // namespace ncclwhy
