// Scratch: a directory of this process for targets whose subject reads files. In memory where the system has /dev/shm.
#pragma once

#include <string>
#include <string_view>

namespace ncclwhy::fuzz {

class Scratch {
 public:
  // Made at the first call, removed when the process ends.
  static Scratch& Get();
  // Writes `name`, which may contain directories, and returns its path.
  std::string Write(std::string_view name, std::string_view bytes);
  const std::string& root() const { return root_; }

  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
  Scratch();
  ~Scratch();
  std::string root_;
};

}  // namespace ncclwhy::fuzz
