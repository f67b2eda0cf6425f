// Packer: compresses a stream of bytes, so that ReadSource unpacks it. Equal bytes give equal ones.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct archive;

namespace ncclwhy {

// All packed bytes are in memory. One thread.
class Packer {
 public:
  // zstd where libarchive can, else gzip; neither has a time in it.
  Packer();
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  // Nothing happens behind a failure; Take tells.
  void Push(std::string_view bytes);
  // What was packed; empty when libarchive failed.
  // Once, last.
  std::string Take();

 private:
  struct Close {
    void operator()(archive* a) const;
  };
  std::string out_;
  bool failed_ = false;
  std::unique_ptr<archive, Close> archive_;  // writes to the members above until it is freed
};

}  // namespace ncclwhy
