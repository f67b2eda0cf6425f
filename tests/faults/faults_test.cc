// The real binary when the system fails under it: what could be read is still reported, what is written is whole or not
// there, and a sentence says what happened.
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"
#include "hostile/run_limited.h"

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

class Directory {
 public:
  Directory() {
    std::string name = (fs::temp_directory_path() / "ncclwhy-faults-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::vector<std::string> Names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(path_)) out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  fs::path path_;
};

// Runs with faults; the environment of this process is put back.
Outcome RunWith(const std::string& faults, const std::vector<std::string>& arguments) {
  setenv("LD_PRELOAD", NCCLWHY_FAULTY_IO, 1);
  setenv("NCCLWHY_FAULT", faults.c_str(), 1);
  Outcome o = RunLimited(arguments);
  unsetenv("LD_PRELOAD");
  unsetenv("NCCLWHY_FAULT");
  return o;
}

bool Skipped() { return Sanitized(); }  // a sanitizer's runtime wants to be the first library

void CheckTrouble(const Outcome& o, const std::string& sentence) {
  CAPTURE(sentence, o.exit, o.signal, o.err);
  CHECK(o.signal == 0);
  CHECK(o.exit == 2);
  CHECK(o.err.rfind("ncclwhy: ", 0) == 0);
  CHECK(o.err.find(sentence) != std::string::npos);
}

TEST_CASE("short and interrupted reads and writes change nothing", "[faults]") {
  if (Skipped()) return;
  const Directory directory;
  const std::string packed = directory / "job.log.gz";
  REQUIRE(std::system((std::string("gzip -c '") + kLog + "' > '" + packed + "'").c_str()) == 0);
  for (const std::string& log : {std::string(kLog), packed}) {
    const Outcome plain = RunLimited({log});
    REQUIRE(plain.exit == 1);
    for (const char* faults : {"read-short", "read-eintr", "read-short,read-eintr", "write-short", "write-eintr",
                               "write-short,write-eintr"}) {
      CAPTURE(log, faults);
      const Outcome o = RunWith(faults, {log});
      CHECK(o.exit == plain.exit);
      CHECK(o.out == plain.out);
      CHECK(o.err.empty());
      const std::string file = directory / "out.txt";
      CHECK(RunWith(faults, {"-o", file, log}).exit == 1);
      CHECK(Slurp(file) == plain.out);
    }
  }
}

TEST_CASE("a file that cannot be read to its end is reported as far as it goes", "[faults]") {
  if (Skipped()) return;
  const Outcome eio = RunWith("read-eio=9000", {"--format", "json", kLog});
  CheckTrouble(eio, "Input/output error");
  CHECK(eio.out.find("\"bytes\": 9000,") != std::string::npos);
  const Outcome at_once = RunWith("read-eio=0", {"--format", "json", kLog, kHealthy});
  CheckTrouble(at_once, "Input/output error");
  const Outcome shorter = RunWith("read-eof=9000", {"--format", "json", kLog});
  CheckTrouble(shorter, "became shorter");
  CHECK(shorter.out.find("\"bytes\": 9000,") != std::string::npos);
}

TEST_CASE("a full disk leaves the old report and nothing else", "[faults]") {
  if (Skipped()) return;
  for (const char* faults : {"write-enospc=100", "write-enospc=0", "create-erofs", "rename-eio"}) {
    const Directory directory;
    const std::string file = directory / "report.html";
    for (const bool exists : {false, true}) {
      if (exists) std::ofstream(file) << "old";
      CAPTURE(faults, exists);
      const Outcome o = RunWith(faults, {"--format", "html", "-o", file, kLog});
      CheckTrouble(o, "cannot write " + file);
      CHECK(directory.Names() == (exists ? std::vector<std::string>{"report.html"} : std::vector<std::string>{}));
      CHECK(Slurp(file) == (exists ? "old" : ""));
    }
  }
  CheckTrouble(RunWith("write-enospc=10", {kLog}), "cannot write to standard output");
  struct stat device {};
  REQUIRE(stat("/dev/full", &device) == 0);
  REQUIRE(S_ISCHR(device.st_mode));  // a machine on which something made it a file
  CheckTrouble(RunLimited({"-o", "/dev/full", kLog}), "No space left on device");
  const Directory empty;
  CheckTrouble(RunLimited({"-o", empty / "missing/x", kLog}), "No such file");
  CheckTrouble(RunLimited({"-o", "/", kLog}), "Is a directory");
}

TEST_CASE("a timeline that cannot be written does not cost the report", "[faults]") {
  const Directory directory;
  const Outcome full = RunLimited({"--db", "/dev/full", kLog});
  CHECK(full.exit == 2);
  CHECK(full.out.find("/dev/shm") != std::string::npos);
  const Outcome nowhere = RunLimited({"--db", directory / "no/such/job.db", kLog});
  CHECK(nowhere.exit == 2);
  CHECK(nowhere.out.find("/dev/shm") != std::string::npos);
  if (getuid() != 0) {  // who may write everywhere is not refused
    const std::string closed = directory / "closed";
    fs::create_directory(closed);
    fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec);
    CHECK(RunLimited({"--db", closed + "/job.db", kLog}).out.find("cannot be created: Permission denied") !=
          std::string::npos);
    fs::permissions(closed, fs::perms::owner_all);
  }
  if (Skipped()) return;
  for (const char* faults : {"write-enospc=0", "write-enospc=5000", "write-enospc=60000", "create-erofs"}) {
    const std::string file = directory / "job.db";
    CAPTURE(faults);
    const Outcome o = RunWith(faults, {"--db", file, kLog, "--format", "json"});
    CAPTURE(o.err);
    CHECK(o.signal == 0);
    CHECK(o.exit == 2);
    CHECK(o.err.rfind("ncclwhy: ", 0) == 0);
  }
}

struct Sqlite {
  explicit Sqlite(const std::string& path) { REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK); }
  ~Sqlite() { sqlite3_close(db); }
  void Run(const char* sql) { REQUIRE(sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK); }
  sqlite3* db = nullptr;
};

