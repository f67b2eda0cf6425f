// Hosts that fail alike: a sentence that names the first of them is no answer when others show the same line by
// themselves.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/case_file.h"
#include "analyze/rank_causes.h"
#include "kb/loader/kb.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// What a host or a device has by itself; other things are as they are because somebody set them so.
bool FailsByItself(const CauseKnowledge& known);

// The culprits' hosts where all are blamed for the same, each once; empty where only the two ends of one link both
// print it, or where they are blamed for different things. Views into the culprits.
std::vector<std::string_view> AlikeHosts(const CaseFile& c, const CauseKnowledge& known,
                                         const std::vector<Culprit>& culprits, const TemplateValues& values);

// "gpu-2, gpu-5 and gpu-6", "gpu-2, gpu-5, gpu-6 and 4 more".
std::string JoinHosts(const std::vector<std::string_view>& hosts, Language language);

// The names of values that are not the same on all of them: what a sentence says of one rank or one adapter does not
// hold for the next host.
std::set<std::string> VaryingValues(const CaseFile& c, const Hypothesis& h);

// " Its ranks 8-15 all show it.", where several ranks of one host are blamed for the same, " Ranks 1-7,9-15 all show
// it." of more than one host; empty otherwise.
std::string AlikeRanks(const CaseFile& c, const CauseKnowledge& known, const std::vector<Culprit>& culprits);

// What then holds of the first of them only.
void EraseOfOneRank(TemplateValues* values);

// What the summary leaves untold of them: " gpu-5 failed alike: …", " The same on gpu-5."; empty when it tells all.
std::string AlikeSentence(const CaseFile& c, const CauseKnowledge& known, const std::vector<std::string_view>& hosts,
                          std::string_view summary);

}  // namespace ncclwhy
