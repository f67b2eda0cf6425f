// What a culprit itself left: its last line, and the stack that somebody took of it.
#pragma once

#include <string>
#include <vector>

#include "analyze/case_file.h"
#include "analyze/rank_causes.h"
#include "kb/loader/template.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Appends it where the evidence has no line of that file and number yet.
void AddOnce(Evidence e, std::vector<Evidence>* evidence);

// What the program of a culprit printed last, without what a logger puts before it; nothing where that is NCCL's.
//   2026-11-22 11:10:08 | INFO | checkpoint:231 - rank 2: writing checkpoint shard to /mnt/ckpt/step_000019
std::string LastWords(const JobModel& model, const std::vector<Culprit>& culprits);

// Of a culprit whom only others accuse, the last line: often it says goodbye.
void AddLastWords(const CaseFile& c, const Hypothesis& h, Cause* cause);

// Of the one rank that others wait for, where it stands, if a dump of stacks shows it:
//   #1  0x0000563e24d327a4 in lock_wait () at train.cc:176        stacks/rank2.txt
void AddStack(const CaseFile& c, Cause* cause);
// The same as `stands_in` ("lock_wait (train.cc:176)") and, where nothing else tells it, `pid`.
void AddStandsIn(const JobModel& model, const std::vector<Culprit>& culprits, TemplateValues* values);

}  // namespace ncclwhy
