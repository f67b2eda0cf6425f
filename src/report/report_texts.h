// Every text of a report, and what it is: the one list that redaction and the tests of hostile texts go by. A new
// member of ncclwhy/report.h is added here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ncclwhy/report.h"

namespace ncclwhy {

enum class TextIs : uint8_t {
  kHost,      // the name of one, as a log spells it
  kLine,      // as it stood in a log: a line, the name of a file, a value
  kSentence,  // ours, with values of logs in it
  kHash,      // a number that NCCL made
  kOwn,       // an id, a word or a text of the knowledge: nothing of a log
};

// In the order in which a report is read, hosts of a list before what is said of them.
void ForEachText(Report* report, const std::function<void(TextIs, std::string*)>& call);

}  // namespace ncclwhy
