#include "analyze/place_evidence.h"

namespace ncclwhy {

Evidence PlaceEvidence(const JobModel& model, const Place& place, std::string_view role) {
  Evidence e;
  e.role = role;
  if (place.source.valid()) e.file = model.sources[place.source.value]->name;
  e.line = place.line;
  e.text = std::string(place.text);
  return e;
}

}  // namespace ncclwhy
