// What a generator tried and what of it failed, by class. Printed as `hostile: CLASS tried N failed M`, which all.py
// adds up. The first failures are told one by one; a test checks `failed() == 0`.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace ncclwhy::hostile {

class Tally {
 public:
  explicit Tally(const char* name) : name_(name) {}
  ~Tally() { std::printf("hostile: %s tried %zu failed %zu\n", name_, tried_, failed_); }
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  void Try(bool good, const std::string& what) {
    ++tried_;
    if (good || ++failed_ > 20) return;
    std::printf("%s: %s\n", name_, what.c_str());
  }
  size_t failed() const { return failed_; }

 private:
  const char* name_;
  size_t tried_ = 0, failed_ = 0;
};

}  // namespace ncclwhy::hostile
