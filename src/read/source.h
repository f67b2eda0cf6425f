// Source: where bytes come from. Files, directories, standard input, compressed files and archives (libarchive).
//
// Plain read(2), no mmap: a log may be truncated while it is read. Nothing an archive names is ever opened or created.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ncclwhy/status.h"

namespace ncclwhy {

// One thing to open. `-` is standard input.
// A name that a person wrote on the command line, or found in a folder.
struct SourceSpec {
  std::string path;
  std::string name;                       // what reports print
  std::vector<std::string> earlier = {};  // paths of older parts of a rotated log, the oldest first (rotated_files.h)
};

// Expands directories (recursively, regular files only, sorted by name; no hidden files) and globs that the shell left
// alone. A path that does not exist or a directory without files adds a sentence to `problems`.
//    logs/  'rank*.log'  bundle.tar.gz  -
// `most`: enough for who only asks whether there is anything; of a folder, those that the file system names first.
std::vector<SourceSpec> ExpandSources(const std::vector<std::string>& arguments, std::vector<std::string>* problems,
                                      size_t most = SIZE_MAX);

// Receives the bytes of one source or of one archive member.
// Called by one thread: Begin, Push …, End for each member, in turns.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // What follows has to be unpacked, which takes as long as looking at it.
  virtual void OnPacked() {}
  // A new member begins (called once for plain files). Returning false skips it.
  virtual bool Begin(std::string_view name) = 0;
  virtual void Push(std::string_view chunk) = 0;
  virtual void End() = 0;
  // Asked between chunks and members. False ends the reading early and without an error: the sink knows why.
  virtual bool WantsMore() { return true; }
};

// Reads `spec` to its end into `sink`, expanding .gz .xz .zst .bz2 .zip .tar.* by content, not by name.
// What was read before an error has been pushed, and End() is called for it.
// kNotFound, kIo; kLimit for what expands too far. A directory is refused.
Status ReadSource(const SourceSpec& spec, ByteSink& sink);

// The same for a descriptor that is open already (a pipe, a socket); it is borrowed. `name` is what reports print.
// Read from where it stands, to its end.
Status ReadDescriptor(int fd, const std::string& name, ByteSink& sink);

}  // namespace ncclwhy
