// Every cap of the program, each with its reason. What is dropped at a cap is counted (base/counters.def) and said.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ncclwhy::limits {

// One input line. NCCL clips at 1 KiB, PyTorch and tqdm write up to some 100 KiB; the rest of a longer line is skipped.
inline constexpr size_t kLineBytes = 64 * 1024;
// A source up to this size may be something that was pasted, and is looked at for broken lines. Logs are longer.
inline constexpr size_t kPastedBytes = 64 * 1024;
// Lines of a text beside a log that are kept, and bytes of each.
inline constexpr size_t kSideRows = 200;
inline constexpr size_t kSideRowBytes = 200;
// A longer source is parsed in segments of this size, by as many threads as there are.
inline constexpr size_t kSegmentBytes = 64u << 20;
// Text of one line that is kept with an event or shown as evidence.
inline constexpr size_t kEvidenceText = 512;
// Lines of a source whose end is cut off and marked, for which every rule is asked. A viewer marks some hundred; a
// program that ends its lines with dots gains nothing.
inline constexpr uint32_t kClippedLooks = 512;
// Glued headers in one line: beyond this the rest is one damaged record.
inline constexpr size_t kRecordsPerLine = 64;
// Nested launcher and collector prefixes (CRI, GitHub, srun, torchrun, Ray …).
inline constexpr int kPrefixLayers = 8;
// Processes kept per source. 65,536 ranks in one interleaved file is beyond any known job.
inline constexpr size_t kProcessesPerSource = 65536;
// Communicators kept per process.
// A program that makes one for each step and never destroys it is a leak, and looks like this.
inline constexpr size_t kCommunicatorsPerProcess = 4096;
// Streams of collectives per source; the number of their communicators is the product of two numbers of a log.
inline constexpr size_t kCollectiveStreamsPerSource = 65536;
// Communicators of a job, as its processes see them: beyond this a job is not reconstructed any further.
inline constexpr size_t kCommunicatorViews = 262144;
// Ranks that left no log are listed one by one up to this many over all communicators: one line says `nranks 65536`.
inline constexpr size_t kMissingRanks = 65536;
// Name of a pod, container or actor that tells streams apart.
inline constexpr size_t kStreamName = 256;
// Uneventful-after-the-first events (same kind, same process): further ones are only counted.
// A rank that retries writes the same line for hours; the first ones say all of it.
inline constexpr uint32_t kEventsPerKindAndProcess = 64;
// Events of a kind per source over all processes.
inline constexpr uint32_t kEventsPerKindAndSource = 262144;
// The same for the life of communicators, which costs the job model much more than an event does.
inline constexpr uint32_t kCommunicatorEventsPerSource = 65536;
// Events of all kinds per source.
inline constexpr size_t kEventsPerSource = 1u << 20;
// Hits of one pattern of one rule kept per process; further ones are counted.
inline constexpr uint32_t kHitsPerPatternAndProcess = 8;
// Hits of one pattern kept per source, hits of all patterns, and what each pattern may keep beyond those.
inline constexpr uint32_t kHitsPerPatternAndSource = 16384;
inline constexpr uint32_t kHitsPerSource = 131072;
inline constexpr uint32_t kHitsPerPatternBeyond = 64;
// Distinct strings kept per source, in bytes.
// A text that is not kept any more is empty in the report, and counted.
inline constexpr size_t kPoolBytesPerSource = 64u << 20;
// Last collectives of each communicator and process kept verbatim: the window in which a divergence is shown.
//    node07:4711:4711 [3] NCCL INFO AllReduce: opCount 1f sendbuff … count 1048576 datatype 7 op 0 root 0 comm 0x55d0
inline constexpr size_t kCollectiveWindow = 64;
// Digest checkpoints of a collective stream (the interval doubles when they are used up).
inline constexpr size_t kCollectiveCheckpoints = 256;
// A document (a flight recorder, JSON) that is kept whole while it is read: 20,000 calls with their stacks are some 40
// MB. What it consists of is counted, too: one byte can stand for a value.
inline constexpr size_t kDocumentBytes = 64u << 20;
inline constexpr size_t kDocumentValues = 8u << 20;
// A file of digests: its sources, and what one of them may take in it: a reader holds that much before it knows whether
// it is damaged. One log into which 4,096 ranks wrote all their calls has 41 MB.
inline constexpr uint64_t kDigestSources = 1u << 20;
inline constexpr size_t kDigestFrame = 256u << 20;
// Process groups of one flight recorder, and calls that are not completed which are shown one by one.
inline constexpr size_t kRecordedGroups = 4096;
inline constexpr size_t kRecordedPending = 64;
// Kinds of lines that are watched for a pulse at a time in each stream, the least recently seen goes; and over all
// streams of a source. A program prints a handful while it works.
inline constexpr size_t kPulsesPerStream = 64;
inline constexpr size_t kPulsesPerSource = 8192;
// Pulses that are kept with the facts of a stream, numbers of a line that are watched, and places that a trail keeps.
inline constexpr size_t kPulsesKept = 8;
inline constexpr size_t kPulseNumbers = 8;
inline constexpr size_t kTrailLines = 32;
// Places at which a pulse began anew that are kept: runs of one program in one file are told apart by them.
inline constexpr size_t kPulsePeaks = 16;
// Sentences of a source that sound wrong and are kept, and of all sources of a job that are read.
inline constexpr size_t kComplaints = 128;
inline constexpr size_t kComplaintsRead = 256;
// Jobs or runs in one place that are taken apart. Beyond that nobody handed over so many: something else is odd, and
// all are taken as one.
inline constexpr size_t kJobsApart = 64;
// Memory of one compiled pattern; a pattern that needs more is refused when it is loaded.
inline constexpr int64_t kPatternMemory = 1 << 20;
// Bytes of its text.
inline constexpr size_t kPatternBytes = 4096;
// Memory that must be there when RE2 is entered, which cannot report that there is none (base/re2_call.h). On the way
// to a program of kPatternMemory, or to refusing one, RE2 holds up to 12 MB.
inline constexpr size_t kRe2Room = 16 << 20;
// A further thread that reads is started only where there is as much for it: what one takes, another lacks inside RE2.
inline constexpr size_t kThreadRoom = 64 << 20;
// SQL of a rule or of `query`: virtual machine steps, and time of the processor (base/time_budget.h).
// Steps are the same on every machine, so a query that is refused here is refused there; time is for what one step
// takes long over.
inline constexpr int64_t kQuerySteps = 200'000'000;
inline constexpr int64_t kQueryMilliseconds = 10'000;
// All query rules of one analysis together; those that have no turn any more are counted as a problem.
inline constexpr int64_t kQueryRulesMilliseconds = 20'000;
// Time on the wall, as a multiple of the processor's: a machine that runs twenty other things still answers the same.
inline constexpr int64_t kWallFactor = 20;
// Rows that a query may return; more are an error, not a shorter answer.
inline constexpr size_t kQueryRows = 65536;
// Text of a query, of one value that it makes, and of its whole answer.
inline constexpr size_t kQueryText = 64 * 1024;
inline constexpr size_t kQueryValueBytes = 1 << 20;
inline constexpr size_t kQueryBytes = 64u << 20;
// What `query` may hold in memory while it sorts, which it never does on the disk.
inline constexpr int64_t kQueryMemory = 512ll << 20;
// Findings shown per cause, consequences, harmless lines and warnings shown.
inline constexpr size_t kEvidencePerCause = 12;
inline constexpr size_t kConsequences = 50;
inline constexpr size_t kHarmlessLines = 12;
inline constexpr size_t kLastWords = 2;
inline constexpr size_t kWarnings = 50;
// Facts about where the job ran: variables, interfaces of many hosts.
inline constexpr size_t kEnvironmentFacts = 256;
// Communicators, ranks over all communicators, and connections that a report lists one by one.
// What is left out is counted as `unlisted`.
inline constexpr size_t kReportCommunicators = 4096;
inline constexpr size_t kReportRanks = 32768;
inline constexpr size_t kReportEdges = 32768;
inline constexpr size_t kReportTransports = 64;
inline constexpr size_t kReportClocks = 64;
// Archives: expanded bytes in total and per input byte (bombs), members, nesting.
inline constexpr uint64_t kArchiveBytes = 64ull << 30;
// Logs of text compress to a tenth or a hundredth, a thousandth is a bomb; below the floor no ratio is looked at: a
// short log of one repeated line is honest.
inline constexpr uint64_t kArchiveRatio = 1000;
inline constexpr uint64_t kArchiveRatioFloor = 64ull << 20;
inline constexpr size_t kArchiveMembers = 100'000;
// rank0.log.gz in logs.tar in bundle.zip is the third level; deeper ones are said to be unread.
inline constexpr size_t kArchiveLevels = 3;

}  // namespace ncclwhy::limits
