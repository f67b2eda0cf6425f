#include "read/stack_heading.h"

#include <algorithm>
#include <array>

#include "base/numbers.h"
#include "base/text.h"
#include "base/word_finder.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

constexpr size_t kLongest = 160;

constexpr std::array<std::string_view, 3> kToolNames = {"gdb ", "py-spy ", "pstack "};
constexpr WordFinder kTools(kToolNames);

bool IsMark(char c) { return scan::IsAnyOf(c, " =-#*:>$@"); }

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool BeginsWith(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char w, char t) { return w == Lower(t); });
}

// The number behind a word that is whole, in whatever case: 7 of "rank 7", "RANK=7", "rank7", "--pid 7"; -1 without.
int64_t NumberOf(std::string_view text, std::string_view word) {
  for (size_t at = 0; at + word.size() < text.size(); ++at) {
    if (!BeginsWith(text.substr(at), word)) continue;
    if (at > 0 && (IsAlnum(text[at - 1]) || text[at - 1] == '_')) continue;  // local_rank, nranks
    size_t begin = at + word.size();
    while (begin < text.size() && std::string_view(" =:#").find(text[begin]) != std::string_view::npos) ++begin;
    const std::string_view digits = text.substr(begin, scan::DigitsAt(text, begin));
    const size_t end = begin + digits.size();
    const bool whole = end == text.size() || !(IsAlnum(text[end]) || text[end] == '/' || text[end] == '.');
    if (!digits.empty() && whole) return ParseInt(digits).value_or(-1);
  }
  return -1;
}

bool IsHost(std::string_view word) {
  const auto is_host = [](char c) { return IsAlnum(c) || c == '-' || c == '.' || c == '_'; };
  return word.size() > 1 && IsAlpha(word[0]) && std::all_of(word.begin(), word.end(), is_host) &&
         std::any_of(word.begin(), word.end(), IsDigit);
}

std::string_view WordAt(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" ,:;()[]"));
  return word;
}

//    kubectl exec -n ml trainer-worker-3 -c pytorch -- py-spy dump --pid 1
std::string_view PodIn(std::string_view text) {
  const size_t at = text.find(" exec ");
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + 6);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word == "-n" || word == "-c" || word == "--namespace" || word == "--container") {
      text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
    } else if (!word.empty() && word.front() != '-') {
      const std::string_view pod = word.substr(word.starts_with("pod/") ? 4 : 0);
      return IsHost(pod) ? pod : std::string_view();
    }
  }
  return {};
}

// Behind "on", "host" or "node"; or the first word, in front of the rank or pid.
std::string_view HostIn(std::string_view text) {
  for (const std::string_view before : {" on ", "host ", "host=", "node ", "node=", "ssh "}) {
    const size_t at = text.find(before);
    if (at == std::string_view::npos) continue;
    const std::string_view word = WordAt(text.substr(at + before.size()));
    if (IsHost(word) && !BeginsWith(word, "rank")) return word;
  }
  if (const std::string_view pod = PodIn(text); !pod.empty()) return pod;
  //    monitor: py-spy dump --pid 90218 (node32 rank 11)
  const size_t rank = text.find(" rank ");
  if (rank != std::string_view::npos) {
    const std::string_view before = text.substr(0, rank);
    const size_t begin = before.find_last_of(" (");
    const std::string_view word = before.substr(begin == std::string_view::npos ? 0 : begin + 1);
    if (IsHost(word)) return word;
  }
  const std::string_view first = WordAt(text);
  if (!IsHost(first) || BeginsWith(first, "rank") || BeginsWith(first, "pid")) return {};
  std::string_view behind = text.substr(first.size());
  while (!behind.empty() && (IsMark(behind.front()) || behind.front() == ',' || behind.front() == '('))
    behind.remove_prefix(1);
  return BeginsWith(behind, "rank") || BeginsWith(behind, "pid") || BeginsWith(behind, "global rank")
             ? first
             : std::string_view();
}

}  // namespace

std::optional<StackHeading> HeadingIn(std::string_view text, bool may_name_tool) {
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  const bool process = BeginsWith(text, "process ");
  const bool tool = may_name_tool && kTools.Find(text) != 0;
  const bool marked = tool || IsMark(text.front()) || text.back() == ':' || process || BeginsWith(text, "rank") ||
                      BeginsWith(text, "pid") || IsDigit(text.front());
  // A frame of gdb is no heading, nor is a line of a list: "#3  0x00007f16 in …"
  if (!marked || text[0] == '[' || (text[0] == '#' && text.size() > 1 && IsDigit(text[1]))) return std::nullopt;
  while (!text.empty() && IsMark(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsMark(text.back())) text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  StackHeading heading;
  if (scan::DigitsAt(text, 0) == text.size()) {  // == 4711
    constexpr size_t kShort = 10;
    if (text.size() > kShort) return std::nullopt;
    heading.pid = ParseInt(text).value_or(-1);
    heading.bare = true;
    return heading.pid > 0 ? std::optional(heading) : std::nullopt;
  }
  if (IsDigit(text.front())) return std::nullopt;  // a time, a count
  heading.rank = static_cast<int32_t>(std::min<int64_t>(NumberOf(text, "rank"), INT32_MAX));
  heading.pid = NumberOf(text, "pid");
  //    gcloud compute tpus tpu-vm ssh v4-64-b --worker=6 --command 'sudo py-spy dump --pid $(pgrep -f train.py)'
  if (heading.rank < 0 && tool)
    heading.rank = static_cast<int32_t>(std::min<int64_t>(NumberOf(text, "--worker"), INT32_MAX));
  if (heading.pid < 0 && process) heading.pid = NumberOf(text, "process");
  if (heading.pid < 0 && tool) heading.pid = std::max(NumberOf(text, "-p"), NumberOf(text, "pstack"));
  if (heading.rank < 0 && heading.pid < 0) return std::nullopt;
  heading.host = std::string(HostIn(text));
  return heading;
}

}  // namespace ncclwhy
