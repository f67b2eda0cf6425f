#include "read/flight_recorder.h"

#include <algorithm>

#include "read/document_witness.h"
#include "read/recorder_facts.h"

namespace ncclwhy {
bool LooksLikeFlightRecorder(std::string_view first) {
  if (!BeginsPickle(first) && !BeginsObject(first)) return false;
  constexpr std::string_view kKeys[] = {"pg_config", "collective_seq_id", "profiling_name", "nccl_comm_state",
                                        "pg_status"};
  return std::any_of(std::begin(kKeys), std::end(kKeys), [&](std::string_view key) {
    const size_t at = first.find(key);
    if (at == std::string_view::npos) return false;
    return BeginsPickle(first) || (at > 0 && first[at - 1] == '"' && first.substr(at + key.size()).starts_with("\""));
  });
}

std::unique_ptr<Witness> NewFlightRecorder(const WitnessContext& context) {
  return NewDocumentWitness(context, AddRecorderFacts);
}

}  // namespace ncclwhy