TEST_CASE("somebody else's database is left alone", "[faults]") {
  const Directory directory;
  const std::string file = directory / "job.db";
  const auto check_left_alone = [&](const char* what) {
    CAPTURE(what);
    const std::string before = Slurp(file);
    const Outcome o = RunLimited({"--db", file, "--format", "json", kLog});
    CAPTURE(o.err);
    CHECK(o.exit == 2);
    CHECK(o.err.rfind("ncclwhy: ", 0) == 0);
    CHECK(o.out.find("shm.too-small") != std::string::npos);
    CHECK(Slurp(file) == before);
    const Outcome query = RunLimited({"query", file, "SELECT count(*) FROM event"});
    CHECK(query.exit == 2);
    CHECK(query.err.rfind("ncclwhy: ", 0) == 0);
    fs::remove(file);
  };
  Sqlite(file).Run("CREATE TABLE accounts (a); INSERT INTO accounts VALUES (1)");
  check_left_alone("a foreign database");
  std::ofstream(file) << "not a database, but somebody's notes\n";
  check_left_alone("a text");
  REQUIRE(RunLimited({"--db", file, kLog}).exit == 1);
  Sqlite(file).Run("PRAGMA user_version = 99999");
  check_left_alone("a newer format");
  REQUIRE(RunLimited({"--db", file, kLog}).exit == 1);
  fs::resize_file(file, 100);
  check_left_alone("a database that was cut off");
}

TEST_CASE("a damaged timeline is an error with a sentence, wherever the damage is", "[faults]") {
  const Directory directory;
  const std::string good = directory / "good.db";
  REQUIRE(RunLimited({"--db", good, kLog}).exit == 1);
  const std::string bytes = Slurp(good);
  const std::string file = directory / "bad.db";
  for (size_t at = 0; at < bytes.size(); at += bytes.size() / 16 + 1) {
    std::string damaged = bytes;
    for (size_t i = at; i < std::min(at + 600, damaged.size()); ++i) damaged[i] = static_cast<char>(i * 37);
    std::ofstream(file, std::ios::binary) << damaged;
    CAPTURE(at);
    for (const char* sql : {"SELECT * FROM event", "SELECT count(*) FROM process p JOIN rank r ON r.process = p.id"}) {
      const Outcome o = RunLimited({"query", file, sql});
      CAPTURE(o.err.substr(0, 300));
      CHECK(o.signal == 0);
      CHECK((o.exit == 0 || (o.exit == 2 && o.err.rfind("ncclwhy: ", 0) == 0)));
    }
    CHECK(RunLimited({"--db", file, kLog}).signal == 0);
  }
}

TEST_CASE("a locked timeline is said to be in use", "[faults]") {
  const Directory directory;
  const std::string file = directory / "job.db";
  REQUIRE(RunLimited({"--db", file, kLog}).exit == 1);
  Sqlite lock(file);
  lock.Run("BEGIN EXCLUSIVE");
  const Outcome write = RunLimited({"--db", file, "--format", "json", kLog});
  CheckTrouble(write, "in use by another process");
  CHECK(write.out.find("shm.too-small") != std::string::npos);
  CheckTrouble(RunLimited({"query", file, "SELECT count(*) FROM event"}), "in use by another process");
}

// Starts the binary with a standard input that stays open, lets it work, and interrupts it.
int Interrupted(const std::vector<std::string>& arguments, int number, int milliseconds) {
  int in[2];
  REQUIRE(pipe2(in, O_CLOEXEC) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(in[0], STDIN_FILENO);
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    std::vector<char*> argv = {const_cast<char*>(Binary())};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(in[0]);
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  kill(child, number);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  close(in[1]);
  return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

TEST_CASE("an interrupted run leaves no half-written report", "[faults]") {
  const Directory directory;
  const std::string file = directory / "report.txt";
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // While it reads.
    CHECK(Interrupted({"-o", file, "-"}, number, 200) == number);
    CHECK(directory.Names().empty());
    if (Skipped()) continue;
    // While it writes: a report of some thousand bytes at seven a millisecond.
    setenv("LD_PRELOAD", NCCLWHY_FAULTY_IO, 1);
    setenv("NCCLWHY_FAULT", "write-slow", 1);
    const int ended = Interrupted({"--format", "html", "-o", file, kLog}, number, 1200);
    unsetenv("LD_PRELOAD");
    unsetenv("NCCLWHY_FAULT");
    CHECK(ended == number);
    CHECK(directory.Names().empty());
  }
}

}  // namespace
}  // namespace ncclwhy::hostile
