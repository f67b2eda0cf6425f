#include "kb/loader/command_words.h"

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"
#include "kb/loader/template.h"

namespace ncclwhy {
namespace {

// What a value may begin with and what may follow: `a` stands for letters, `0` for digits, `x` for hexadecimal digits,
// all else for itself.
struct Kind {
  std::string_view first, rest;
  size_t longest = 255;
};
constexpr Kind kFreeText = {};
constexpr Kind kNumber = {"0", "0", 20};
constexpr Kind kAmount = {"0", "a0", 16};                    // 8g
constexpr Kind kName = {"a0", "a0_-.:"};                     // eth0.100, mlx5_0:1
constexpr Kind kAddress = {"a0:_", "a0_-.:%"};               // gpu-a17.cluster, fe80::1%eth0
constexpr Kind kColons = {"x:", "x:.", 64};                  // a GID, 0000:1b:00.0
constexpr Kind kVersion = {"0", "a0._+-", 64};               // 2.28.9+cuda12.9
constexpr Kind kIdentifier = {"a_", "a0_.@"};                // ncclCommInitRank@LIBNCCL_2.0
constexpr Kind kPath = {"a0/_", "a0_-./+@%=:,", 4096};       // /usr/lib/libnccl-net.so
constexpr Kind kSetting = {"a0/_^", "a0_-./+@%=:,^", 1024};  // ^docker0,lo

constexpr struct {
  std::string_view name;
  const Kind& kind;
} kKinds[] = {
#define SAID(name, kind) {#name, kind},
#define MADE(name, kind) {#name, kind},
#define KEPT(name)
#include "kb/loader/template_names.def"
#undef SAID
#undef MADE
#undef KEPT
};

const Kind* KindOf(std::string_view name) {
  for (const auto& entry : kKinds) {
    if (entry.name == name) return &entry.kind == &kFreeText ? nullptr : &entry.kind;
  }
  return nullptr;
}

// The families of variables that belong to a job: the program's, NCCL's and those of what it stands on.
// Variables that a job's environment may be asked to set or unset: no LD_PRELOAD, PATH …
bool IsJobs(std::string_view variable) {
  const size_t family = variable.find('_');
  if (family == std::string_view::npos) return false;
  constexpr std::string_view kFamilies =
      " NCCL RCCL TORCH UCX UCC FI OFI GLOO TP MASTER OMPI CUDA NVIDIA HIP HSA ROCR RDMAV SLURM SHARP HCOLL MLX5 EFA"
      " NVSHMEM OMP WORLD LOCAL PYTORCH VLLM RAY XLA ";
  // With blanks around it: TP is a family, T is none.
  const bool known = kFamilies.find(" " + std::string(variable.substr(0, family)) + " ") != std::string_view::npos;
  return known && variable.find("PRELOAD") == std::string_view::npos;
}

// Whether a process runs or loads what the variable says, or reads further variables from it, by a part of its name:
// NCCL_NET_PLUGIN, UCX_MODULE_DIR, CUDA_INJECTION64_PATH, NCCL_CONF_FILE, OMPI_MCA_plm_rsh_agent. A log may say that it
// is wrong, but not what it should be.
bool RunsItsValue(std::string_view variable) {
  constexpr std::string_view kParts[] = {"agent",  "audit",  "bridge", "cmd",     "command", "conf",     "daemon",
                                         "epilog", "exec",   "flags",  "hook",    "inject",  "launcher", "lib",
                                         "loader", "module", "path",   "options", "plugin",  "profiler", "prolog",
                                         "rsh",    "script", "shell",  "tool",    "tuner",   "wrapper"};
  std::string lower(variable);
  // Small letters by one bit; digits and the underscore keep theirs.
  for (char& c : lower) c = static_cast<char>(IsAlpha(c) ? c | 0x20 : c);
  for (size_t at = 0; at < lower.size();) {
    const size_t end = std::min(lower.find('_', at), lower.size());
    const std::string_view part = std::string_view(lower).substr(at, end - at);
    const auto begins = [&](std::string_view p) { return part.starts_with(p); };
    if (part == "dir" || std::any_of(std::begin(kParts), std::end(kParts), begins)) return true;  // not of DIRECT
    at = end + 1;
  }
  return false;
}

// `set` as a Kind has it.
bool In(std::string_view set, char c) {
  const bool hex = IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  return std::any_of(set.begin(), set.end(), [&](char allowed) {
    if (allowed == 'a') return IsAlpha(c);
    if (allowed == '0') return IsDigit(c);
    return allowed == 'x' ? hex : c == allowed;
  });
}

bool Fits(std::string_view name, const Kind& kind, std::string_view value) {
  if (value.empty() || value.size() > kind.longest || !In(kind.first, value[0])) return false;
  // The first byte may come again: `fe80::1%eth0` begins with a letter, `/a/b` with a slash.
  if (!std::all_of(value.begin(), value.end(), [&](char c) { return In(kind.rest, c) || c == value[0]; })) return false;
  // To Slurm ALL is every node.
  if (&kind == &kAddress && SameButCase(value, "all")) return false;
  // `..` leads out of a folder, and has no place in a name or number.
  return value.find("..") == std::string_view::npos && (name != "variable" || IsJobs(value));
}

// Reads a template as a shell would, as far as it takes to know where its words and quotes are.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // Nothing is wrong with a command that has no name in it, whatever its quotes are.
  // Python and YAML have quotes that a shell would not close.
  std::vector<std::string> Complaints() {
    size_t i = 0;
    while (i < text_.size()) i = Step(i);
    if (names_ > 0 && Open() != 0) Complain("a quote or bracket is not closed");
    return names_ > 0 ? std::move(wrong_) : std::vector<std::string>{};
  }

