// KbTables: all knowledge in a form that needs no start-up work. Records are minified JSON in one text (words:
// packed_word.h), found by a binary search over sorted keys and parsed only when somebody asks for them.
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

// Offsets and sizes in bytes: the texts of all knowledge are some megabytes, so 32 bits do.
struct KbRecord {
  uint32_t key = 0, key_size = 0;  // in KbTables::text
  uint32_t json = 0, json_size = 0;
};

// Borrowed; see KbTablesOwner and the generated kb_embedded.cc.
struct KbTables {
  std::string_view text;
  std::span<const KbRecord> causes, variables, never_read, codes, bugs, incidents, words;  // sorted by key
  std::span<const KbRecord> messages;   // by index; the key is the format
  std::span<const CauseTraits> traits;  // of causes[i]
  MessageTables index;

  std::string_view Key(const KbRecord& record) const { return text.substr(record.key, record.key_size); }
  std::string_view Json(const KbRecord& record) const { return text.substr(record.json, record.json_size); }
  // Null when there is none.
  const KbRecord* Find(std::span<const KbRecord> records, std::string_view key) const;
};

struct KbTablesOwner {
  std::string text;
  std::vector<KbRecord> causes, variables, never_read, codes, bugs, incidents, words, messages;
  std::vector<CauseTraits> traits;
  MessageTablesOwner index;
  KbTables View() const {
    return {text, causes, variables, never_read, codes, bugs, incidents, words, messages, traits, index.View()};
  }
};

// `data.messages` has at most kMaxMessages entries. Their order here is not that of the files: of equal texts the first
// is recognised, so NCCL's own come before those of products around it, and new ones before old.
KbTablesOwner BuildTables(const KbData& data);
// The way back: what the tables were built from. Copies everything: only --kb pays for it.
KbData DataOf(const KbTables& tables);

// What was embedded when ncclwhy was built.
const KbTables& EmbeddedTables();

}  // namespace ncclwhy
