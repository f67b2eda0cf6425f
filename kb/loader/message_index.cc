#include "kb/loader/message_index.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "base/text.h"
#include "kb/loader/format_code.h"

namespace ncclwhy {

// A level that was demoted between versions still fits, but less than the same one: NCCL made WARN of some start-up
// messages INFO, and printed the version at both.
int LevelFit(LogLevel line, MessageLevel format) {
  using M = MessageLevel;
  switch (line) {
    case LogLevel::kInfo:
      return format == M::kInfo ? 2 : format == M::kWarn || format == M::kVersion ? 1 : 0;
    case LogLevel::kWarn:
      return format == M::kWarn ? 2 : 0;
    case LogLevel::kVersion:
      return format == M::kVersion ? 2 : format == M::kInfo ? 1 : 0;
    case LogLevel::kAbort:
      return format == M::kAbort ? 2 : format == M::kWarn ? 1 : 0;
    case LogLevel::kTrace:
      return format == M::kTrace ? 2 : format == M::kCall ? 1 : 0;
    case LogLevel::kCall:
      return format == M::kCall ? 2 : format == M::kTrace ? 1 : 0;
    case LogLevel::kDiag:
      return format == M::kInfo || format == M::kWarn ? 2 : format == M::kPrint ? 1 : 0;
    case LogLevel::kNone:
      return format == M::kVersion ? 2 : format >= M::kPrint || format == M::kAbort ? 1 : 0;
  }
  return 0;
}

namespace {

constexpr size_t kAnchor = 4;
// Bytes of a body that are looked at. NCCL clips at 1 KiB before 2.29; longer ones are lists whose head decides.
constexpr size_t kBodyBytes = 4096;
// NCCL cuts header and message at 1023 bytes; a header has up to some 120.
constexpr size_t kClipFloor = 880;

uint32_t Load(const char* p) {
  const auto byte = [p](int i) { return static_cast<uint32_t>(static_cast<uint8_t>(p[i])); };
  return byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
}
uint32_t SlotOf(uint32_t gram) { return (gram * 2654435761u) >> (32 - MessageTables::kSlotBits); }

// Text that is too general to tell anything: "%s: %s" fits half of all lines.
bool IsTelling(const CompiledFormat& format, MessageLevel level) {
  // Without a header a text is believed only with six letters of its own.
  if (level >= MessageLevel::kPrint) return format.letters >= 6;
  // A conversion that takes only numbers counts as two bytes: "%d: %d" says more than "%s: %s".
  return format.literals + 2 * format.typed >= 4 && (format.letters >= 2 || format.typed >= 1 || format.literals >= 8);
}

// The pieces that every whole text of the format holds: blanks at the ends of a text are taken off, and a %c that
// printed a newline ended the line.
std::vector<std::string_view> SurePieces(std::string_view code) {
  std::vector<std::string_view> pieces;
  // Behind a %c nothing is sure to be there.
  for (const char* op = code.data(); *op != format_code::kEnd && *op != format_code::kChar;) {
    if (*op != format_code::kLiteral) {
      ++op;
      continue;
    }
    const std::string_view piece = format_code::LiteralAt(op);
    pieces.push_back(TrimMessage(piece));
    op = piece.data() + piece.size();
  }
  return pieces;
}

// See MessagePattern::end.
char EndOf(std::string_view code) {
  // What a text ends with is known only while no conversion of any text ends it.
  char end = 0;
  for (const char* op = code.data(); *op != format_code::kEnd;) {
    if (*op == format_code::kChar) return 0;  // as a newline it ends the text
    if (*op != format_code::kLiteral) {
      end = *op++ == format_code::kInteger ? kEndsWithDigit : '\0';
      continue;
    }
    const std::string_view piece = format_code::LiteralAt(op);
    end = TrimMessage(piece).empty() ? '\0' : TrimMessage(piece).back();
    op = piece.data() + piece.size();
  }
  return end;
}

// Of the patterns that are tried the best: by level, then by literal text, then the first. The hot path of every
// message that no memo knows.
class Search {
 public:
  Search(const MessageTables& tables, LogLevel level, std::string_view text, bool clipped)
      : tables_(tables), text_(text), clipped_(clipped) {
    // Once for each level and not for each pattern.
    for (size_t i = 0; i < fits_.size(); ++i) fits_[i] = LevelFit(level, static_cast<MessageLevel>(i));
    tried_.fill(UINT16_MAX);
  }

