#include "read/growing_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

class GrowingFileTest {
 public:
  GrowingFileTest() {
    std::string pattern = (fs::temp_directory_path() / "ncclwhy-growing-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    path_ = directory_ / "log";
  }
  ~GrowingFileTest() { fs::remove_all(directory_); }

  void Append(const std::string& text) { std::ofstream(path_, std::ios::binary | std::ios::app) << text; }
  // What comes now, pieces in brackets.
  std::string Poll(GrowingFile* file) {
    std::string out;
    while (file->Poll([&](std::string_view lines) { out += "[" + std::string(lines) + "]"; })) {
    }
    return out;
  }
  std::string Flush(GrowingFile* file) {
    std::string out;
    file->Flush([&](std::string_view lines) { out += lines; });
    return out;
  }

  fs::path directory_;
  fs::path path_;
};

TEST_CASE_METHOD(GrowingFileTest, "whole lines come as they are written", "[follow]") {
  GrowingFile file({path_.string(), "log"});
  CHECK(Poll(&file).empty());  // not there yet
  CHECK_FALSE(file.ended());
  Append("one\ntw");
  CHECK(Poll(&file) == "[one\n]");
  CHECK(Poll(&file).empty());
  Append("o");
  CHECK(Poll(&file).empty());
  Append("\nthree\nfour");
  CHECK(Poll(&file) == "[two\nthree\n]");
  CHECK(Flush(&file) == "four");
  CHECK(Flush(&file).empty());
  CHECK(file.TakeNotice().empty());
}

TEST_CASE_METHOD(GrowingFileTest, "a truncated file goes on from its beginning", "[follow]") {
  GrowingFile file({path_.string(), "log"});
  Append("one\nhalf a line");
  CHECK(Poll(&file) == "[one\n]");
  fs::resize_file(path_, 0);
  CHECK(Poll(&file) == "[half a line\n]");
  CHECK(file.TakeNotice().find("truncated") != std::string::npos);
  CHECK(file.TakeNotice().empty());
  Append("two\n");
  CHECK(Poll(&file) == "[two\n]");
}

TEST_CASE_METHOD(GrowingFileTest, "a rotated file is read to its end, then the new one", "[follow]") {
  GrowingFile file({path_.string(), "log"});
  Append("one\n");
  CHECK(Poll(&file) == "[one\n]");
  Append("last\n");
  fs::rename(path_, directory_ / "log.1");
  CHECK(Poll(&file) == "[last\n]");  // gone, and nothing in its place yet
  CHECK_FALSE(file.ended());
  Append("new\n");
  CHECK(Poll(&file) == "[new\n]");
  CHECK(file.TakeNotice().find("rotated") != std::string::npos);
  fs::remove(path_);
  CHECK(Poll(&file).empty());
  CHECK_FALSE(file.ended());
}

TEST_CASE_METHOD(GrowingFileTest, "what cannot be followed says why", "[follow]") {
  Append(std::string("\x1f\x8b\x08\0packed", 10));
  GrowingFile packed({path_.string(), "log"});
  CHECK(Poll(&packed).empty());
  CHECK(packed.ended());
  CHECK(packed.problem().find("compressed") != std::string::npos);
  GrowingFile directory({directory_.string(), "d"});
  CHECK(Poll(&directory).empty());
  CHECK(directory.problem() == "d: is a directory");
}

TEST_CASE_METHOD(GrowingFileTest, "a named pipe does not block, and ends", "[follow]") {
  REQUIRE(::mkfifo(path_.c_str(), 0600) == 0);
  GrowingFile file({path_.string(), "log"});
  CHECK(Poll(&file).empty());
  CHECK_FALSE(file.ended());
  {
    std::ofstream writer(path_);
    writer << "one\n" << std::flush;
    CHECK(Poll(&file) == "[one\n]");
    CHECK_FALSE(file.ended());
  }
  CHECK(Poll(&file).empty());
  CHECK(file.ended());
}

TEST_CASE_METHOD(GrowingFileTest, "a line without end does not grow without end", "[follow]") {
  GrowingFile file({path_.string(), "log"});
  Append(std::string(1 << 20, 'x'));
  CHECK(Poll(&file).size() >= (1u << 20) - (256u << 10));
  CHECK(Flush(&file).size() <= (256u << 10));
}

}  // namespace
}  // namespace ncclwhy
