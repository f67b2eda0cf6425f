#include "parser/complaints.h"

#include "base/hash.h"
#include "base/limits.h"
#include "base/mask_digits.h"
#include "parser/segment_translation.h"

namespace ncclwhy {

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
  if (!line.words.Has(TellingWord::kComplaint) || !IsNew(line.text)) return;
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
