#include "kb/loader/kb_data.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "kb/loader/decode.h"
#include "kb/loader/kb_check.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// One spelling for equal entries: members in alphabetical order, no blanks; bytes that are not UTF-8 replaced.
std::string Minified(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }
// For lists of thousands: the key stands beside the entry.
std::string WithoutKey(json entry, const char* key) {
  entry.erase(key);
  return Minified(entry);
}

// One file and what to say about it.
class File {
 public:
  File(const fs::path& path, std::vector<std::string>* complaints) : name_(path.generic_string()), out_(complaints) {
    std::ifstream in(path, std::ios::binary);
    // One read: entries are complained about by line, which needs the text at hand.
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) {
      Complain(0, "cannot be read");
    } else {
      text_ = text.str();
      readable_ = true;
    }
  }

  bool readable() const { return readable_; }
  const std::string& text() const { return text_; }

  void Complain(size_t line, const std::string& what) {
    out_->push_back(name_ + ":" + (line == 0 ? "" : std::to_string(line) + ":") + " " + what);
  }

  // The line of the first "text" in quotes: where an entry of that id or name begins. 0 when there is none.
  // An id may stand earlier as a value, in the list of another entry: the line is a hint for an editor.
  size_t LineOf(std::string_view text) const {
    const size_t at = text_.find("\"" + std::string(text) + "\"");
    return at == std::string::npos ? 0 : LineAt(at);
  }
  // 1-based; behind the end of the text the last line.
  size_t LineAt(size_t offset) const {
    return 1 + static_cast<size_t>(std::count(
                   text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text_.size())), '\n'));
  }

  // Discarded, with a complaint, when the text is no JSON.
  json Parse() {
    try {
      // `byte` counts from 1.
      return json::parse(text_);
    } catch (const json::parse_error& error) {
      Complain(LineAt(error.byte == 0 ? 0 : error.byte - 1), std::string("is not JSON: ") + error.what());
      return json(json::value_t::discarded);
    }
  }

 private:
  std::string name_;
  std::string text_;
  bool readable_ = false;
  std::vector<std::string>* out_;
};

// Empty where the member is missing or is no string: what is wrong with it is the check's to say.
std::string StringOf(const json& entry, const char* name) {
  if (!entry.is_object()) return {};
  const auto it = entry.find(name);
  return it != entry.end() && it->is_string() ? it->get<std::string>() : std::string();
}

// Hands every entry of `list` that passes `check` to `keep(key, entry)`.
template <typename Check, typename Keep>
void ReadEntries(File& file, const json& document, const char* list, const char* key_name, Check check, Keep keep) {
  const auto entries = document.find(list);
  if (entries == document.end() || !entries->is_array()) {
    file.Complain(1, std::string("has no list \"") + list + "\"");
    return;
  }
  for (const json& entry : *entries) {
    std::string key;
    // A list of things that are no objects has no keys; find is only asked of what may have them.
    if (const auto it = entry.find(key_name); entry.is_object() && it != entry.end() && it->is_string()) key = *it;
    const size_t line = key.empty() ? 1 : file.LineOf(key);
    if (key.empty()) {
      file.Complain(line, std::string("an entry of \"") + list + "\" has no \"" + key_name + "\"");
      continue;
    }
    std::vector<std::string> wrong;
    // All that is wrong with an entry in one run: authors mend in rounds of minutes otherwise.
    check(entry, &wrong);
    for (const std::string& what : wrong) file.Complain(line, key + ": " + what);
    if (wrong.empty()) keep(key, Minified(entry), line);
  }
}

// Without it an old file would be read as an empty one.
bool CheckSchema(File& file, const json& document, std::string_view schema) {
  if (document.is_discarded()) return false;
  const auto it = document.find("schema");
  if (document.is_object() && it != document.end() && *it == schema) return true;
  file.Complain(1, "\"schema\" must be \"" + std::string(schema) + "\"");
  return false;
}

// Keeps an entry once per directory; a later directory may replace it.
class Keeper {
 public:
  Keeper(File* file, std::map<std::string, std::string>* seen, std::map<std::string, std::string>* out)
      : file_(file), seen_(seen), out_(out) {}
  void operator()(const std::string& key, std::string text, size_t line) const {
    // Twice in one directory is a mistake; once in each of two is how a directory overrides.
    if (!seen_->emplace(key, "").second) {
      file_->Complain(line, key + ": is there twice");
      return;
    }
    (*out_)[key] = std::move(text);
  }

