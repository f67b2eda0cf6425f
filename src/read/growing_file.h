// GrowingFile: one log that is still being written. Gives what is new, in whole lines, each time it is asked.
//
// Rotation (another file has the name now) and truncation (the file became shorter) are survived: what comes then is
// the continuation. A file that does not exist yet may come later. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "read/source.h"

namespace ncclwhy {

// Which file it is, whatever its name: numbers of files that are gone are given to others, with another birth.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  int64_t born = 0;  // nanoseconds, 0: not known
  bool operator<(const FileIdentity& o) const {
    return std::tie(device, inode, born) < std::tie(o.device, o.inode, o.born);
  }
};

// The files that are or were read under some name: x.log, which is x.log.1 now, is not read again.
using FilesRead = std::set<FileIdentity>;

//    train.log is renamed to train.log.1, and a new train.log begins     rotation
//    > train.log                                                         truncation
// Used by `ncclwhy --follow`: one object a file, polled in turns.
class GrowingFile {
 public:
  using Lines = std::function<void(std::string_view)>;

  // `spec.path` is a file, a pipe, or "-" for standard input.
  // `read`, if given, is shared by all that are followed together, and outlives them.
  // Nothing is opened before the first Poll.
  explicit GrowingFile(SourceSpec spec, FilesRead* read = nullptr) : spec_(std::move(spec)), read_(read) {}
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  // Reads what is new, up to a limit. True when the limit was reached: there may be more at once.
  // `lines` gets whole lines with their ends, several at once; a line beyond limits::kLineBytes in pieces. Never waits.
  bool Poll(const Lines& lines);
  // The last line, if it has no end yet.
  void Flush(const Lines& lines);

  const SourceSpec& spec() const { return spec_; }
  // Standard input that was closed, or a file that cannot be followed: nothing more will come.
  bool ended() const { return ended_; }
  // Why it cannot be followed; empty when it can.
  // A sentence that begins with its name.
  const std::string& problem() const { return problem_; }
  // What happened to it since this was asked last ("was truncated …"); mostly empty.
  std::string TakeNotice();

 private:
  // The file that has the name now; none is no error, it may come later.
  void Open();
  // For good: nothing more is read of it.
  void Fail(const std::string& reason);
  // At the end of what is there now: has the file become another one? True when there is something to read.
  bool Restarted(const Lines& lines);
  // Whole lines go on at once, the rest waits; what begins like something packed is not followed.
  void Take(std::string_view bytes, const Lines& lines);

  const SourceSpec spec_;
  FilesRead* const read_;
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  bool regular_ = false;
  bool begun_ = false;
  bool ended_ = false;
  // Bytes read of the file that has the name now.
  uint64_t offset_ = 0;
  std::string tail_;  // a line whose end has not come yet
  std::string problem_;
  std::string notice_;
};

}  // namespace ncclwhy
