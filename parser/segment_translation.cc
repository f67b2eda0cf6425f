#include "parser/segment_translation.h"

#include "parser/facts_builder.h"

namespace ncclwhy {

StringId SegmentTranslation::Text(StringId id) {
  if (!id.valid()) return id;
  // Texts are translated when somebody asks: most of a segment's are of events that a limit drops.
  if (texts_.size() <= id.value) texts_.resize(from_.strings.size());
  StringId& known = texts_[id.value];
  if (!known.valid()) known = into_->Intern(from_.Str(id));
  return known;
}

}  // namespace ncclwhy
