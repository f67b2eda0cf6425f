// KbTables: all knowledge in a form that needs no start-up work. Records are minified JSON in one text, found by a
// binary search over sorted keys and parsed only when somebody asks for them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kb/loader/kb.h"
#include "kb/loader/kb_data.h"
#include "kb/loader/message_index.h"

namespace ncclwhy {

struct KbRecord {
  uint32_t key = 0, key_size = 0;  // in KbTables::text
  uint32_t json = 0, json_size = 0;
};

// Borrowed; see KbTablesOwner and the generated kb_embedded.cc.
struct KbTables {
  std::string_view text;
  std::span<const KbRecord> causes, variables, never_read, codes, bugs, incidents;  // sorted by key
  std::span<const KbRecord> messages;                                               // by index; the key is the format
  std::span<const CauseTraits> traits;                                              // of causes[i]
  MessageTables index;

  std::string_view Key(const KbRecord& record) const { return text.substr(record.key, record.key_size); }
  std::string_view Json(const KbRecord& record) const { return text.substr(record.json, record.json_size); }
  // Null when there is none.
  const KbRecord* Find(std::span<const KbRecord> records, std::string_view key) const;
};

struct KbTablesOwner {
  std::string text;
  std::vector<KbRecord> causes, variables, never_read, codes, bugs, incidents, messages;
  std::vector<CauseTraits> traits;
  MessageTablesOwner index;
  KbTables View() const {
    return {text, causes, variables, never_read, codes, bugs, incidents, messages, traits, index.View()};
  }
};

// `data.messages` has at most kMaxMessages entries.
KbTablesOwner BuildTables(const KbData& data);
// The way back: what the tables were built from.
KbData DataOf(const KbTables& tables);

// What was embedded when ncclwhy was built.
const KbTables& EmbeddedTables();

}  // namespace ncclwhy
