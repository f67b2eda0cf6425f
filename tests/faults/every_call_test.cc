// The n-th call of the system fails, for every n until none is left: no crash, a documented exit status, a sentence,
// and files that are whole or as they were.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "hostile/run_limited.h"
#include "hostile/tally.h"

namespace ncclwhy::hostile {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLog = NCCLWHY_SOURCE_DIR "/tests/golden/shm-full/job.log";
constexpr const char* kHealthy = NCCLWHY_SOURCE_DIR "/tests/golden/healthy/job.log";

std::string Slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

// A fresh directory for every n; the mark stands outside of it.
class Ground {
 public:
  Ground() {
    std::string name = (fs::temp_directory_path() / "ncclwhy-every-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
  }
  ~Ground() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  void Clear() const {
    fs::remove_all(root_ / "work");
    fs::create_directory(root_ / "work");
    fs::remove(root_ / "mark");
  }
  std::string File(const std::string& name) const { return (root_ / "work" / name).string(); }
  std::string mark() const { return (root_ / "mark").string(); }
  std::vector<std::string> Names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(root_ / "work")) out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  fs::path root_;
};

// Runs with fault=0, 1, 2 … until there is no such call any more; `prepare` before each run, `check` behind it.
size_t ForEveryCall(const Ground& ground, const std::string& fault, const std::vector<std::string>& arguments,
                    const std::function<void()>& prepare, const std::function<void(const Outcome&)>& check) {
  constexpr size_t kMany = 100'000;
  for (size_t n = 0; n < kMany; ++n) {
    ground.Clear();
    prepare();
    setenv("LD_PRELOAD", NCCLWHY_FAULTY_IO, 1);
    setenv("NCCLWHY_FAULT", (fault + "=" + std::to_string(n)).c_str(), 1);
    setenv("NCCLWHY_FAULT_MARK", ground.mark().c_str(), 1);
    const Outcome o = RunLimited(arguments);
    for (const char* name : {"LD_PRELOAD", "NCCLWHY_FAULT", "NCCLWHY_FAULT_MARK"}) unsetenv(name);
    CAPTURE(fault, n, o.exit, o.signal, o.err);
    const bool happened = fs::exists(ground.mark());
    if (!happened) {
      CHECK(o.exit == 1);  // as if nothing had been tried
      std::printf("%-12s %-40s %4zu calls failed\n", fault.c_str(), arguments[0].c_str(), n);
      return n;
    }
    check(o);
  }
  FAIL("no end of calls");
  return 0;
}

bool Skipped() { return Sanitized(); }  // a sanitizer's runtime wants to be the first library

void CheckSaid(const Outcome& o) {
  CHECK(o.signal == 0);
  CHECK((o.exit == 1 || o.exit == 2));
  if (o.exit == 2) CHECK(o.err.find("ncclwhy: ") == 0);
}

TEST_CASE("every read fails once", "[faults]") {
  if (Skipped()) return;
  const Ground ground;
  ground.Clear();
  const std::string whole = RunLimited({"--format", "json", kLog}).out;
  for (const char* packed : {"", "gzip", "xz", "bzip2"}) {
    if (*packed != '\0' && std::system((std::string("command -v ") + packed + " > /dev/null").c_str()) != 0) continue;
    const auto prepare = [&] {
      const std::string pack = *packed == '\0' ? "cat" : packed + std::string(" -c");
      REQUIRE(std::system((pack + " < '" + kLog + "' > '" + ground.File("job.log") + "'").c_str()) == 0);
    };
    const auto calls =
        ForEveryCall(ground, "nth-read", {"--format", "json", ground.File("job.log")}, prepare, [&](const Outcome& o) {
          CheckSaid(o);
          CHECK(o.out.find("\"schema\": \"ncclwhy.report/1\"") != std::string::npos);
        });
    CHECK(calls >= 2);
  }
}

TEST_CASE("every change on the way to a report fails once", "[faults]") {
  if (Skipped()) return;
  const Ground ground;
  const std::string file = ground.File("report.html");
  ground.Clear();
  REQUIRE(RunLimited({"--format", "html", "-o", file, kLog}).exit == 1);
  const std::string whole = Slurp(file);
  for (const char* fault : {"nth-change", "nth-denied"}) {
    for (const bool exists : {false, true}) {
      const auto prepare = [&] {
        if (exists) std::ofstream(file) << "old";
      };
      const auto calls =
          ForEveryCall(ground, fault, {"--format", "html", "-o", file, kLog}, prepare, [&](const Outcome& o) {
            CheckSaid(o);
            const std::string found = Slurp(file);
            CHECK(found == (o.exit == 1 ? whole : exists ? "old" : ""));
            // A temporary file stays behind only where removing it is what failed.
            CHECK(ground.Names().size() <= (exists || o.exit == 1 ? 1u : 0u));
          });
      CHECK(calls >= 3);
    }
  }
}

// What a timeline says, all of it; empty when it is refused.
std::string Timeline(const std::string& file) {
  std::string out;
  for (const char* sql :
       {"SELECT * FROM source", "SELECT * FROM event", "SELECT * FROM finding", "SELECT * FROM cause"}) {
    const Outcome query = RunLimited({"query", file, sql});
    if (query.exit != 0) return {};
    out += query.out;
  }
  return out;
}

// Two timelines, the old one of another log, and what the new one is.
struct Timelines {
  explicit Timelines(const std::string& file) {
    REQUIRE(RunLimited({"--db", file, "-o", "/dev/null", kHealthy}).exit == 0);
    earlier = Slurp(file);
    said_earlier = Timeline(file);
    REQUIRE(RunLimited({"--db", file, "-o", "/dev/null", kLog}).exit == 1);
    said = Timeline(file);
    REQUIRE((!said.empty() && !said_earlier.empty() && said != said_earlier));
  }
  std::string earlier, said_earlier, said;
};

TEST_CASE("every change on the way to a timeline fails once", "[faults]") {
  if (Skipped()) return;
  const Ground ground;
  const std::string file = ground.File("job.db");
  ground.Clear();
  const Timelines timelines(file);
  const std::string report = RunLimited({"--format", "json", kLog}).out;
  // Less the exit status and the list of problems, which say that the timeline could not be written.
  const auto answer = [](const std::string& json) {
    const size_t from = json.find("\"causes\""), to = json.find("\"problems\"");
    REQUIRE((from < to && to != std::string::npos));
    return json.substr(from, to - from);
  };
  for (const char* fault : {"nth-change", "nth-denied"}) {
    for (const bool exists : {false, true}) {
      if (exists && std::string_view(fault) == "nth-denied" && !Full()) continue;  // half of the time for little news
      const auto prepare = [&] {
        if (exists) std::ofstream(file, std::ios::binary) << timelines.earlier;
      };
      const auto calls =
          ForEveryCall(ground, fault, {"--db", file, "--format", "json", kLog}, prepare, [&](const Outcome& o) {
            CheckSaid(o);
            const bool written = o.err.find("cannot write to standard output") == std::string::npos;
            if (written) CHECK(answer(o.out) == answer(report));
            const std::string found = fs::exists(file) ? Timeline(file) : "";
            CHECK((found == timelines.said || found == (exists ? timelines.said_earlier : "")));
            if (written && o.exit == 1) CHECK(found == timelines.said);
          });
      CHECK(calls >= 5);
    }
  }
}

TEST_CASE("a kill at every change leaves the old timeline or the new one", "[faults]") {
  if (Skipped()) return;
  const Ground ground;
  const std::string file = ground.File("job.db");
  ground.Clear();
  const Timelines timelines(file);
  Tally tally("timeline-kill");
  for (const bool exists : {false, true}) {
    const auto prepare = [&] {
      if (exists) std::ofstream(file, std::ios::binary) << timelines.earlier;
    };
    ForEveryCall(ground, "nth-kill", {"--db", file, "--format", "json", kLog}, prepare, [&](const Outcome& o) {
      CHECK(o.signal == SIGKILL);
      const std::string found = fs::exists(file) ? Timeline(file) : "";
      tally.Try(found == timelines.said || found == (exists ? timelines.said_earlier : ""), o.err);
      // What is left beside it does not stand in the way of the next run.
      const Outcome again = RunLimited({"--db", file, "-o", "/dev/null", kLog});
      tally.Try(again.exit == 1 && Timeline(file) == timelines.said, again.err);
      tally.Try(ground.Names() == std::vector<std::string>{"job.db"}, "something is left beside it");
    });
  }
  // And at moments that no call marks.
  for (int n = 0; n < (Full() ? 400 : 60); ++n) {
    ground.Clear();
    std::ofstream(file, std::ios::binary) << timelines.earlier;
    const std::string run = "'" + std::string(Binary()) + "' --db '" + file + "' -o /dev/null '" + kLog +
                            "' & p=$!; sleep " + std::to_string(n % 30 * 0.001) +
                            "; kill -9 $p 2>/dev/null; wait $p 2>/dev/null";
    (void)!std::system(run.c_str());
    const std::string found = Timeline(file);
    tally.Try(found == timelines.said || found == timelines.said_earlier,
              "killed behind " + std::to_string(n % 30) + " ms");
  }
  CHECK(tally.failed() == 0);
}

TEST_CASE("an interrupt in front of every change leaves a whole report or none", "[faults]") {
  if (Skipped()) return;
  const Ground ground;
  const std::string file = ground.File("report.txt");
  ground.Clear();
  REQUIRE(RunLimited({"-o", file, kLog}).exit == 1);
  const std::string whole = Slurp(file);
  const auto calls = ForEveryCall(
      ground, "nth-signal", {"-o", file, kLog}, [] {},
      [&](const Outcome& o) {
        CHECK((o.signal == SIGINT || o.exit == 1));
        const std::vector<std::string> names = ground.Names();
        const bool nothing = names.empty();
        const bool all = names == std::vector<std::string>{"report.txt"} && Slurp(file) == whole;
        CHECK((nothing || all));
      });
  CHECK(calls >= 3);
}

// Exit status of the binary in a shell; `tail` redirects or pipes.
int Shell(const std::string& tail) {
  const int status = std::system(("'" + std::string(Binary()) + "' '" + kLog + "' " + tail).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("a standard output that takes nothing", "[faults]") {
  const Ground ground;
  ground.Clear();
  const std::string err = ground.File("err");
  CHECK(Shell("> /dev/full 2> '" + err + "'") == 2);
  CHECK(Slurp(err).find("ncclwhy: cannot write to standard output") == 0);
  CHECK(Shell(">&- 2> '" + err + "'") == 2);
  CHECK(Slurp(err).find("ncclwhy: ") == 0);
  CHECK(Shell("> /dev/full 2>&-") == 2);
  // A closed pipe is no error, and nothing is said about it.
  CHECK(Shell("2> '" + err + "' | true") == 0);
  CHECK(Slurp(err).empty());
  CHECK(Shell("--format json 2> '" + err + "' | head -c 1 > /dev/null") == 0);
  CHECK(Slurp(err).empty());
}

}  // namespace
}  // namespace ncclwhy::hostile
