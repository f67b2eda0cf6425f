// RunFolder: where one `ncclwhy run` keeps what it writes: `logs/`, which is what is read, and the report beside it.
#pragma once

#include <string>

#include "ncclwhy/status.h"

namespace ncclwhy {

class RunFolder {
 public:
  RunFolder() = default;

  // In `wanted` itself if it is new or empty, else in a folder of its own in there. Empty: in $TMPDIR, until Remove().
  static Result<RunFolder> Make(const std::string& wanted);

  const std::string& path() const { return path_; }  // absolute
  std::string logs() const { return path_ + "/logs"; }
  std::string report(const char* suffix) const { return path_ + "/report." + suffix; }
  // Nobody asked for it, and all went well.
  void RemoveUnlessWanted() const;

 private:
  std::string path_;
  bool wanted_ = false;
};

}  // namespace ncclwhy
