#include "read/source.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/time_budget.h"
#include "catch.h"
#include "temporary_directory.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct CollectBytes : ByteSink {
  std::vector<std::pair<std::string, std::string>> members;
  int open = 0;
  bool Begin(std::string_view name) override {
    if (name.find("skip") != std::string_view::npos) return false;
    members.emplace_back(std::string(name), "");
    ++open;
    return true;
  }
  void Push(std::string_view chunk) override { members.back().second += chunk; }
  void End() override { --open; }
};

// Writes an archive with libarchive: format "tar", "zip" or "raw", filter "none", "gzip", "xz", "zstd" or "bzip2".
std::string Pack(const std::string& path, const std::string& format, const std::string& filter,
                 const std::vector<std::pair<std::string, std::string>>& members) {
  archive* a = archive_write_new();
  REQUIRE(archive_write_set_format_by_name(a, format.c_str()) == ARCHIVE_OK);
  if (filter != "none") REQUIRE(archive_write_add_filter_by_name(a, filter.c_str()) == ARCHIVE_OK);
  REQUIRE(archive_write_open_filename(a, path.c_str()) == ARCHIVE_OK);
  for (const auto& [name, bytes] : members) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    REQUIRE(archive_write_header(a, entry) == ARCHIVE_OK);
    REQUIRE(archive_write_data(a, bytes.data(), bytes.size()) == static_cast<la_ssize_t>(bytes.size()));
    archive_entry_free(entry);
  }
  archive_write_close(a);
  archive_write_free(a);
  return path;
}

TEST_CASE("directories are walked, sorted, without hidden files", "[source]") {
  const TemporaryDirectory dir;
  for (const char* name : {"b.log", "a.log", "sub/c.log", ".hidden", ".git/x"}) WriteFile(dir / name, "x");
  fs::create_directories(dir / "empty");
  std::vector<std::string> problems;
  std::vector<std::string> paths;
  for (const SourceSpec& s : ExpandSources({dir.string()}, &problems)) paths.push_back(s.path);
  CHECK(paths == std::vector<std::string>{dir / "a.log", dir / "b.log", dir / "sub/c.log"});
  CHECK(problems.empty());
  paths.clear();
  for (const SourceSpec& s : ExpandSources({dir / "*.log", dir / "a.log", "-"}, &problems)) paths.push_back(s.path);
  CHECK(paths == std::vector<std::string>{dir / "a.log", dir / "b.log", "-"});
  CHECK(problems.empty());
  CHECK(ExpandSources({dir.string(), dir / "*.log"}, &problems, 1).size() == 1);  // whether there is anything
  CHECK(problems.empty());
  CHECK(ExpandSources({dir / "none.log", dir / "x*.log", dir / "empty"}, &problems).empty());
  CHECK(problems.size() == 3);
}

TEST_CASE("a link leads to a file of the directory, not out of it", "[source]") {
  namespace fs = std::filesystem;
  std::string root = (fs::temp_directory_path() / "ncclwhy-links-XXXXXX").string();
  REQUIRE(mkdtemp(root.data()) != nullptr);
  fs::create_directories(root + "/logs");
  std::ofstream(root + "/logs/a.log") << "a";
  std::ofstream(root + "/outside.log") << "b";
  fs::create_symlink("a.log", root + "/logs/in.log");
  fs::create_symlink("../outside.log", root + "/logs/out.log");
  std::vector<std::string> problems;
  std::vector<std::string> names;
  for (const SourceSpec& spec : ExpandSources({root + "/logs"}, &problems))
    names.push_back(fs::path(spec.path).filename());
  CHECK(names == std::vector<std::string>{"a.log", "in.log"});
  REQUIRE(problems.size() == 1);
  CHECK(problems[0] == root + "/logs/out.log: is a link out of the directory; name it to read it");
  problems.clear();
  CHECK(ExpandSources({root + "/logs/out.log"}, &problems).size() == 1);
  CHECK(problems.empty());
  fs::remove_all(root);
}

