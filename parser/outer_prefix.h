// What launchers and collectors put in front of a line, layer by layer.
//
// Stateful: ambiguous shapes (`3: ` of srun -l, `node3: ` of pdsh, `[3] ` of MPICH, any constant text in front of
// NCCL's header) are believed only after they stood in front of an NCCL header, those of srun and pdsh also of other
// records that show their own beginning. One stripper per source.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "parser/learned_prefixes.h"
#include "parser/line_frame.h"
#include "parser/parsed_line.h"

namespace ncclwhy {

// What is left of a line, and what its prefixes said. The views live as long as those of Strip.
struct StrippedLine {
  OuterPrefix prefix;
  std::string_view text;   // what is left
  bool kernel = false;     // dmesg or syslog's `kernel:`
  bool framework = false;  // behind a framework's logger or worker prefix
  bool only_time = false;  // nothing but time stamps was stripped
  bool unit_pid = false;   // host and pid are those that syslog or the journal knows: of a whole launcher, maybe
  // Lines in front of it, or the value of a digit, had a part in what was taken off, or in that nothing was.
  bool depends = false;
};

class OuterPrefixStripper {
 public:
  OuterPrefixStripper() = default;
  explicit OuterPrefixStripper(LineFrame frame) : frame_(std::move(frame)) {}

  // Views point into `line` or into buffers that the next call replaces. At most limits::kPrefixLayers prefixes are
  // taken off; a ninth stays in the text.
  StrippedLine Strip(std::string_view line);
  // The same for a part of the text that the last Strip left; what that returned stays valid. Escapes are not looked
  // for again.
  StrippedLine StripPart(std::string_view part);

  // What Strip notes of a line with this prefix, which is fixed, beside its answer.
  void Repeat(const OuterPrefix& prefix) {
    if (prefix.launcher == LauncherLabel::kSrun) CountLabel(static_cast<uint64_t>(prefix.task));
  }
  // How many texts were learned: a prefix says the same only as long as this does not change.
  size_t learned() const { return learned_.size() + words_.size(); }

  // Text that stood in front of a header and matched no known form (learned_prefixes.h).
  void Learn(std::string_view junk) { learned_.Learn(junk); }

  // For a later segment of the source: has learned what `before` has, seen no line. Join tells `this` that the segment
  // followed.
  OuterPrefixStripper ForSegment() const;
  void Join(const OuterPrefixStripper& segment);

  // True when the numbers of `N: ` labels were line numbers, not tasks: each exactly one more than the one before.
  bool labels_are_line_numbers() const { return label_count_ >= 4 && labels_monotonous_; }

 private:
  // Numbers in front of lines while none is believed.
  class UnsureLabels {
   public:
    // Whether they are tasks' without a header of NCCL behind one: they stood in front of a record that shows its own
    // beginning, and one comes again or goes back. The numbers of lines never do.
    bool AreTasks(uint64_t label, std::string_view rest);
    // The latest came so often, one line behind the other.
    uint32_t in_a_row() const { return in_a_row_; }

   private:
    static bool SaysItself(uint64_t label, std::string_view rest);

    bool before_record_ = false;
    uint32_t in_a_row_ = 0;
    uint32_t said_ = 0;  // so often the text behind a number spoke of that rank
    std::optional<uint64_t> latest_;
  };

  // The frame, at most once a line, behind what stands around it. This and those below take their form off `text` and
  // note it in `out`; false: `text` is untouched.
  bool TakeFrame(std::string_view& text);
  // One prefix; false: none is left that is known.
  bool StripLayer(std::string_view& text, StrippedLine& out);
  // [1,3]<stdout>:text   [rank3]: text   [2025-03-01 12:00:00 TP3] text
  bool Bracket(std::string_view& text, StrippedLine& out);
  bool MpiBracket(std::string_view& text, StrippedLine& out);
  // (RayWorker pid=812, ip=10.1.62.31) text
  bool Parenthesis(std::string_view& text, StrippedLine& out);
  // 3: text   Believed once it stood in front of a header, or was seen to number tasks and not lines.
  bool Label(std::string_view& text, StrippedLine& out);
  void CountLabel(uint64_t label) {
    if (label_count_++ > 0 && label != last_label_ + 1) labels_monotonous_ = false;
    last_label_ = label;
  }
  // See .cc: `worker-3: Traceback …` for the second time.
  bool IsHostBeforeRecords(std::string_view word, std::string_view rest);
  // > text
  bool Quote(std::string_view& text, StrippedLine& out);
  // node3: text   worker-1  | text   INFO 10-13 09:06:25 [executor.py:558] text
  bool Word(std::string_view& text, StrippedLine& out);
  // {"log":"text\n","stream":"stdout","time":"2026-11-20T10:00:00Z"}
  bool Json(std::string_view& text, StrippedLine& out);
  // A text that stood in front of headers twice.
  bool Learned(std::string_view& text, StrippedLine& out);

  LineFrame frame_;
  std::array<std::string, limits::kPrefixLayers> scratch_;
  size_t scratch_used_ = 0;
  std::vector<std::string> words_;  // pdsh hosts and other learned `word: `
  LearnedPrefixes learned_;
  std::vector<std::string> unsure_words_;  // stood in front of a record once
  bool labels_seen_ = false;
  UnsureLabels unsure_labels_, unsure_brackets_;
  bool brackets_seen_ = false;
  uint64_t label_count_ = 0;
  uint64_t last_label_ = 0;
  bool labels_monotonous_ = true;
};

}  // namespace ncclwhy
