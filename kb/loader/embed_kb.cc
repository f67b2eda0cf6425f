// Build step: checks the knowledge files and writes them as kb_embedded.cc.
//
//   embed_kb KB_DIRECTORY OUTPUT.cc
//
// Exit status 1 and one "file:line: what is wrong" a complaint on standard error when the data are not in order.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/literal_text.h"
#include "kb/loader/kb_tables.h"

namespace {

using namespace ncclwhy;

void WriteRecords(std::ostream& out, const char* name, const std::vector<KbRecord>& records) {
  out << "constexpr std::array<KbRecord, " << records.size() << "> " << name << " = {{\n";
  for (const KbRecord& r : records) {
    out << "{" << r.key << "," << r.key_size << "," << r.json << "," << r.json_size << "},\n";
  }
  out << "}};\n";
}

template <typename T>
void WriteNumbers(std::ostream& out, const char* type, const char* name, const std::vector<T>& numbers) {
  out << "constexpr std::array<" << type << ", " << numbers.size() << "> " << name << " = {{\n";
  for (size_t i = 0; i < numbers.size(); ++i) out << numbers[i] << (i % 24 == 23 ? "u,\n" : "u,");
  out << "}};\n";
}

void WriteGrams(std::ostream& out, const std::string& name, const GramTableStorage& table) {
  // A stream takes bytes for characters.
  WriteNumbers(out, "uint8_t", (name + "Filter").c_str(),
               std::vector<uint32_t>(table.filter.begin(), table.filter.end()));
  WriteNumbers(out, "uint32_t", (name + "Slots").c_str(), table.slots);
  out << "constexpr std::array<GramEntry, " << table.entries.size() << "> " << name << "Entries = {{\n";
  for (const GramEntry& e : table.entries) {
    out << "{" << e.bytes << "u," << e.text << "," << e.offset << "," << e.unused << "},\n";
  }
  out << "}};\nconstexpr GramTable " << name << " = {" << name << "Filter, " << name << "Slots, " << name
      << "Entries};\n";
}

void WriteTables(std::ostream& out, const KbTablesOwner& t) {
  out << "// Made by embed_kb from kb/. Do not edit.\n"
         "#include <array>\n\n#include \"kb/loader/kb_tables.h\"\n\nnamespace ncclwhy {\nnamespace {\n\n";
  WriteLiteral(out, "kText", t.text);
  WriteRecords(out, "kCauses", t.causes);
  WriteRecords(out, "kVariables", t.variables);
  WriteRecords(out, "kNeverRead", t.never_read);
  WriteRecords(out, "kCodes", t.codes);
  WriteRecords(out, "kBugs", t.bugs);
  WriteRecords(out, "kIncidents", t.incidents);
  WriteRecords(out, "kMessages", t.messages);
  WriteLiteral(out, "kFormatCode", t.index.code);
  out << "constexpr std::array<MessagePattern, " << t.index.patterns.size() << "> kPatterns = {{\n";
  for (const MessagePattern& p : t.index.patterns) {
    out << "{" << p.code << "," << p.code_size << "," << p.message << ",MessageLevel{" << static_cast<int>(p.level)
        << "}," << static_cast<int>(p.end) << "},\n";
  }
  out << "}};\n";
  WriteNumbers(out, "uint16_t", "kSlots", t.index.slots);
  WriteNumbers(out, "uint64_t", "kOccupied", t.index.occupied);
  WriteNumbers(out, "uint16_t", "kAnchored", t.index.anchored);
  WriteNumbers(out, "uint16_t", "kLoose", t.index.loose);
  WriteNumbers(out, "uint16_t", "kUnfiled", t.index.unfiled);
  WriteGrams(out, "kLongs", t.index.grams.longs);
  WriteGrams(out, "kShorts", t.index.grams.shorts);
  out << "constexpr KbTables kTables = {\n"
         "    {kText, sizeof kText - 1}, kCauses, kVariables, kNeverRead, kCodes, kBugs, kIncidents, kMessages,\n"
         "    {{kFormatCode, sizeof kFormatCode - 1}, kPatterns, kSlots, kOccupied, kAnchored, kLoose, kUnfiled,\n"
         "     kLongs, kShorts}};\n\n"
         "}  // namespace\n\nconst KbTables& EmbeddedTables() { return kTables; }\n\n}  // namespace ncclwhy\n";
}

int Run(const char* directory, const char* output) {
  KbData data;
  std::vector<std::string> complaints;
  if (!ReadKnowledge(directory, &data, &complaints))
    complaints.push_back(std::string(directory) + ": holds no knowledge files");
  for (const std::string& what : data.DanglingCauses()) complaints.push_back(std::string(directory) + ": " + what);
  if (data.messages.size() > kMaxMessages) complaints.push_back(std::string(directory) + ": too many messages");
  for (const std::string& what : complaints) std::fprintf(stderr, "%s\n", what.c_str());
  if (!complaints.empty()) return 1;
  std::ofstream out(output, std::ios::binary);
  WriteTables(out, BuildTables(data));
  out.close();
  if (!out) std::fprintf(stderr, "%s: cannot be written\n", output);
  return out ? 0 : 1;
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