TEST_CASE("very many names take time by their number, not by its square", "[source]") {
  const TemporaryDirectory dir;
  WriteFile(dir / "a.log", "x");
  std::vector<std::string> names;  // of the same file, each spelled in a way of its own
  for (uint32_t i = 0; i < (1u << 17); ++i) {
    std::string name = dir.string() + "/";
    for (uint32_t bit = 0; bit < 17; ++bit) name += (i >> bit & 1) != 0 ? "./" : "/";
    names.push_back(name + "a.log");
  }
  std::vector<std::string> problems;
  const int64_t begin = ThreadMilliseconds();
  CHECK(ExpandSources(names, &problems).size() > (1u << 16));
  CHECK(ThreadMilliseconds() - begin < 20'000);
}

// A folder with .dstack.yml in it and its tar gave different answers.
TEST_CASE("hidden members of an archive are left out as hidden files of a directory are", "[source]") {
  const TemporaryDirectory dir;
  CollectBytes sink;
  const std::vector<std::pair<std::string, std::string>> members = {
      {"./.dstack.yml", "x"}, {"logs/.git/HEAD", "x"}, {"./rank0.log", "a"}, {"../rank1.log", "b"}, {"..log/c", "x"}};
  REQUIRE(ReadSource({Pack(dir / ".named.tar", "ustar", "none", members), "t"}, sink).ok());
  REQUIRE(sink.members.size() == 2);
  CHECK(sink.members[0].second == "a");
  CHECK(sink.members[1].second == "b");
  const Status status = ReadSource({Pack(dir / "h.zip", "zip", "none", {{".env", "x"}}), "h.zip"}, sink);
  CHECK(status.message() == "h.zip: holds hidden files only; unpack and name one to read it");
}

TEST_CASE("what was read from standard input before is not missing", "[source]") {
  const TemporaryDirectory dir;
  WriteFile(dir / "a.log", "first line\nsecond line\n");
  const int fd = ::open((dir / "a.log").c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(fd >= 0);
  REQUIRE(::lseek(fd, 11, SEEK_SET) == 11);
  CollectBytes sink;
  const Status status = ReadDescriptor(fd, "a", sink);
  ::close(fd);
  CHECK(status.ok());
  REQUIRE(sink.members.size() == 1);
  CHECK(sink.members[0].second == "second line\n");
}

TEST_CASE("plain files are read whole", "[source]") {
  const TemporaryDirectory dir;
  const std::string big(3 << 20, 'x');
  WriteFile(dir / "a.log", big + "end\n");
  WriteFile(dir / "empty.log", "");
  CollectBytes sink;
  REQUIRE(ReadSource({dir / "a.log", "a"}, sink).ok());
  REQUIRE(ReadSource({dir / "empty.log", "empty"}, sink).ok());
  REQUIRE(sink.members.size() == 2);
  CHECK(sink.members[0].second == big + "end\n");
  CHECK(sink.members[1].second.empty());
  CHECK(sink.open == 0);
  CHECK(ReadSource({dir / "no.log", "no"}, sink).code() == ErrorCode::kNotFound);
  CHECK(ReadSource({dir.string(), "dir"}, sink).code() == ErrorCode::kIo);
}

TEST_CASE("compressed files and archives are told by content", "[source]") {
  const TemporaryDirectory dir;
  const std::string text = "node3:4711:4790 [2] NCCL INFO hello\n";
  for (const char* filter : {"gzip", "xz", "zstd", "bzip2"}) {
    INFO(filter);
    CollectBytes sink;
    const std::string path = Pack(dir / "one.log", "raw", filter, {{"x", text}});
    REQUIRE(ReadSource({path, "one.log"}, sink).ok());
    REQUIRE(sink.members.size() == 1);
    CHECK(sink.members[0] == std::pair<std::string, std::string>{"one.log", text});
    for (const char* format : {"ustar", "pax"}) {
      CollectBytes members;
      const std::string tar =
          Pack(dir / "some.log", format, filter, {{"r/0.log", text}, {"skip.log", "no"}, {"r/1.log", text + text}});
      REQUIRE(ReadSource({tar, "some.log"}, members).ok());
      REQUIRE(members.members.size() == 2);
      CHECK(members.members[1] == std::pair<std::string, std::string>{"some.log/r/1.log", text + text});
      CHECK(members.open == 0);
    }
  }
  CollectBytes zip;
  REQUIRE(ReadSource({Pack(dir / "z", "zip", "none", {{"a", text}, {"b", text}}), "z"}, zip).ok());
  CHECK(zip.members.size() == 2);
}

TEST_CASE("what is packed inside an archive is expanded, too", "[source]") {
  const TemporaryDirectory dir;
  const std::string text = "node3:4711:4790 [2] NCCL INFO hello\n";
  const std::string gz = Read(Pack(dir / "0.gz", "raw", "gzip", {{"x", text}}));
  const std::string tar = Read(Pack(dir / "in.tar", "ustar", "zstd", {{"r0.log.gz", gz}, {"plain.log", text + text}}));
  CollectBytes sink;
  const std::string bundle = Pack(dir / "b.zip", "zip", "none", {{"in.tar.zst", tar}, {"last.log", text}});
  REQUIRE(ReadSource({bundle, "b.zip"}, sink).ok());
  REQUIRE(sink.members.size() == 3);
  CHECK(sink.members[0] == std::pair<std::string, std::string>{"b.zip/in.tar.zst/r0.log.gz", text});
  CHECK(sink.members[1] == std::pair<std::string, std::string>{"b.zip/in.tar.zst/plain.log", text + text});
  CHECK(sink.members[2] == std::pair<std::string, std::string>{"b.zip/last.log", text});
  CHECK(sink.open == 0);
  // Deeper than anybody packs: said to be unread.
  WriteFile(dir / "deep", text);
  for (int level = 0; level < 6; ++level) {
    const std::string inner = Read(dir / "deep");
    Pack(dir / "deep", "ustar", "gzip", {{"d", inner}});
  }
  CollectBytes deep;
  CHECK(ReadSource({dir / "deep", "deep"}, deep).message() ==
        "deep/d/d/d: is packed more than 3 times and was not read");
  CHECK(deep.members.empty());
}

TEST_CASE("a member's name is only a name", "[source]") {
  const TemporaryDirectory dir;
  fs::create_directories(dir / "a/b");
  const std::string path = Pack(dir / "a/b/x.tar", "ustar", "none", {{"../../x", "one\n"}, {"/etc/hostname", "two\n"}});
  CollectBytes sink;
  REQUIRE(ReadSource({path, "x.tar"}, sink).ok());
  REQUIRE(sink.members.size() == 2);
  CHECK(sink.members[0] == std::pair<std::string, std::string>{"x.tar/../../x", "one\n"});
  CHECK(sink.members[1].second == "two\n");
  CHECK_FALSE(fs::exists(dir / "x"));
}

TEST_CASE("a pipe that delivers slowly is told by its content", "[source]") {
  const TemporaryDirectory dir;
  const std::string bytes = Read(Pack(dir / "t", "ustar", "none", {{"r.log", "hello\n"}}));
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  std::thread writer([&] {
    for (size_t i = 0; i < bytes.size(); i += 100) {
      (void)!::write(ends[1], bytes.data() + i, std::min<size_t>(100, bytes.size() - i));
      if (i < 1000) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ::close(ends[1]);
  });
  CollectBytes sink;
  const Status status = ReadDescriptor(ends[0], "body", sink);
  writer.join();
  ::close(ends[0]);
  REQUIRE(status.ok());
  REQUIRE(sink.members.size() == 1);
  CHECK(sink.members[0] == std::pair<std::string, std::string>{"body/r.log", "hello\n"});
}

TEST_CASE("a sink that has enough ends the reading without an error", "[source]") {
  const TemporaryDirectory dir;
  const std::string big(8 << 20, 'x');
  WriteFile(dir / "plain", big);
  Pack(dir / "packed", "raw", "gzip", {{"x", big}});
  for (const char* name : {"plain", "packed"}) {
    INFO(name);
    struct Enough : CollectBytes {
      bool WantsMore() override { return members.empty() || members.back().second.empty(); }
    } sink;
    CHECK(ReadSource({dir / name, name}, sink).ok());
    REQUIRE(sink.members.size() == 1);
    CHECK(sink.members[0].second.size() <= (1u << 20));
    CHECK(sink.open == 0);
  }
}

TEST_CASE("a damaged archive gives what could be read, and a sentence", "[source]") {
  const TemporaryDirectory dir;
  std::string noise;
  for (unsigned i = 0, x = 1; i < 400000; ++i)
    noise += static_cast<char>('a' + ((x = x * 1103515245u + 12345u) >> 16) % 26);
  const std::string path = Pack(dir / "cut.gz", "raw", "gzip", {{"x", noise}});
  fs::resize_file(path, fs::file_size(path) / 2);
  CollectBytes sink;
  const Status status = ReadSource({path, "cut.gz"}, sink);
  CHECK(status.code() == ErrorCode::kIo);
  CHECK(status.message().find("cut.gz") != std::string::npos);
  REQUIRE(sink.members.size() == 1);
  CHECK_FALSE(sink.members[0].second.empty());
  CHECK(sink.open == 0);
  // Two bytes are no gzip file: read as it is.
  WriteFile(dir / "fake.gz", "\x1F\x8Bnot gzip at all");
  CollectBytes fake;
  CHECK(ReadSource({dir / "fake.gz", "fake.gz"}, fake).ok());
  CHECK(fake.members.at(0).second == "\x1F\x8Bnot gzip at all");
}

TEST_CASE("a bomb is stopped", "[source]") {
  const TemporaryDirectory dir;
  const std::string path = Pack(dir / "bomb", "raw", "bzip2", {{"x", std::string(200 << 20, '\0')}});
  struct Counting : ByteSink {
    size_t bytes = 0;
    bool Begin(std::string_view) override { return true; }
    void Push(std::string_view chunk) override { bytes += chunk.size(); }
    void End() override {}
  } sink;
  CHECK(ReadSource({path, "bomb"}, sink).code() == ErrorCode::kLimit);
  CHECK(sink.bytes < (100u << 20));
}

}  // namespace
}  // namespace ncclwhy
