// RunFolder: where one `ncclwhy run` keeps what it writes: `logs/`, which is what is read, and the report beside it.
// For its owner only: a job may print anything.
#pragma once

#include <string>

#include "ncclwhy/status.h"

namespace ncclwhy {

class RunFolder {
 public:
  RunFolder() = default;

  // In `wanted` itself if it is new or empty, else in a folder of its own in there. Empty, or when it cannot be made,
  // which is a sentence in `trouble`: in $TMPDIR, /tmp, /var/tmp, or where we are. Fails when none of them takes it.
  static Result<RunFolder> Make(const std::string& wanted, std::string* trouble);

  const std::string& path() const { return path_; }  // absolute
  std::string logs() const { return path_ + "/logs"; }
  std::string report(const char* suffix) const { return path_ + "/report." + suffix; }
  // Nobody asked for it, and all went well.
  void RemoveUnlessWanted() const;

  // Both Make… fail with a sentence that names the folder.
 private:
  // In `wanted`, or below it where it has something in it.
  static Result<RunFolder> MakeIn(const std::string& wanted);
  // A folder with a name of its own below `folder`.
  static Result<RunFolder> MakeTemporary(const std::string& folder);
  // The folder for what the command prints, for its owner only.
  Status MakeLogs() const;

  std::string path_;
  bool wanted_ = false;
};

}  // namespace ncclwhy