 private:
  File* file_;
  std::map<std::string, std::string>* seen_;
  std::map<std::string, std::string>* out_;
};

using Seen = std::map<std::string, std::string>;

// causes/shm.json: {"schema": "ncclwhy.kb/1", "causes": [{"id": "shm.too-small", …}]}
void ReadCauses(File& file, KbData* data, Seen* seen) {
  const json document = file.Parse();
  if (!CheckSchema(file, document, "ncclwhy.kb/1")) return;
  ReadEntries(file, document, "causes", "id", CheckCause, Keeper(&file, seen, &data->causes));
}

// env.json: {"schema": "ncclwhy.env/1", "variables": […], "never_read": […]}
void ReadVariables(File& file, KbData* data) {
  const json document = file.Parse();
  if (!CheckSchema(file, document, "ncclwhy.env/1")) return;
  Seen seen;
  ReadEntries(file, document, "variables", "name", CheckVariable, Keeper(&file, &seen, &data->variables));
  ReadEntries(file, document, "never_read", "name", CheckNeverRead, Keeper(&file, &seen, &data->never_read));
}

// codes.json: {"schema": "ncclwhy.codes/1", "tables": {"errno": [{"code": 28, "name": "ENOSPC", …}]}}
void ReadCodes(File& file, KbData* data) {
  const json document = file.Parse();
  if (!CheckSchema(file, document, "ncclwhy.codes/1")) return;
  const auto tables = document.find("tables");
  if (tables == document.end() || !tables->is_object()) {
    file.Complain(1, "has no object \"tables\"");
    return;
  }
  for (const auto& [table, entries] : tables->items()) {
    Seen seen;
    // Each table counts codes of its own: 11 is SIGSEGV and EAGAIN.
    for (const json& entry : entries) {
      std::vector<std::string> wrong;
      CheckCode(entry, &wrong);
      const std::string name = StringOf(entry, "name");
      const size_t line = file.LineOf(name.empty() ? table : name);
      for (const std::string& what : wrong) file.Complain(line, table + " " + name + ": " + what);
      if (!wrong.empty()) continue;
      const json& code = entry.at("code");
      const Keeper keep(&file, &seen, &data->codes);
      keep(CodeKey(table, code.is_string() ? code.get<std::string>() : code.dump()), Minified(entry), line);
    }
  }
}

// known_bugs.json: {"schema": "ncclwhy.bugs/1", "bugs": [{"id": …, "product": "driver", "affected": "..594",
// …}]}
void ReadBugs(File& file, KbData* data) {
  const json document = file.Parse();
  if (!CheckSchema(file, document, "ncclwhy.bugs/1")) return;
  Seen seen;
  ReadEntries(file, document, "bugs", "id", CheckBug, Keeper(&file, &seen, &data->bugs));
}

// Hands every line of a .jsonl that passes `check` to `keep(entry, line number)`.
template <typename Check, typename Keep>
void ReadLines(File& file, Check check, Keep keep) {
  // Line by line: a file of thousands of entries with one mistake keeps the rest.
  std::istringstream lines(file.text());
  std::string line;
  for (size_t number = 1; std::getline(lines, line); ++number) {
    if (line.empty()) continue;
    const json entry = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (entry.is_discarded()) {
      file.Complain(number, "is not JSON");
      continue;
    }
    std::vector<std::string> wrong;
    check(entry, &wrong);
    for (const std::string& what : wrong) file.Complain(number, what);
    if (wrong.empty()) keep(entry, number);
  }
}

// messages/*.jsonl: {"level": "WARN", "format": "Call to %s failed : %s", "files": ["socket.cc"], "meaning": "symptom",
// …}
void ReadMessages(File& file, KbData* data) {
  ReadLines(file, CheckMessage, [&](const json& entry, size_t) {
    const auto level =
        std::find(kMessageLevelNames.begin(), kMessageLevelNames.end(), entry.at("level").get<std::string>());
    // `level` was checked to be one of the names.
    data->PutMessage({{static_cast<MessageLevel>(level - kMessageLevelNames.begin()), entry.at("format")},
                      StringOf(entry, "product"),
                      StringOf(entry, "last"),
                      WithoutKey(entry, "format")});
  });
}

