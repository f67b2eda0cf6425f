// Limits of archives at the border and one beyond: what is inside is read whole, what is outside is said.
#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "base/limits.h"
#include "catch.h"
#include "read/expansion_budget.h"
#include "read/source.h"

namespace ncclwhy::hostile {
namespace {

namespace fs = std::filesystem;

class File {
 public:
  File() {
    std::string name = (fs::temp_directory_path() / "ncclwhy-archive-XXXXXX").string();
    const int fd = mkstemp(name.data());
    REQUIRE(fd >= 0);
    close(fd);
    path_ = name;
  }
  ~File() { unlink(path_.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Counter : public ByteSink {
 public:
  bool Begin(std::string_view) override {
    ++members;
    return true;
  }
  void Push(std::string_view chunk) override {
    bytes += chunk.size();
    if (first.empty()) first = chunk.substr(0, 16);
  }
  void End() override { ++ended; }
  size_t members = 0;
  size_t ended = 0;
  uint64_t bytes = 0;
  std::string first;
};

// An archive of `count` members of `size` bytes each: zeros, or `text`.
void Pack(const std::string& path, const char* format, const char* filter, size_t count, uint64_t size,
          const std::string& text = {}) {
  archive* a = archive_write_new();
  REQUIRE(archive_write_set_format_by_name(a, format) == ARCHIVE_OK);
  if (*filter != '\0') REQUIRE(archive_write_add_filter_by_name(a, filter) == ARCHIVE_OK);
  REQUIRE(archive_write_open_filename(a, path.c_str()) == ARCHIVE_OK);
  const std::string zeros(1u << 20, '\0');
  for (size_t i = 0; i < count; ++i) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, ("rank" + std::to_string(i)).c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(size));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    REQUIRE(archive_write_header(a, entry) == ARCHIVE_OK);
    for (uint64_t written = 0; written < size;) {
      const std::string& from = text.empty() ? zeros : text;
      const la_ssize_t n = archive_write_data(a, from.data(), std::min<uint64_t>(from.size(), size - written));
      REQUIRE(n > 0);
      written += static_cast<uint64_t>(n);
    }
    archive_entry_free(entry);
  }
  REQUIRE(archive_write_close(a) == ARCHIVE_OK);
  archive_write_free(a);
}

TEST_CASE("what an archive may become", "[hostile]") {
  constexpr uint64_t kPlenty = limits::kArchiveBytes;  // of packed bytes: no bomb
  ExpansionBudget whole;
  CHECK(whole.Spend(limits::kArchiveBytes, kPlenty));
  CHECK_FALSE(whole.Spend(1, kPlenty));
  ExpansionBudget small;  // below the floor nobody asks for the ratio
  CHECK(small.Spend(limits::kArchiveRatioFloor, 1));
  CHECK_FALSE(small.Spend(1, 1));
  constexpr uint64_t kPacked = limits::kArchiveRatioFloor;
  ExpansionBudget bomb;
  CHECK(bomb.Spend(kPacked * limits::kArchiveRatio, kPacked));
  CHECK_FALSE(bomb.Spend(kPacked, kPacked));
}

TEST_CASE("a bomb is read up to the limit and said to be one", "[hostile]") {
  for (const uint64_t more : {0, 1}) {
    const File file;
    Pack(file.path(), "raw", "gzip", 1, limits::kArchiveRatioFloor + more);
    REQUIRE(limits::kArchiveRatioFloor / fs::file_size(file.path()) > limits::kArchiveRatio);
    Counter sink;
    const Status status = ReadSource({file.path(), "bomb.gz"}, sink);
    CAPTURE(more, status.message());
    CHECK(status.ok() == (more == 0));
    CHECK(sink.bytes <= limits::kArchiveRatioFloor);
    CHECK(sink.bytes >= limits::kArchiveRatioFloor - (1u << 20));
    CHECK(sink.ended == 1);
    if (more != 0) CHECK(status.message().find("expands to more than the limit") != std::string::npos);
  }
}

TEST_CASE("members of an archive", "[hostile]") {
  for (const size_t more : {0, 1}) {
    const File file;
    Pack(file.path(), "ustar", "", limits::kArchiveMembers + more, 1);
    Counter sink;
    const Status status = ReadSource({file.path(), "logs.tar"}, sink);
    CAPTURE(more, status.message());
    CHECK(status.ok() == (more == 0));
    CHECK(sink.members == limits::kArchiveMembers);
    CHECK(sink.ended == limits::kArchiveMembers);
    if (more != 0) CHECK(status.message().find("too many members") != std::string::npos);
  }
}

TEST_CASE("levels of packing", "[hostile]") {
  const auto first_bytes = [](size_t levels) {
    std::string bytes = "node1:100:101 [0] NCCL INFO x\n";
    for (size_t i = 0; i < levels; ++i) {
      const File file;
      Pack(file.path(), "raw", "gzip", 1, bytes.size(), bytes);
      std::ifstream in(file.path(), std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    const File file;
    std::ofstream(file.path(), std::ios::binary) << bytes;
    Counter sink;
    const Status status = ReadSource({file.path(), "rank0.log.gz"}, sink);
    CHECK(status.ok() == (sink.members == 1));
    return status.ok() ? sink.first : status.message();
  };
  CHECK(first_bytes(limits::kArchiveLevels) == "node1:100:101 [0");
  // What is packed still deeper is said to be unread.
  CHECK(first_bytes(limits::kArchiveLevels + 1) == "rank0.log.gz: is packed more than 3 times and was not read");
}

// Each layer is nearly nothing once it is compressed, and what is inside of all of them is nothing: only what stands
// between the layers is large.
TEST_CASE("layers that are large only on the way", "[hostile]") {
  const File empty;
  Pack(empty.path(), "raw", "gzip", 1, 0);
  std::ifstream in(empty.path(), std::ios::binary);
  const std::string member{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(member.size() > 10);
  std::string members;
  while (members.size() + member.size() <= (1u << 20)) members += member;
  const File file;
  Pack(file.path(), "raw", "zstd", 1, members.size() * 200, members);
  REQUIRE(members.size() * 200 > limits::kArchiveRatioFloor);
  Counter sink;
  const Status status = ReadSource({file.path(), "rank0.log.gz.zst"}, sink);
  CAPTURE(status.message());
  CHECK(sink.bytes == 0);
  CHECK(status.message().find("expands to more than the limit") != std::string::npos);
}

}  // namespace
}  // namespace ncclwhy::hostile
