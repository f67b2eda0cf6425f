#include "kb/loader/kb_tables.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "base/version_range.h"
#include "kb/loader/decode.h"
#include "kb/loader/packed_word.h"

namespace ncclwhy {
namespace {

// Writes keys and entries behind one another, so that a record needs four numbers and no pointer. Every second message
// says what another one does: such an entry stands there once.
class TextWriter {
 public:
  explicit TextWriter(std::string& text) : text_(text) {}

  KbRecord Append(std::string_view key, const std::string& entry) {
    KbRecord record;
    record.key = static_cast<uint32_t>(text_.size());
    record.key_size = static_cast<uint32_t>(key.size());
    text_ += key;
    const auto [known, fresh] = entries_.try_emplace(entry, static_cast<uint32_t>(text_.size()));
    record.json = known->second;
    record.json_size = static_cast<uint32_t>(entry.size());
    if (fresh) text_ += entry;
    return record;
  }

  std::vector<KbRecord> AppendAll(const std::map<std::string, std::string>& entries) {
    std::vector<KbRecord> records;
    records.reserve(entries.size());
    for (const auto& [key, entry] : entries) records.push_back(Append(key, entry));
    return records;
  }

 private:
  std::string& text_;
  std::unordered_map<std::string, uint32_t> entries_;  // where each stands
};

// The way back, for what --kb adds to.
std::map<std::string, std::string> EntriesOf(const KbTables& tables, std::span<const KbRecord> records) {
  std::map<std::string, std::string> entries;
  for (const KbRecord& r : records) entries.emplace(tables.Key(r), tables.Json(r));
  return entries;
}

// Of equal texts the first is recognised: NCCL's own stand before those of products around it, new before old.
std::vector<const KbMessage*> InOrder(const std::vector<KbMessage>& messages) {
  std::vector<const KbMessage*> sorted;
  for (const KbMessage& message : messages) sorted.push_back(&message);
  // Still printed before no longer printed, and of those the newest first; a stable sort keeps the order of files.
  const auto key = [](const KbMessage* m) {
    return std::pair(!m->product.empty(), m->last.empty() ? INT32_MIN : -VersionCode(m->last));
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return key(a) < key(b); });
  return sorted;
}

}  // namespace

// Keys are sorted as bytes, as std::map had them.
const KbRecord* KbTables::Find(std::span<const KbRecord> records, std::string_view key) const {
  const auto it = std::lower_bound(records.begin(), records.end(), key,
                                   [this](const KbRecord& r, std::string_view k) { return Key(r) < k; });
  return it != records.end() && Key(*it) == key ? &*it : nullptr;
}

// All texts in one string: a record is four numbers, and the whole can stand in the program as it is.
KbTablesOwner BuildTables(const KbData& data) {
  KbTablesOwner out;
  TextWriter writer(out.text);
  out.causes = writer.AppendAll(data.causes);
  // traits[i] is of causes[i]: both loops go through the same map.
  for (const auto& [id, entry] : data.causes) out.traits.push_back(DecodeTraits(entry));
  out.variables = writer.AppendAll(data.variables);
  out.never_read = writer.AppendAll(data.never_read);
  out.codes = writer.AppendAll(data.codes);
  out.bugs = writer.AppendAll(data.bugs);
  out.incidents = writer.AppendAll(data.incidents);
  for (const auto& [word, entry] : data.words) out.words.push_back(writer.Append(word, PackWord(entry, data.causes)));
  std::vector<MessageFormat> formats;
  for (const KbMessage* message : InOrder(data.messages)) {
    out.messages.push_back(writer.Append(message->format.format, message->json));
    formats.push_back(message->format);
  }
  out.index = BuildMessageTables(formats);
  return out;
}

// Unpacked again to be added to: slow, and only for --kb.
KbData DataOf(const KbTables& tables) {
  KbData data;
  data.causes = EntriesOf(tables, tables.causes);
  data.variables = EntriesOf(tables, tables.variables);
  data.never_read = EntriesOf(tables, tables.never_read);
  data.codes = EntriesOf(tables, tables.codes);
  data.bugs = EntriesOf(tables, tables.bugs);
  data.incidents = EntriesOf(tables, tables.incidents);
  for (const KbRecord& r : tables.words) data.words.emplace(tables.Key(r), JsonOfWord(UnpackWord(tables, r)));
  for (size_t i = 0; i < tables.messages.size(); ++i) {
    const KbRecord& r = tables.messages[i];
    // Product and last version are not in the tables, since no search asks for them.
    const nlohmann::json entry = nlohmann::json::parse(tables.Json(r));
    data.PutMessage({{tables.index.patterns[i].level, std::string(tables.Key(r))},
                     entry.value("product", ""),
                     entry.value("last", ""),
                     std::string(tables.Json(r))});
  }
  return data;
}

}  // namespace ncclwhy