 private:
  // 0: in a plain word.
  char Open() const { return open_.empty() ? '\0' : open_.back(); }
  void Complain(std::string what) {
    if (std::find(wrong_.begin(), wrong_.end(), what) == wrong_.end()) wrong_.push_back(std::move(what));
  }

  // The position behind what begins at `i`.
  size_t Step(size_t i) {
    const char c = text_[i];
    const std::string_view pair = text_.substr(i, 2);
    // `{{` is a brace that stays one: awk's programs and ${HOME} are written with it.
    if (pair == "{{") return Plain(i, 2);
    if (c == '{') {
      if (const TemplatePlace place = PlaceAt(text_.substr(i)); place.size != 0) return Name(i, place);
    }
    if (pair == "[[" || pair == "]]") return Section(i);
    // A shell does not read a comment, but a quote in it may be one for whoever pastes a part of the command.
    if (comment_) {
      comment_ = c != '\n';
      if (std::string_view("'\"`$\\").find(c) != std::string_view::npos)
        Complain("a quote in a comment beside a {name}");
      if (comment_) return i + 1;
    }
    if (Open() == '\'') {
      if (c == '\'') open_.pop_back();
      return Plain(i, 1);
    }
    // A backslash or a $ in front of a name would join with the value's first byte.
    const bool before_name = (c == '\\' || c == '$') && PlaceAt(text_.substr(i + 1)).size != 0;
    if (before_name) return Plain(i, 1);
    if (c == '\\') return Plain(i, 2);
    if (pair == "$(" || pair == "${") {
      open_ += pair[1] == '(' ? ')' : '}';
      return Plain(i, 2);
    }
    if (Open() != 0 && c == Open()) {
      open_.pop_back();
      return Plain(i, 1);
    }
    // In double quotes an apostrophe is a letter.
    if (c == '"' || c == '`' || (c == '\'' && Open() != '"')) {
      open_ += c;
      return Plain(i, 1);
    }
    // In quotes and brackets nothing begins or ends a word.
    if (Open() != 0) return i + 1;
    // A here-document and $'…' read what follows in ways that no quoting survives.
    if (pair == "<<" || pair == "$'") Complain("a " + std::string(pair) + " beside a {name}");
    if (c == '#' && word_.empty()) comment_ = true;
    if (std::string_view(";|&(\n").find(c) != std::string_view::npos) return Operator(i);
    if (c == ' ' || c == '\t') return EndWord(), i + 1;
    return Plain(i, 1);
  }

  // Part of a word.
  size_t Plain(size_t i, size_t length) {
    length = std::min(length, text_.size() - i);
    word_ += text_.substr(i, length);
    return i + length;
  }

