// Build step: checks the knowledge files and writes them as kb_embedded.cc.
//
//   embed_kb KB_DIRECTORY OUTPUT.cc
//
// Exit status 1 and one "file:line: what is wrong" a complaint on standard error when the data are not in order.
#include <cstdio>
#include <string>
#include <vector>

#include "base/embedded_source.h"
#include "kb/loader/kb_tables.h"

namespace {

using namespace ncclwhy;

// The tables as constants: the program needs no start-up work for any of it.
bool Write(const KbTablesOwner& t, const std::string& path) {
  EmbeddedSource out("embed_kb", "kb/", "kb/loader/kb_tables.h");
  const auto records = [&out](const char* name, const std::vector<KbRecord>& list) {
    out.Table("KbRecord", name, list,
              [](const KbRecord& r) { return fmt::format("{{{},{},{},{}}}", r.key, r.key_size, r.json, r.json_size); });
  };
  out.Bytes("kText", t.text);
  records("kCauses", t.causes);
  records("kVariables", t.variables);
  records("kNeverRead", t.never_read);
  records("kCodes", t.codes);
  records("kBugs", t.bugs);
  records("kIncidents", t.incidents);
  records("kWords", t.words);
  records("kMessages", t.messages);
  out.Table("CauseTraits", "kTraits", t.traits, [](const CauseTraits& c) {
    return fmt::format("{{CauseKind{{{}}},{},{},{},{},{},{},{},{}}}", static_cast<int>(c.kind), c.waits, c.one_rank,
                       c.both_ends, c.gone, c.reasonless, c.by_rule, c.before_work, c.takes_machine);
  });
  out.Bytes("kFormatCode", t.index.code);
  out.Table("MessagePattern", "kPatterns", t.index.patterns, [](const MessagePattern& p) {
    return fmt::format("{{{},{},{},MessageLevel{{{}}},{},{}}}", p.code, p.code_size, p.message,
                       static_cast<int>(p.level), static_cast<int>(p.end), static_cast<int>(p.sure));
  });
  out.Numbers("uint16_t", "kSlots", t.index.slots);
  out.Numbers("uint64_t", "kOccupied", t.index.occupied);
  out.Numbers("uint16_t", "kAnchored", t.index.anchored);
  out.Numbers("uint16_t", "kLoose", t.index.loose);
  out.Numbers("uint16_t", "kUnfiled", t.index.unfiled);
  out.Grams("kLongs", t.index.grams.longs.View());
  out.Grams("kShorts", t.index.grams.shorts.View());
  return out.Save(
      path,
      "constexpr KbTables kTables = {\n"
      "    {kText, sizeof kText - 1}, kCauses, kVariables, kNeverRead, kCodes, kBugs, kIncidents, kWords, kMessages,\n"
      "    kTraits,\n"
      "    {{kFormatCode, sizeof kFormatCode - 1}, kPatterns, kSlots, kOccupied, kAnchored, kLoose, kUnfiled,\n"
      "     kLongs, kShorts}};\n\n"
      "const KbTables& EmbeddedTables() { return kTables; }\n");
}

// All complaints are printed before it gives up.
int Run(const char* directory, const char* output) {
  KbData data;
  std::vector<std::string> complaints;
  if (!ReadKnowledge(directory, &data, &complaints))
    complaints.push_back(std::string(directory) + ": holds no knowledge files");
  // Here and not in the reading of one directory: a cause may stand in another file than what names it.
  for (const std::string& what : data.DanglingCauses()) complaints.push_back(std::string(directory) + ": " + what);
  if (data.messages.size() > kMaxMessages) complaints.push_back(std::string(directory) + ": too many messages");
  for (const std::string& what : complaints) std::fprintf(stderr, "%s\n", what.c_str());
  if (!complaints.empty()) return 1;
  return Write(BuildTables(data), output) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: embed_kb KB_DIRECTORY OUTPUT.cc\n");
    return 2;
  }
  try {
    return Run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "embed_kb: %s\n", error.what());
    return 1;
  }
}
