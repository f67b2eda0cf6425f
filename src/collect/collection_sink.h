// CollectionSink: where a collection goes: an archive, or a folder.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ncclwhy/status.h"

namespace ncclwhy {

class CollectionSink {
 public:
  virtual ~CollectionSink() = default;
  // A file of that size: `next` gives its bytes piece by piece; an empty piece ends it
  // early, and an archive fills it up with NUL.
  virtual Status Add(const std::string& name, uint64_t size, const std::function<std::string_view()>& next) = 0;
  // Once, last. What was added before may be nowhere until then.
  virtual Status Finish() = 0;
  // Whether this file is where the collection goes: it may lie in a folder that is collected.
  virtual bool IsItself(const struct stat& file) const;

  // A file with this text.
  Status AddText(const std::string& name, std::string_view text);
};

// A .tar.gz, which is there when Finish has been called.
Result<std::unique_ptr<CollectionSink>> NewTarSink(const std::string& path);
// Files below a folder.
std::unique_ptr<CollectionSink> NewFolderSink(const std::string& path);

}  // namespace ncclwhy
