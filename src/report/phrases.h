// Phrases: clauses that several formats share, built from Words. Unescaped: the caller escapes for its format.
#pragma once

#include <string>
#include <string_view>

#include "ncclwhy/report.h"
#include "report/words.h"

namespace ncclwhy {

// The cause that the verdict names: the first one of a failure or of a degraded job; null when none is named.
const Cause* NamedCause(const Report& report);

// FAILURE, … in the reader's language.
std::string_view VerdictWord(Verdict verdict, const Words& words);
std::string_view VerdictSentence(Verdict verdict, const Words& words);

// The one line that says it all: the title of the first cause, or the verdict's sentence.
std::string Headline(const Report& report, const Words& words);

// 0.934 → 93; never 100, and never 0 for a cause that is named at all.
int Percent(double confidence);

// "rank 3 on gpu-a17, pid 4242, GPU 3, mlx5_2"; empty when nothing is known.
std::string CulpritName(const Culprit& culprit, const Words& words);
// With the reason behind it.
std::string CulpritSentence(const Culprit& culprit, const Words& words);

// "nearly certain", "very likely", "likely", "possible": a probability as people say it.
std::string_view SureWord(double confidence, const Words& words);

// "2. failed: shm.too-small: what happened then": the first and the latest attempts at the job, in order; in place of
// those between them, how many they are.
std::vector<std::string> AttemptLines(const Report& report, const Words& words);
// "2. job 17: FAILURE, failed: /dev/shm is too small (shm.too-small), rank 3 on gpu-a17"; the number is that of --job.
std::string JobLine(size_t number, const JobAnswer& job, const Words& words);
// "10:00:03 rank 0 on gpu-a16: lost its peer (12 times)"
std::string StepLine(const TimelineStep& step, const Words& words);

// "training died at its first all-reduce (shm.too-small): started the container with --shm-size=8g."
std::string SeenSentence(const SeenIncident& incident, const Words& words);

// "rank3.log:41"; empty when there is no line.
std::string FileLine(std::string_view file, uint64_t line);
// " (rank3.log:41, 2 times)", without the marks that a pipe's name has of its own: " (standard input:41)"; empty for
// empty.
std::string Aside(std::string_view place);

// "no rank of this job uses that GPU (dmesg.txt:1)"
std::string WarningSentence(const Warning& warning);

// "direct", … in the reader's language; unknown roles as they are.
std::string_view RoleWord(std::string_view role, const Words& words);

// "rank 3", "ranks 0, 2-5".
std::string RanksNamed(const std::vector<int32_t>& ranks, const Words& words);

// What stands before a command: "gpu-a17$ " where it has to run on a host, else "$ "; nothing where it is text of a
// program: torch.cuda.set_device(local_rank)
std::string Prompt(std::string_view host, std::string_view command);
// The same where the command stands in a block of its own: the sentence above it with "(on gpu-a17)" behind it, unless
// it names the host.
std::string StepText(std::string_view text, std::string_view host, const Words& words);

// "docker: " or nothing for fixes that fit everywhere.
std::string FixLabel(const Fix& fix, const Words& words);

// "NCCL 2.28.9, 2 hosts, 4 processes, 1 communicator of 4 ranks (4 seen), SHM 4, NET/Socket 4"
std::string JobSentence(const Job& job, const Words& words);
// The same in few words: "NCCL 2.28.9, 2 hosts, 8 ranks".
std::string ShortJobSentence(const Report& report, const Words& words);
std::string CoverageSentence(const Coverage& coverage, const Words& words);
// "read 512 lines of 4 sources"
std::string ReadSentence(const Coverage& coverage, const Words& words);

// fmt with a frame of Words: "{} more" and one value; picks the number form.
std::string Counted(std::string_view forms, uint64_t n);
std::string Filled(std::string_view frame, std::string_view value);

// Whether a command has a word in capitals that the reader has to replace: PID, NODE, HOST1.
bool HasPlaceholder(std::string_view command);

}  // namespace ncclwhy