// incidents/*.jsonl: {"id": …, "url": "https://…", "cause": "shm.too-small", "looked_like": ["…"], "title": {…},
// "solved": {…}}
void ReadIncidents(File& file, KbData* data, Seen* seen) {
  ReadLines(file, CheckIncident, [&](const json& entry, size_t line) {
    Keeper(&file, seen, &data->incidents)(entry.at("id"), Minified(entry), line);
  });
}

// words/*.jsonl: {"word": "oom", "rarity": 5.56, "causes": {"app.rank-crashed": -0.04, "host.oom": 3.06}}
void ReadWords(File& file, KbData* data, Seen* seen) {
  ReadLines(file, CheckWord, [&](const json& entry, size_t line) {
    Keeper(&file, seen, &data->words)(entry.at("word"), WithoutKey(entry, "word"), line);
  });
}

// In the order of their names, so that which one replaces which does not depend on the file system.
std::vector<fs::path> FilesOf(const fs::path& directory, const char* extension) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == extension) files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

void KbData::PutMessage(KbMessage message) {
  std::string key(kMessageLevelNames[static_cast<size_t>(message.format.level)]);
  // What a message is known by. Its files, versions and meaning are what an override changes.
  key += "\n" + message.product + "\n" + message.format.format;
  const auto [it, added] = message_index_.emplace(std::move(key), messages.size());
  if (added) {
    messages.push_back(std::move(message));
  } else {
    messages[it->second] = std::move(message);
  }
}

// In one direction: a cause that nobody names is no mistake, one that is named and missing would never be explained.
std::vector<std::string> KbData::DanglingCauses() const {
  std::vector<std::string> found;
  const auto check = [&](const std::string& what, const std::string& id) {
    if (causes.count(id) == 0) found.push_back(what + " names the cause " + id + ", which does not exist");
  };
  for (const KbMessage& message : messages) {
    // Parsed again: what was kept is text, and this is asked once at build time or for --kb.
    const json entry = json::parse(message.json);
    const std::string what = "message \"" + message.format.format + "\"";
    const auto check_weights = [&](const json& owner) {
      const json& weights = owner.at("causes");
      for (auto it = weights.begin(); it != weights.end(); ++it) check(what, it.key());
    };
    check_weights(entry);
    if (const auto ranges = entry.find("by_version"); ranges != entry.end()) {
      for (const json& range : *ranges) check_weights(range);
    }
  }
  for (const auto& [key, text] : codes) {
    const json entry = json::parse(text);
    for (const json& id : entry.value("causes", json::array())) check("code " + key, id.get<std::string>());
  }
  for (const auto& [id, text] : bugs) check("bug " + id, json::parse(text).at("cause").get<std::string>());
  for (const auto& [id, text] : incidents) check("incident " + id, json::parse(text).at("cause").get<std::string>());
  for (const auto& [word, text] : words) {
    const json entry = json::parse(text);
    for (const auto& [id, weight] : entry.at("causes").items()) check("word \"" + word + "\"", id);
  }
  return found;
}

bool ReadKnowledge(const std::string& directory, KbData* data, std::vector<std::string>* complaints) {
  const fs::path root(directory);
  bool any = false;
  // A file that cannot be read counts as there: its complaint says what is wrong.
  const auto read = [&](const fs::path& path, auto reader) {
    any = true;
    File file(path, complaints);
    if (file.readable()) reader(file);
  };
  Seen causes;
  for (const fs::path& path : FilesOf(root / "causes", ".json")) {
    read(path, [&](File& file) { ReadCauses(file, data, &causes); });
  }
  for (const fs::path& path : FilesOf(root / "messages", ".jsonl")) {
    read(path, [&](File& file) { ReadMessages(file, data); });
  }
  Seen incidents;
  for (const fs::path& path : FilesOf(root / "incidents", ".jsonl")) {
    read(path, [&](File& file) { ReadIncidents(file, data, &incidents); });
  }
  Seen words;
  for (const fs::path& path : FilesOf(root / "words", ".jsonl")) {
    read(path, [&](File& file) { ReadWords(file, data, &words); });
  }
  const auto read_if_there = [&](const char* name, void (*reader)(File&, KbData*)) {
    // The root files may be missing in a directory that only adds causes.
    std::error_code error;
    if (fs::exists(root / name, error)) read(root / name, [&](File& file) { reader(file, data); });
  };
  read_if_there("env.json", ReadVariables);
  read_if_there("codes.json", ReadCodes);
  read_if_there("known_bugs.json", ReadBugs);
  return any;
}

}  // namespace ncclwhy
