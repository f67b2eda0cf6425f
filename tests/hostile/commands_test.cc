// Commands of the knowledge with values of an attacker's log: a real shell must read the argument lists that the
// template has, whatever the value is.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.h"
#include "hostile/tally.h"
#include "kb/loader/command_words.h"
#include "kb/loader/kb.h"
#include "temporary_directory.h"

namespace ncclwhy::hostile {
namespace {

std::vector<std::string> Payloads() {
  return {"2$(touch${IFS}X)",
          "`touch X`",
          "$(touch X)",
          "${IFS}",
          "$HOME",
          "$((1))",
          "';touch X;'",
          "\";touch X;\"",
          "'\"'\"';touch X;'",
          "x;touch X",
          "x|touch X",
          "x&touch X",
          "x&&touch X",
          "x>X",
          "x<X",
          "<(touch X)",
          "x\ntouch X",
          "x\r\ntouch X",
          "x\ttouch X",
          "x touch X",
          std::string("x\0;touch X", 10),
          "-rf",
          "--help",
          "-oProxyCommand=touch",
          "*",
          "?",
          "[a-z]*",
          "~root",
          "{a,b}",
          "ALL",
          "all",
          "!!",
          "^a^b",
          "#x",
          "x #",
          "x\\",
          "\\",
          "'",
          "\"",
          "%n%s",
          "../../etc/passwd",
          "/etc/passwd;id",
          "\xe2\x80\xae"
          "a",
          "\xef\xbc\x84(touch X)",
          "\xff\xfe",
          "\xc2\xa0;touch X",
          "\xe4\xb8\xbb\xe6\x9c\xba",
          "LD_PRELOAD",
          "a=b",
          "0x1f",
          "{host}",
          "[[ {xid} ]]",
          "?",
          std::string(70000, 'A')};
}

// Templates of the knowledge that take values, in its order.
std::vector<std::string> Templates() {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  std::vector<std::string> out;
  const auto add = [&](const std::string& command) {
    bool takes = false;
    for (const std::string_view name : CommandNames()) {
      takes |= command.find("{" + std::string(name)) != std::string::npos;
    }
    if (takes) out.push_back(command);
  };
  for (const std::string& id : kb.CauseIds()) {
    const auto cause = kb.FindCause(id, Language::kEnglish);
    for (const Fix& fix : cause->fixes) add(fix.command);
    for (const Confirm& confirm : cause->confirm) add(confirm.command);
    for (const Collect& collect : cause->collect) add(collect.command);
  }
  return out;
}

// What bash makes of each command: a line per simple command with its words quoted by bash itself, everything in an
// empty folder without a program that could be found. `#` and the number of the command in front of each.
std::string ShellReads(const std::vector<std::string>& commands, const std::string& folder) {
  {
    std::ofstream out(folder + "/commands", std::ios::binary);
    for (const std::string& c : commands) out << c << '\0';
  }
  std::ofstream(folder + "/script") << R"sh(
PATH=/nonexistent
kill() { :; }; command_not_found_handle() { return 0; }
n=0
cd work
while IFS= read -r -d '' c <&9; do
  echo "# $((n++))" >&8
  ( exec </dev/null >/dev/null; BASH_XTRACEFD=8; PS4='+'; eval "set -x
$c" ) 9<&- 2>/dev/null
done 9<../commands
)sh";
  std::filesystem::create_directories(folder + "/work");
  const std::string run = "cd '" + folder + "' && env -i HOME=/nonexistent /bin/bash --norc script 8>trace 2>/dev/null";
  CHECK(std::system(run.c_str()) == 0);
  std::ifstream in(folder + "/trace", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Parts of a pipeline run at the same time: the order of their lines says nothing.
std::vector<std::vector<std::string>> ByCommand(const std::string& trace) {
  std::vector<std::vector<std::string>> out;
  for (size_t at = 0; at < trace.size();) {
    const size_t end = std::min(trace.find('\n', at), trace.size());
    const std::string line = trace.substr(at, end - at);
    if (line.starts_with("# ")) {
      out.emplace_back();
    } else if (!out.empty()) {
      // How bash quotes a word that it prints is no matter here.
      std::string bare;
      for (const char c : line) bare += c == '\'' ? "" : std::string(1, c);
      out.back().push_back(bare);
    }
    at = end + 1;
  }
  for (auto& lines : out) std::sort(lines.begin(), lines.end());
  return out;
}

std::string Upper(std::string_view name) {
  std::string out(name);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return out;
}

std::string Marker(std::string_view name) { return "zq" + std::string(name) + "qz"; }

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

TEST_CASE("no value of a log is more than a word of a suggested command", "[hostile]") {
  REQUIRE(access("/bin/bash", X_OK) == 0);
  const std::vector<std::string> templates = Templates();
  REQUIRE(templates.size() > 80);
  const TemporaryDirectory folder;
  Tally tally("commands");
  // What the shell reads where a word that is plainly one stands for each value.
  TemplateValues markers;
  for (const std::string_view name : CommandNames()) markers.emplace(name, Marker(name));
  std::vector<std::string> marked;
  for (const std::string& command : templates) marked.push_back(ExpandTemplate(command, markers));
  const auto pattern = ByCommand(ShellReads(marked, folder.string()));
  REQUIRE(pattern.size() == templates.size());

  std::vector<std::string> commands;
  std::vector<std::vector<std::string>> expected;
  for (const std::string& value : Payloads()) {
    TemplateValues values;
    for (const std::string_view name : CommandNames()) values.emplace(name, value);
    const TemplateValues words = CommandWords(values);
    for (const auto& [name, word] : words) {
      const std::string bare = Replaced(word, "'", "");
      tally.Try(bare == value || bare == Upper(name), name + " became " + word.substr(0, 100));
      tally.Try(bare.find_first_of(" \t\r\n;|&<>$`\"\\(){}[]*?!#~") == std::string::npos && bare[0] != '-',
                name + ": " + word.substr(0, 100));
    }
    for (size_t i = 0; i < templates.size(); ++i) {
      commands.push_back(ExpandTemplate(templates[i], words));
      expected.push_back(pattern[i]);
      for (std::string& line : expected.back()) {
        for (const auto& [name, word] : words) line = Replaced(line, Marker(name), Replaced(word, "'", ""));
      }
      std::sort(expected.back().begin(), expected.back().end());
    }
  }
  const auto read = ByCommand(ShellReads(commands, folder.string()));
  REQUIRE(read.size() == commands.size());
  for (size_t i = 0; i < commands.size(); ++i) {
    tally.Try(!read[i].empty() && read[i] == expected[i], commands[i].substr(0, 300));
  }
  CHECK(tally.failed() == 0);
}

}  // namespace
}  // namespace ncclwhy::hostile