  void Try(uint16_t pattern) {
    uint16_t& tried = tried_[pattern % tried_.size()];
    // Not tried again at once: a line with `failed` three times has the same gram three times.
    if (tried == pattern) return;
    const MessagePattern& p = tables_.patterns[pattern];
    const int fit = fits_[static_cast<size_t>(p.level)];
    // A format of a lesser fit cannot win any more.
    if (fit < best_fit_ || fit == 0) return;
    // One byte refuses most of what a gram has let through.
    if (!EndFits(p)) return;
    tried = pattern;
    const int literals = MatchFormat(tables_.code.substr(p.code, p.code_size), text_, clipped_);
    // Of a clipped text at least eight bytes: its last words may be the beginning of anything.
    if (literals < (clipped_ ? kLeastOfClipped : 1)) return;
    const bool better = fit > best_fit_ || literals > best_literals_ ||
                        (literals == best_literals_ && static_cast<int>(p.message) < best_);
    if (!better) return;
    best_ = p.message;
    best_fit_ = fit;
    best_literals_ = literals;
  }

  void Grams() {
    GramIndex(tables_.longs, tables_.shorts).ForEach(text_, [&](const GramEntry& entry, size_t) {
      Try(static_cast<uint16_t>(entry.text));
    });
    for (const uint16_t pattern : tables_.unfiled) {
      const MessagePattern& p = tables_.patterns[pattern];
      // The level and the end are asked first: they need no look through the text.
      if (fits_[static_cast<size_t>(p.level)] == 0 || !EndFits(p)) continue;
      if (p.sure == 0 || std::memchr(text_.data(), p.sure, text_.size()) != nullptr) Try(pattern);
    }
  }

  void Anchors() {
    for (size_t i = 0; i + kAnchor <= text_.size(); ++i) {
      const uint32_t slot = SlotOf(Load(text_.data() + i));
      // One bit says that a slot is empty, which nearly all are: it stays in the cache.
      if ((tables_.occupied[slot >> 6] >> (slot & 63) & 1) == 0) continue;
      for (size_t k = tables_.slots[slot]; k < tables_.slots[slot + 1]; ++k) Try(tables_.anchored[k]);
    }
    for (const uint16_t pattern : tables_.loose) Try(pattern);
  }

  // For a text that was cut before the anchor of its format.
  void Heads() {
    if (text_.size() < kAnchor) return;
    for (size_t i = 0; i < tables_.patterns.size(); ++i) {
      const MessagePattern& p = tables_.patterns[i];
      if (p.code_size == 0 || tables_.code[p.code] != format_code::kLiteral) continue;
      const std::string_view head = format_code::LiteralAt(tables_.code.data() + p.code);
      if (head.size() >= kAnchor && Load(head.data()) == Load(text_.data())) Try(static_cast<uint16_t>(i));
    }
  }

  int best() const { return best_; }

 private:
  bool EndFits(const MessagePattern& p) const {
    return p.end == 0 || clipped_ || (p.end == kEndsWithDigit ? IsDigit(text_.back()) : text_.back() == p.end);
  }

