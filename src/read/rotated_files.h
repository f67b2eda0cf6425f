// Files that are one log, cut while it was written: logrotate, Python's handlers, the kubelet.
//
//   train.log.2.gz  train.log.1  train.log            by number, the highest is the oldest
//   train.log-20261119  train.log.2026-11-20  0.log.20261120-101502.gz  0.log     by date
//
// They are read as one source, oldest first: what broke in `train.log.1` and how the job ended in `train.log` are then
// two lines of one process, and a line that the cut went through is whole again. Places in reports name the part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/source.h"
#include "read/source_digest.h"

namespace ncclwhy {

// Makes one spec of the parts of each rotated log: the newest, with the others as `earlier`. The file without number or
// date must be there, numbers must be 1, 2, … without a gap, and lines of NCCL in the parts must share a process: logs
// of ranks are numbered, too, and each has processes of its own. Reads the beginning of the files in question.
//    nccl.log.1 nccl.log.2 nccl.log.3 nccl.log      of ranks: no process stands in two of them; left as they are
void JoinRotated(std::vector<SourceSpec>* specs);

// The same for members of an archive, which have been read one by one: each group is one log by names and processes,
// the oldest part first, the log itself last. An archive is read again for each part: so many parts at most in all
// groups as of one log.
std::vector<std::vector<size_t>> RotatedMembers(const std::vector<SourceDigest>& digests);

// A sentence on each log whose parts came in different files of digests, or beside one: they cannot be joined any more.
void TellPartsApart(const std::vector<SourceDigest>& digests, std::vector<std::string>* problems);

// Hands the parts of one log on as if they were one file.
// Counts line ends to tell where each part begins; nothing is put between parts, as a cut goes through a line.
class PartSink : public ByteSink {
 public:
  explicit PartSink(ByteSink& sink) : sink_(sink) {}
  void OnPacked() override { sink_.OnPacked(); }
  // The members of an archive are one log here, too; the first one's name stays.
  bool Begin(std::string_view name) override;
  void Push(std::string_view chunk) override;
  void End() override {}
  bool WantsMore() override { return sink_.WantsMore(); }

  // The next part begins.
  void NextPart(const std::string& name) { parts_.push_back({name, lines_ + 1}); }
  // After the last one.
  void Finish();
  std::vector<SourcePart> TakeParts() { return std::move(parts_); }

 private:
  ByteSink& sink_;
  bool begun_ = false;
  bool wanted_ = false;
  uint64_t lines_ = 0;  // line ends so far
  std::vector<SourcePart> parts_;
};

}  // namespace ncclwhy
