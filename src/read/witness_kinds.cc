#include <algorithm>
#include <array>

#include "read/error_file.h"
#include "read/flight_recorder.h"
#include "read/headed_files.h"
#include "read/log_in_json.h"
#include "read/node_digest.h"
#include "read/ras_status.h"
#include "read/text_log.h"
#include "read/witness.h"

namespace ncclwhy {
namespace {

// An error file before a recorder, as both are JSON and the narrower question comes first.
constexpr std::array<WitnessKind, 7> kKinds = {{
    {"node-digest", "what `ncclwhy digest` wrote of other sources", LooksLikeNodeDigest, NewNodeDigest},
    {"torchelastic-error-file", "the error file of a torchelastic worker (JSON)", LooksLikeErrorFile, NewErrorFile},
    {"flight-recorder", "a dump of PyTorch's flight recorder (pickle or JSON)", LooksLikeFlightRecorder,
     NewFlightRecorder},
    {"ncclras-json", "a status or an event of ncclras (JSON)", LooksLikeRasStatus, NewRasStatus},
    {"log-in-json", "a log that is kept in the texts of a JSON document", LooksLikeLogInJson, NewLogInJson},
    {"headed-files", "several files in one text, each under a heading", LooksLikeHeadedFiles, NewHeadedFiles},
    {"text-log", "lines of text", [](std::string_view) { return true; }, NewTextLog},
}};

}  // namespace

std::vector<SourceDigest> Witness::FinishAll(std::vector<std::string>*) {
  std::vector<SourceDigest> all;
  all.push_back(Finish());
  return all;
}

const WitnessKind& KindOf(std::string_view first) {
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const WitnessKind& kind) { return kind.known(first); });
}

bool IsTextLog(std::string_view first) { return &KindOf(first.substr(0, kSniffedBytes)) == &kKinds.back(); }

}  // namespace ncclwhy
