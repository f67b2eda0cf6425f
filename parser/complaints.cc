#include "parser/complaints.h"

#include <array>
#include <iterator>

#include "base/hash.h"
#include "base/limits.h"
#include "base/mask_digits.h"
#include "base/word_finder.h"
#include "parser/segment_translation.h"

namespace ncclwhy {
namespace {

#define COMPLAINT(text) text,
constexpr std::string_view kWords[] = {
#include "parser/complaint_words.def"
};
#undef COMPLAINT

// The bit by which a small letter differs from a capital one. Texts and words get it everywhere: that makes no two
// bytes equal which a reader would not take for one another where it matters.
constexpr char kSmall = 0x20;
constexpr size_t kLongestWord = 16;

struct Folded {
  std::array<std::array<char, kLongestWord>, std::size(kWords)> bytes{};
  std::array<std::string_view, std::size(kWords)> words;
  constexpr Folded() {
    for (size_t i = 0; i < std::size(kWords); ++i) {
      for (size_t k = 0; k < kWords[i].size(); ++k) bytes[i][k] = static_cast<char>(kWords[i][k] | kSmall);
      words[i] = {bytes[i].data(), kWords[i].size()};
    }
  }
};
constexpr Folded kFolded;

constexpr size_t kHalf = std::size(kWords) / 2;
static_assert(kHalf <= 32 && std::size(kWords) - kHalf <= 32);  // what one finder holds
constexpr WordFinder kFirst(std::span(kFolded.words).first(kHalf));
constexpr WordFinder kSecond(std::span(kFolded.words).subspan(kHalf));

}  // namespace

// Two passes of WordFinder, which holds 32 words; folded once for both.
bool IsComplaint(std::string_view text) {
  std::array<char, kComplaintReach> folded;
  const size_t size = std::min(text.size(), folded.size());
  // Into a buffer on the stack: lines come here by the million.
  for (size_t i = 0; i < size; ++i) folded[i] = static_cast<char>(text[i] | kSmall);
  const std::string_view small(folded.data(), size);
  return kFirst.Find(small) != 0 || kSecond.Find(small) != 0;
}

uint64_t SentenceOf(std::string_view text) {
  std::string masked;
  return HashQuickly(MaskDigits(text.substr(0, kComplaintReach), &masked), 0);
}

bool ComplaintList::IsNew(std::string_view text) {
  return builder_->facts().complaints.size() < limits::kComplaints && said_.insert(SentenceOf(text)).second;
}

// A full list costs a comparison a line from then on.
void ComplaintList::Note(uint32_t process, const ParsedLine& line) {
  if (builder_->facts().complaints.size() >= limits::kComplaints) return;
  if (!IsComplaint(line.text) || !IsNew(line.text)) return;
  const StringId text = builder_->Intern(line.text.substr(0, kComplaintReach));
  builder_->facts().complaints.push_back({process, line.number, text});
}

void ComplaintList::Join(const SourceFacts& segment, SegmentTranslation& in_source) {
  for (const ComplaintFacts& c : segment.complaints) {
    // The segment has kept each sentence once, the source may have it from an earlier one.
    if (!IsNew(segment.Str(c.text))) continue;
    const uint32_t process = c.process == kNoProcess ? kNoProcess : in_source.Process(c.process);
    builder_->facts().complaints.push_back({process, in_source.Line(c.line), in_source.Text(c.text)});
  }
}

}  // namespace ncclwhy