  // Behind `;`, `|`, `&`, `(` and a line end the next word is a command.
  size_t Operator(size_t i) {
    EndWord();
    last_.clear();
    command_ = true;
    return i + 1;
  }

  // An assignment or a word like `sudo` in front leaves the next word a command.
  void EndWord() {
    if (word_.empty()) return;
    constexpr std::string_view kReserved = " then do else elif if while until ! { sudo exec env time nohup xargs ";
    const bool assignment = word_.find('=') != std::string::npos && In("a_", word_[0]);
    const bool reserved = assignment || kReserved.find(" " + word_ + " ") != std::string_view::npos;
    // `sudo -u x` has no command yet: an option, and what may be its value.
    const bool option = word_[0] == '-' && kReserved.find(" " + last_ + " ") != std::string_view::npos;
    const bool value = !last_.empty() && last_[0] == '-';
    command_ = command_ && (reserved || option || value);
    last_ = std::move(word_);
    word_.clear();
  }

  // Quotes that open in a section close in it: the section may be left out.
  size_t Section(size_t i) {
    if (text_[i] == '[') {
      sections_.push_back(open_);
    } else if (!sections_.empty()) {
      if (sections_.back() != open_) Complain("quotes cross a [[ … ]]");
      sections_.pop_back();
    }
    return i + 2;
  }

  // A {name} in a plain word, quoted by CommandWords, is a part of that word. In quotes, in a substitution, as a
  // command, or behind `eval` it would be more.
  size_t Name(size_t i, const TemplatePlace& place) {
    ++names_;
    const std::string name = "{" + std::string(place.name) + "}";
    if (KindOf(place.name) == nullptr) Complain(name + " is of no kind that may stand in a command");
    if (Open() != 0) Complain(name + " stands in quotes or in a substitution; close them before it: 'a '" + name);
    if (!comment_ && command_ && word_.empty()) Complain(name + " would be the command itself");
    if (!word_.empty() && std::string_view("$\\<>~").find(word_.back()) != std::string_view::npos)
      Complain(name + " stands behind " + word_.back());
    // `bash -c {name}` runs the value, `> {name}` writes to it.
    for (const char* before : {"eval", "-c", "source", ".", ">", ">>", "<", "2>", "&>"}) {
      if (word_.empty() && last_ == before) Complain(name + " stands behind " + before);
    }
    const bool plain =
        std::all_of(place.fallback.begin(), place.fallback.end(), [](char c) { return In("a0_@%+:,./=-", c); });
    if (!plain) Complain("the text that stands for " + name + " is no plain word: " + std::string(place.fallback));
    // The value stands for a letter: what follows at once is part of the same word.
    word_ += 'x';
    return i + place.size;
  }

  std::string_view text_;
  std::string open_;  // what is open, by what closes it, the innermost last
  std::string word_, last_;
  std::vector<std::string> sections_;  // what was open at each [[
  bool command_ = true;                // the next word is a command
  bool comment_ = false;
  int names_ = 0;
  std::vector<std::string> wrong_;
};

}  // namespace

// For commands without names the list is empty, even if they are no shell (Python, YAML).
std::vector<std::string> CheckCommand(std::string_view command) { return Reader(command).Complaints(); }

TemplateValues CommandWords(const TemplateValues& values) {
  TemplateValues out;
  const auto variable = values.find("variable");
  // A cause that names a variable names what it should be as well; of some variables that is a command.
  const bool runs = variable != values.end() && RunsItsValue(variable->second);
  for (const auto& [name, value] : values) {
    const Kind* kind = KindOf(name);
    if (kind == nullptr || value.empty()) continue;
    std::string word = value;
    if (Fits(name, *kind, value) && !(runs && name == "expected_value")) {
      word = ShellQuote(value);
    } else {
      // DEVICE, HOST_A: the reader sees what to put in, and the shell a plain word.
      std::transform(name.begin(), name.end(), word.assign(name.size(), ' ').begin(),
                     [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    }
    out.emplace(name, std::move(word));
  }
  return out;
}

std::vector<std::string_view> CommandNames() {
  std::vector<std::string_view> out;
  for (const auto& entry : kKinds) {
    if (&entry.kind != &kFreeText) out.push_back(entry.name);
  }
  return out;
}

}  // namespace ncclwhy
