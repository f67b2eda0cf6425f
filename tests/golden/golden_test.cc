// Runs every case below tests/golden with the real binary, as a user's shell would, in a fresh directory:
//
//   <case>/args   what stands behind `ncclwhy`, for sh: may hold redirections and pipes; several lines are several runs
//   <case>/*      every other file and directory is copied into the working directory
//   <case>/use    names another case whose files are copied, too
//   <case>/out    expected standard output;  err: expected standard error (empty when absent)
//   <case>/exit   expected exit status of the last run
//
// NCCLWHY_BLESS=1 rewrites out, err and exit.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

const std::set<std::string> kOurs = {"args", "use", "out", "err", "exit"};

std::string Slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

std::string FirstLine(const fs::path& path) {
  const std::string text = Slurp(path);
  return text.substr(0, text.find('\n'));
}

void CopyInputs(const fs::path& from, const fs::path& to) {
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename().string();
    if (kOurs.count(name) == 0) fs::copy(entry.path(), to / name, fs::copy_options::recursive);
  }
}

std::string Quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

struct Outcome {
  std::string out, err, exit;
};

// The command, or the one that NCCLWHY_BINARY names instead.
std::string Binary() {
  const char* other = std::getenv("NCCLWHY_BINARY");
  return other != nullptr ? other : NCCLWHY_COMMAND;
}

Outcome Run(const fs::path& test_case) {
  std::string name = (fs::temp_directory_path() / "ncclwhy-golden-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  const fs::path work(name);
  const fs::path inputs = work / "in";
  fs::create_directory(inputs);
  CopyInputs(test_case, inputs);
  if (fs::exists(test_case / "use")) CopyInputs(test_case.parent_path() / FirstLine(test_case / "use"), inputs);

  std::string script = "cd " + Quoted(inputs.string()) + " && unset COLUMNS NO_COLOR; ";
  std::istringstream lines(Slurp(test_case / "args"));
  for (std::string line; std::getline(lines, line);) {
    script += Quoted(Binary()) + " " + line + "\n";
  }
  const std::string command =
      "{ " + script + "} >" + Quoted((work / "out").string()) + " 2>" + Quoted((work / "err").string()) + " </dev/null";
  const int status = std::system(command.c_str());
  Outcome outcome{Slurp(work / "out"), Slurp(work / "err"),
                  WIFEXITED(status) ? std::to_string(WEXITSTATUS(status)) + "\n" : "killed\n"};
  fs::remove_all(work);
  return outcome;
}

void Bless(const fs::path& path, const std::string& text) {
  if (text.empty() && path.filename() == "err") {
    fs::remove(path);
  } else {
    std::ofstream(path, std::ios::binary) << text;
  }
}

TEST_CASE("golden outputs", "[golden]") {
  const fs::path root = fs::path(NCCLWHY_SOURCE_DIR) / "tests" / "golden";
  std::vector<fs::path> cases;
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
    if (entry.is_directory()) cases.push_back(entry.path());
  }
  std::sort(cases.begin(), cases.end());
  REQUIRE_FALSE(cases.empty());
  const char* bless = std::getenv("NCCLWHY_BLESS");
  for (const fs::path& test_case : cases) {
    const std::string name = test_case.filename().string();
    CAPTURE(name);
    REQUIRE(fs::exists(test_case / "args"));
    const Outcome got = Run(test_case);
    // `sh: 1: cannot open in.log: No such file`: the shell never got as far as the program, which is then not tested.
    REQUIRE_FALSE(got.err.starts_with("sh: "));
    if (bless != nullptr && *bless == '1') {
      Bless(test_case / "out", got.out);
      Bless(test_case / "err", got.err);
      Bless(test_case / "exit", got.exit);
      continue;
    }
    CHECK(got.out == Slurp(test_case / "out"));
    CHECK(got.err == Slurp(test_case / "err"));
    CHECK(got.exit == Slurp(test_case / "exit"));
  }
}

// Runs the binary with a standard output of ours and returns its exit status; -1 when it was killed.
int RunInto(int descriptor, const std::vector<std::string>& arguments) {
  std::string binary = Binary();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(descriptor, STDOUT_FILENO);
    std::vector<char*> argv = {binary.data()};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(binary.c_str(), argv.data());
    _exit(127);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("a reader that went away is no error, a full disk is one", "[golden]") {
  const std::string log = std::string(NCCLWHY_SOURCE_DIR) + "/tests/golden/shm-full/job.log";
  const std::vector<std::vector<std::string>> commands = {{log},         {"--format", "json", log}, {"--help"},
                                                          {"--version"}, {"rules", "list"},         {"explain"}};
  for (const std::vector<std::string>& command : commands) {
    CAPTURE(command);
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    close(ends[0]);
    CHECK(RunInto(ends[1], command) == 0);
    close(ends[1]);
    const int full = open("/dev/full", O_WRONLY);
    REQUIRE(full >= 0);
    CHECK(RunInto(full, command) == 2);
    close(full);
  }
}

TEST_CASE("help fits a screen", "[golden]") {
  for (const char* name : {"help", "query-help", "explain-help", "rules-help"}) {
    const std::string text = Slurp(fs::path(NCCLWHY_SOURCE_DIR) / "tests" / "golden" / name / "out");
    CAPTURE(name);
    CHECK(std::count(text.begin(), text.end(), '\n') <= 24);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
    CHECK(text.find("Examples: ") != std::string::npos);
  }
}

}  // namespace
}  // namespace ncclwhy