  static constexpr int kLeastOfClipped = 8;
  const MessageTables& tables_;
  std::array<int, kMessageLevelNames.size()> fits_{};
  const std::string_view text_;
  const bool clipped_;
  int best_ = -1;
  int best_fit_ = 0;
  int best_literals_ = -1;
  std::array<uint16_t, 64> tried_;  // a repeated anchor does not try its formats again
};

}  // namespace

// A pattern for each format, also for one that is too general to be found: numbers of patterns are those of messages.
MessageTablesOwner BuildMessageTables(const std::vector<MessageFormat>& formats) {
  MessageTablesOwner out;
  // By it the rarest four bytes of a format become its anchor, so that few formats share one.
  std::unordered_map<uint32_t, uint32_t> frequency;  // in how many pieces four bytes stand
  for (size_t i = 0; i < formats.size() && i < kMaxMessages; ++i) {
    const MessageLevel level = formats[i].level;
    const CompiledFormat compiled = CompileFormat(formats[i].format, level == MessageLevel::kAssert);
    // Also for those that are not recognised: patterns[i] is of formats[i].
    MessagePattern pattern{static_cast<uint32_t>(out.code.size()), 0, static_cast<uint16_t>(i), level};
    if (!compiled.code.empty() && compiled.code.size() <= UINT16_MAX && IsTelling(compiled, level)) {
      pattern.code_size = static_cast<uint16_t>(compiled.code.size());
      pattern.end = EndOf(compiled.code);
      out.code += compiled.code;
      ForEachLiteral(compiled.code, [&](std::string_view piece) {
        for (size_t k = 0; k + kAnchor <= piece.size(); ++k) ++frequency[Load(piece.data() + k)];
      });
    }
    out.patterns.push_back(pattern);
  }

  constexpr size_t kSlots = size_t{1} << MessageTables::kSlotBits;
  std::vector<std::vector<uint16_t>> slots(kSlots);
  GramIndexBuilder grams;
  for (size_t i = 0; i < out.patterns.size(); ++i) {
    const MessagePattern& pattern = out.patterns[i];
    if (pattern.code_size == 0) continue;
    uint32_t anchor = 0;
    uint32_t rarest = UINT32_MAX;
    const std::string_view code = std::string_view(out.code).substr(pattern.code, pattern.code_size);
    ForEachLiteral(code, [&](std::string_view piece) {
      for (size_t k = 0; k + kAnchor <= piece.size(); ++k) {
        const uint32_t gram = Load(piece.data() + k);
        if (frequency[gram] < rarest) rarest = frequency[gram], anchor = gram;
      }
    });
    // No piece of four bytes: such a format is tried on every clipped text.
    if (rarest == UINT32_MAX) {
      out.loose.push_back(static_cast<uint16_t>(i));
    } else {
      slots[SlotOf(anchor)].push_back(static_cast<uint16_t>(i));
    }
    const std::vector<std::string_view> pieces = SurePieces(code);
    if (grams.Add(static_cast<uint32_t>(i), pieces)) continue;
    out.unfiled.push_back(static_cast<uint16_t>(i));
    // The last piece that is not empty: where several are, any of them would do.
    for (const std::string_view piece : pieces) {
      if (!piece.empty()) out.patterns[i].sure = piece.back();
    }
  }
  out.occupied.assign(kSlots / 64, 0);
  out.slots.push_back(0);
  for (size_t s = 0; s < kSlots; ++s) {
    if (!slots[s].empty()) out.occupied[s >> 6] |= uint64_t{1} << (s & 63);
    out.anchored.insert(out.anchored.end(), slots[s].begin(), slots[s].end());
    out.slots.push_back(static_cast<uint16_t>(out.anchored.size()));
  }
  out.grams = grams.Build();
  return out;
}

// First the whole text by grams; only what may have been cut is looked through again, byte by byte.
int FindMessage(const MessageTables& tables, LogLevel level, std::string_view body) {
  std::string_view text = TrimMessage(body);
  if (tables.slots.empty() || text.empty()) return -1;
  text = text.substr(0, kBodyBytes);
  Search whole(tables, level, text, /*clipped=*/false);
  whole.Grams();
  if (whole.best() >= 0) return whole.best();
  // `body` had a blank in front that TrimMessage took off, and `text` views into it.
  if (body.front() == ' ') {  // "%s (%f)" with an empty name: the blank belongs to the format
    const std::string_view padded = body.substr(0, static_cast<size_t>(text.data() + text.size() - body.data()));
    Search with_blanks(tables, level, padded, /*clipped=*/false);
    with_blanks.Grams();
    if (with_blanks.best() >= 0) return with_blanks.best();
  }
  // `… Could not find a path for pattern 4, falling back to simp…`: a viewer says that it cut.
  constexpr std::string_view kMark = "…";
  const bool marked = text.ends_with(kMark);
  // A shorter body came whole, unless a viewer shows its mark at the end.
  if (body.size() < kClipFloor && !marked) return -1;
  if (marked) text.remove_suffix(kMark.size());
  Search cut(tables, level, text, /*clipped=*/true);
  cut.Anchors();
  // Most are found by their anchor; a text that was cut in front of it begins like its format.
  if (cut.best() < 0) cut.Heads();
  return cut.best();
}

}  // namespace ncclwhy
