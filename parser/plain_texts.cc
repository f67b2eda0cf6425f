#include "parser/plain_texts.h"

#include "parser/clean_text.h"
#include "parser/prefix.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

// `node3:4711:4790 [2] INFO NET : …`, `WARN src/core.cu:225 …`: without NCCL's name a level is needed.
bool MayBecomeHeader(std::string_view text) {
  const bool level = scan::Contains(text, "INFO") || scan::Contains(text, "WARN");
  return level && !text.empty() && (MayBeginWithHeader(text) || text[0] == 'I' || text[0] == 'W');
}

}  // namespace

// Asked once for a kind of text, so it need not be fast; but it must not say yes where a digit could change the answer.
bool PlainTexts::StaysPlain(std::string_view text, TellingWords words) {
  // Digits do not change which letters stand there: what is asked below is whether other digits could make a header or
  // a record of PyTorch, at any place in the line.
  if (words.Any() || HostOfCutHeader(text) > 0 || MayBecomeHeader(text)) return false;
  // [rank3]: or [E1205 04:35:53.584483882 ProcessGroupNCCL.cpp:607]
  for (size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    const std::string_view inside = text.substr(at + 1);
    if (scan::StartsWith(inside, "rank")) return false;
    const bool severity = !inside.empty() && std::string_view("EWIF").find(inside[0]) != std::string_view::npos;
    if (severity && inside.size() > 1 && (inside[1] == ' ' || scan::IsDigit(inside[1]))) return false;
  }
  return true;
}

// Likewise. The forms of times ask where digits stand, but for seconds since 1970, which begin with a one.
bool PlainTexts::StaysStripped(std::string_view line, std::string_view masked, const StrippedLine& stripped) {
  const OuterPrefix& prefix = stripped.prefix;
  const std::string_view text = stripped.text;
  const bool inside = text.data() >= line.data() && text.data() + text.size() <= line.data() + line.size();
  if (!inside || stripped.depends || !stripped.only_time || stripped.kernel || stripped.framework) return false;
  if (prefix.Names() || !prefix.stream.empty() || prefix.launcher != LauncherLabel::kNone) return false;
  if (!prefix.time.empty() && prefix.time.find(':') == std::string_view::npos) return false;
  constexpr size_t kEpoch = 10;  // digits
  for (const size_t at : {size_t{0}, size_t{1}, text.find('[') + 1}) {
    if (scan::DigitsAt(text, std::min(at, text.size())) >= kEpoch) return false;
  }
  // `[0m`, whatever the number is, and entities.
  if (MayNeedCleaning(masked)) return false;
  // `node3: node3:4711:4790 [2] INFO …`
  const size_t word = text.find(": ");
  return word == std::string_view::npos || !MayBecomeHeader(text.substr(word + 2));
}

PlainTexts::LineEntry* PlainTexts::FindAmongLines(std::string_view line, const OuterPrefixStripper& stripper) {
  if (stripper.learned() != learned_) {
    learned_ = stripper.learned();
    lines_ = {};
  }
  LineEntry* const entry = lines_.Find(0, MaskDigits(line, &masked_));
  line_patience_.Tell(entry != nullptr && (!entry->known || entry->value.plain));
  return entry;
}

StrippedLine PlainTexts::StrippedAs(const Line& known, std::string_view line) {
  StrippedLine stripped = known.stripped;
  stripped.text = line.substr(known.text_at, known.text_size);
  stripped.prefix.time = line.substr(known.time_at, known.time_size);
  return stripped;
}

void PlainTexts::FindShape(ParsedLine* line) {
  if (!shape_patience_.Asks()) return;
  line->shape = shape_.Of(line->body);
  line->numbers = shape_.numbers();
  if (!line->shape.empty()) shape_patience_.Tell(shapes_.Find(0, line->shape) != nullptr);
}

void PlainTexts::LearnLine(std::string_view line, const StrippedLine& stripped, const Entry* text, LineEntry* entry) {
  Line& known = entry->value;
  entry->known = true;
  known.plain = text != nullptr && text->known && text->value.plain && StaysStripped(line, entry->text, stripped);
  if (!known.plain) return;
  known.invalid = !IsValidUtf8(line);
  known.binary = LooksBinary(line);
  known.stripped = stripped;
  known.text_at = static_cast<uint32_t>(stripped.text.data() - line.data());
  known.text_size = static_cast<uint32_t>(stripped.text.size());
  const std::string_view time = stripped.prefix.time;
  known.time_at = time.empty() ? 0 : static_cast<uint32_t>(time.data() - line.data());
  known.time_size = static_cast<uint32_t>(time.size());
  known.kind = text->value.kind;
}

}  // namespace ncclwhy
