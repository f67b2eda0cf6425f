// SegmentedRead: one large file, digested segment by segment (parser/segments.h) by as many threads as come to help.
//
//   owner     Begin: segment 0 ── Help: 1 ──── 3 ──── … ── Finish
//   helpers                       Help: 2 ──── 4 ──── …
//
// Segments are joined in order, by whichever thread finds the next one done; those that wait for it are few.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "read/large_file.h"
#include "read/segment_digest.h"

namespace ncclwhy {

// Kept by a shared_ptr: a helper may still be leaving Help when the owner has finished.
class SegmentedRead {
 public:
  // Called with the number of bytes that were read, by several threads.
  using Progress = std::function<void(uint64_t)>;

  // All but the file are borrowed.
  SegmentedRead(std::unique_ptr<LargeFile> file, const RuleSet& rules, const KnowledgeBase& kb,
                const ParserOptions& options, Progress progress);
  ~SegmentedRead();

  // Reads the first segment, or all of a file that cannot be cut. Before Help.
  void Begin();
  // Digests segments until no more are to be begun. Any thread, as often as it likes.
  void Help();
  // Waits for those that help. What one of them threw is thrown here.
  // The owner's, once. `*status` tells what could not be read; the digest has what could.
  SourceDigest Finish(Status* status);

 private:
  struct Done {
    std::unique_ptr<SegmentDigest> digest;  // null: no line begins in it
    Status status;
    uint64_t bytes = 0;
    bool last = false;
  };

  // One segment, by any thread.
  Done Digest(uint64_t number) const;
  // False when `work` threw: then no more are begun.
  bool WithoutLock(std::unique_lock<std::mutex>& lock, const std::function<void()>& work);
  // Joins the segments whose turn it is. The mutex is held by `lock`.
  void JoinReady(std::unique_lock<std::mutex>& lock);

  const std::unique_ptr<LargeFile> file_;
  const uint64_t segment_bytes_;
  const Progress progress_;
  std::unique_ptr<SegmentDigest> first_;          // joined: one thread at a time
  std::unique_ptr<const SegmentDigest> learned_;  // what the others start from

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  uint64_t next_ = 1;  // to be begun
  uint64_t to_join_ = 1;
  bool over_ = true;  // no more are begun
  bool joining_ = false;
  size_t helping_ = 0;
  // By number: segments that wait for one in front of them.
  std::map<uint64_t, Done> done_;
  uint64_t bytes_ = 0;  // of joined segments
  Status status_;
  std::exception_ptr thrown_;
};

}  // namespace ncclwhy
