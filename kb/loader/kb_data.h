// KbData: the files of a knowledge directory, checked, as records of minified JSON. Used when ncclwhy is built (see
// embed_kb.cc) and when it runs with --kb.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kb/loader/message_index.h"

namespace ncclwhy {

struct KbMessage {
  MessageFormat format;
  std::string product;  // RCCL or a plug-in; empty for NCCL itself
  std::string last;     // the last version that prints it; empty = still printed
  std::string json;
};

// Keys: cause id; variable name; "table/code" (errno/28); bug id; incident id; word.
struct KbData {
  std::map<std::string, std::string> causes, variables, never_read, codes, bugs, incidents, words;
  std::vector<KbMessage> messages;

  // Replaces the message of the same level, product and format, or appends.
  void PutMessage(KbMessage message);
  // Causes that a code, bug, message, incident or word names and that do not exist; "message \"…\" names the cause x".
  std::vector<std::string> DanglingCauses() const;

 private:
  std::map<std::string, size_t> message_index_;  // level, newline, product, newline, format
};

// Reads causes/*.json, messages/*.jsonl, incidents/*.jsonl, words/*.jsonl, env.json, codes.json and known_bugs.json of
// `directory` into `data`, over what is there, files in the order of their names. Every complaint is one line,
// "file:line: what is wrong"; what is wrong is left out, all else is read. Within one directory no key may come twice
// but that of a message, of which the last counts. False when the directory has none of these files.
bool ReadKnowledge(const std::string& directory, KbData* data, std::vector<std::string>* complaints);

}  // namespace ncclwhy
