// A report in at most so many bytes, for bots: whole blocks are left out, the least telling first, until it fits.
// The first fix goes last; where that is not enough, text and Markdown are the summary and the first line that shows
// the failure, or that line alone. In JSON outcome, verdict and the first cause (or the first failing line) with its
// first evidence always stay.
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

// What was left out is said: in coverage.notes ("left_out_warnings": 3), and in a last line of text and Markdown, in
// the words of the report.
Budgeted RenderWithin(Report report, const Format& format, const RenderOptions& options, size_t budget);

// Whether a format can be cut to a budget: text, full, markdown, json.
bool TakesBudget(std::string_view format);

}  // namespace ncclwhy
