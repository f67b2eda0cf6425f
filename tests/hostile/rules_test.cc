// Rules, knowledge and queries of a user that ask for everything: refused with a sentence, or stopped in time.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/limits.h"
#include "catch.h"
#include "hostile/run_limited.h"

namespace ncclwhy::hostile {
namespace {

namespace fs = std::filesystem;

class Directory {
 public:
  Directory() {
    std::string name = (fs::temp_directory_path() / "ncclwhy-hostile-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string Write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

constexpr uint64_t kPeak = 256u << 20;
constexpr const char* kSample = NCCLWHY_SOURCE_DIR "/tests/golden/shm-full/job.log";

std::string Times(const std::string& what, size_t n) {
  std::string out;
  while (n-- > 0) out += what;
  return out;
}

std::string Rule(const std::string& member) {
  return "{\"schema\": \"ncclwhy.rule/1\", \"id\": \"rule\", \"role\": \"root\", \"title\": {\"en\": \"t\", \"zh\": "
         "\"t\"}, " +
         member + ", \"causes\": {\"shm.too-small\": 1.0}, \"note\": {\"en\": \"n\", \"zh\": \"n\"}}";
}
std::string Regex(const std::string& regex) { return Rule("\"match\": [{\"regex\": \"" + regex + "\"}]"); }
std::string Query(const std::string& sql) { return Rule("\"query\": \"" + sql + "\""); }

void CheckRefused(const Outcome& o) {
  CAPTURE(o.exit, o.signal, o.err.substr(0, 1000), o.seconds);
  CHECK(o.signal == 0);
  CHECK(o.exit == 2);
  CHECK(o.err.rfind("ncclwhy: ", 0) == 0);
  CHECK(o.err.size() < 20000);
  if (!Sanitized()) CHECK(o.peak_bytes < kPeak);
}

TEST_CASE("rules that cannot be rules are refused with a sentence", "[hostile]") {
  const std::string cases[] = {
      Times("[", 1'000'000),
      Times("{\"a\":", 300'000),
      Times("[", 100'000) + Times("]", 100'000),
      "{\"schema\": " + Times("[", 100'000) + Times("]", 100'000) + "}",
      std::string(1000, '\0'),
      "\xff\xfe{\"schema\"}",
      "{\"id\": \"" + std::string(5'000'000, 'x') + "\"}",
      Regex("("),
      Regex("(a{1000}){1000}"),
      Regex(Times("(", 3000)),
      Regex(std::string(limits::kPatternBytes + 1, 'a')),
      Regex("((((((((((x{100}){100}){100}){100}){100}){100}){100}){100}){100}){100})"),
      Query(std::string(limits::kQueryText + 1, ' ')),
      "{\"schema\": \"ncclwhy.rule/9\"}",
      "null",
      "",
  };
  for (const std::string& text : cases) {
    const Directory directory;
    directory.Write("family/rule/rule.json", text);
    CAPTURE(text.substr(0, 80));
    CheckRefused(RunLimited({"--rules", directory.path(), kSample}));
    const Outcome lint = RunLimited({"rules", "lint", directory.path()});
    CAPTURE(lint.exit, lint.signal, lint.err.substr(0, 500));
    CHECK(lint.signal == 0);
    CHECK(lint.exit != 0);
  }
}

TEST_CASE("a pattern at the border is used", "[hostile]") {
  const Directory directory;
  const std::string regex = "extend " + std::string(limits::kPatternBytes - 8, 'a') + "?";
  REQUIRE(regex.size() == limits::kPatternBytes);
  directory.Write("family/rule/rule.json", Rule(R"("match": [{"literal": "extend ", "regex": ")" + regex + "\"}]"));
  const Outcome o = RunLimited({"--rules", directory.path(), kSample});
  CAPTURE(o.err.substr(0, 1000));
  CHECK(o.exit == 1);
}

TEST_CASE("patterns that are slow elsewhere take linear time", "[hostile]") {
  for (const char* regex : {"(a*)*b", "(a|a)*b", "(a|aa)+$", "(.*)(.*)(.*)(.*)(.*)(.*)(.*)x1", "(x+x+)+y"}) {
    const Directory directory;
    directory.Write("family/rule/rule.json", Regex(std::string("NCCL ") + regex));
    CAPTURE(regex);
    const Outcome o = RunLimited({"--rules", directory.path(), "-"}, [](const Feed& feed) {
      for (int i = 0; i < 50; ++i)
        feed("node1:1:1 [0] NCCL INFO NCCL " + std::string(30000, i % 2 == 0 ? 'a' : 'x') + "\n");
    });
    CAPTURE(o.exit, o.err.substr(0, 500), o.seconds);
    CHECK(o.signal == 0);
    CHECK((o.exit == 0 || o.exit == 2));  // 2: the loader refuses the pattern
    if (!Sanitized()) CHECK(o.seconds < 10);
  }
}

TEST_CASE("queries that never end, or want to write, are stopped", "[hostile]") {
  const std::string endless[] = {
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) AS rank FROM c",
      "SELECT count(*) AS rank FROM event a, event b, event c, event d, event e",
      "SELECT hex(replace(hex(printf('%999999d', 1)), '0', printf('%99999d', 1))) AS host FROM source",
  };
  const std::string forbidden[] = {
      "DELETE FROM event",
      "SELECT load_extension('x') AS rank FROM source",
      "SELECT * FROM sqlite_master",
      "SELECT * FROM _event",
      "ATTACH '/tmp/ncclwhy-hostile' AS x",
      "PRAGMA writable_schema = 1",
      "SELECT readfile('/etc/passwd') AS host FROM source",
      "SELECT 1 AS rank; DROP TABLE _event",
      "VACUUM INTO '/tmp/ncclwhy-hostile'",
  };
  const Directory directory;
  const std::string database = directory.path() + "/job.db";
  REQUIRE(RunLimited({"--db", database, kSample}).exit == 1);
  for (const std::string& sql : endless) {
    CAPTURE(sql);
    const Outcome o = RunLimited({"query", database, sql});
    CheckRefused(o);
    if (!Sanitized()) CHECK(o.seconds < 15);
  }
  for (const std::string& sql : forbidden) {
    CAPTURE(sql);
    CheckRefused(RunLimited({"query", database, sql}));
    const Directory rules;
    rules.Write("family/rule/rule.json", Query(sql));
    const Outcome o = RunLimited({"--rules", rules.path(), kSample});
    CAPTURE(o.err.substr(0, 500));
    CHECK(o.exit == 2);
  }
  CHECK_FALSE(fs::exists("/tmp/ncclwhy-hostile"));
  CHECK(RunLimited({"query", database, "SELECT count(*) FROM event"}).exit == 0);
}

TEST_CASE("knowledge that cannot be knowledge is refused with a sentence", "[hostile]") {
  const std::pair<const char*, std::string> cases[] = {
      {"causes/x.json", Times("[", 1'000'000)},
      {"causes/x.json", Times("{\"a\":", 300'000)},
      {"messages/x.jsonl", Times("{\"format\":", 100'000) + "\n" + Times("[", 100'000)},
      {"messages/x.jsonl", Times("{\"level\":\"WARN\",\"format\":\"%s\"}\n", 20000)},
      {"env.json", std::string(100000, '\0')},
      {"codes.json", "{\"schema\": \"ncclwhy.codes/9\"}"},
      {"known_bugs.json", "[" + Times("1,", 100000) + "1]"},
      {"causes/x.json", "{\"schema\":\"ncclwhy.causes/1\",\"family\":\"x\",\"causes\":[{\"id\":\"" +
                            std::string(1000000, 'x') + "\"}]}"},
      {"other.txt", "x"},
  };
  for (const auto& [name, text] : cases) {
    const Directory directory;
    directory.Write(name, text);
    CAPTURE(name, text.substr(0, 60));
    CheckRefused(RunLimited({"--kb", directory.path(), kSample}));
  }
}

TEST_CASE("directories that go round in circles are read once", "[hostile]") {
  const Directory directory;
  directory.Write("a/b/job.log", "node1:1:1 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n");
  fs::create_directory_symlink(directory.path(), directory.path() + "/a/b/up");
  fs::create_symlink(directory.path() + "/nowhere", directory.path() + "/a/dangling.log");
  fs::create_symlink("loop", directory.path() + "/a/loop");
  const Outcome o = RunLimited({"--format", "json", directory.path()});
  CAPTURE(o.err);
  CHECK(o.signal == 0);
  CHECK(o.out.find("\"sources\": 1,") != std::string::npos);
}

TEST_CASE("archives that expand without end are stopped", "[hostile]") {
  const Directory directory;
  // A megabyte of zeros, compressed again and again by repetition: gzip members one behind the other.
  const std::string bomb = directory.path() + "/bomb.gz";
  const std::string command = "head -c 3000000000 /dev/zero | gzip -1 > '" + bomb + "'";
  if (!Full() || std::system(command.c_str()) != 0) return;
  const Outcome o = RunLimited({"--format", "json", bomb});
  CAPTURE(o.err);
  CHECK(o.signal == 0);
  CHECK(o.peak_bytes < kPeak);
}

}  // namespace
}  // namespace ncclwhy::hostile
