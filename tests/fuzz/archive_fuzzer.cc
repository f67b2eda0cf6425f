// Compressed and archived input: members begin and end in pairs, nothing expands beyond the limit, and reading twice
// gives the same.
#include <string>

#include "base/limits.h"
#include "fuzz/check.h"
#include "fuzz/scratch.h"
#include "read/source.h"

namespace ncclwhy::fuzz {
namespace {

class Recorder : public ByteSink {
 public:
  bool Begin(std::string_view name) override {
    FUZZ_CHECK(!open_);
    FUZZ_CHECK(!name.empty());
    open_ = true;
    ++members_;
    log_.append(name).append(":");
    return true;
  }
  void Push(std::string_view chunk) override {
    FUZZ_CHECK(open_);
    FUZZ_CHECK(!chunk.empty());
    bytes_ += chunk.size();
    for (const char c : chunk) sum_ = (sum_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  }
  void End() override {
    FUZZ_CHECK(open_);
    open_ = false;
    log_.append(std::to_string(sum_)).append("\n");
  }
  void CheckDone(size_t input) const {
    FUZZ_CHECK(!open_);
    FUZZ_CHECK(members_ <= limits::kArchiveMembers);
    FUZZ_CHECK(bytes_ <= limits::kArchiveRatioFloor || bytes_ / (input + 1) <= 2 * limits::kArchiveRatio);
  }
  const std::string& log() const { return log_; }

 private:
  bool open_ = false;
  size_t members_ = 0;
  uint64_t bytes_ = 0;
  uint64_t sum_ = 0;
  std::string log_;
};

}  // namespace
}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ncclwhy;
  const std::string path = fuzz::Scratch::Get().Write("input", fuzz::View(data, size));
  fuzz::Recorder first;
  fuzz::Recorder second;
  const Status status = ReadSource({path, "input"}, first);
  first.CheckDone(size);
  FUZZ_CHECK(status.ok() || status.message().find("input") != std::string::npos);
  const Status again = ReadSource({path, "input"}, second);
  FUZZ_CHECK(status.message() == again.message());
  FUZZ_CHECK(first.log() == second.log());
  return 0;
}
