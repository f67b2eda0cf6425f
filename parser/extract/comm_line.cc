#include "parser/extract/comm_line.h"

#include <utility>

#include "parser/scan.h"

namespace ncclwhy {

bool ParseCommLine(std::string_view body, CommLine* line) {
  scan::Cursor c(body);
  if (c.Literal("[Rank ")) {  // 2.29
    c.Until("]");
    if (!c.Literal("] ")) return false;
  }
  if (c.Literal("ncclComm")) {
    const char* begin = c.position() - 8;
    c.Word();
    line->function = {begin, static_cast<size_t>(c.position() - begin)};
    if (!c.Char(' ')) return false;
  }
  if (!c.Literal("comm 0x") && !c.Literal("comm: 0x")) return false;
  const char* pointer = c.position() - 2;
  c.Until(" ,");
  line->comm = {pointer, static_cast<size_t>(c.position() - pointer)};
  const std::pair<std::string_view, std::string_view CommLine::*> keys[] = {
      {"rank", &CommLine::rank},        {"nranks", &CommLine::nranks},          {"nRanks", &CommLine::nranks},
      {"cudaDev", &CommLine::cuda_dev}, {"nvmlDev", &CommLine::nvml_dev},       {"busId", &CommLine::bus_id},
      {"commId", &CommLine::comm_id},   {"parent", &CommLine::parent},          {"color", &CommLine::color},
      {"key", &CommLine::key},          {"splitCount", &CommLine::split_count}, {"childCount", &CommLine::split_count},
      {"nNodes", &CommLine::nnodes},    {"localRanks", &CommLine::local_ranks}, {"localRank", &CommLine::local_rank},
      {"MNNVL", &CommLine::mnnvl}};
  while (!c.AtEnd()) {
    c.Char(',');
    c.SkipSpaces();
    if (c.Literal("- ")) {
      line->phase = scan::Trim(c.Rest());
      break;
    }
    const std::string_view key = c.Until(" ,");
    if (!c.Char(' ')) break;
    // `key 0- Init START` of 2.23 – 2.28 has no blank before the dash; a value may itself be negative.
    std::string_view value = c.Until(" ,");
    if (value.size() > 1 && value.back() == '-') {
      value.remove_suffix(1);
      c.SkipSpaces();
      line->phase = scan::Trim(c.Rest());
    }
    for (const auto& [name, member] : keys) {
      if (name == key) line->*member = value;
    }
    if (!line->phase.empty()) break;
  }
  // `Revoke COMPLETE, result 0`
  if (const size_t comma = line->phase.find(','); comma != std::string_view::npos) {
    line->phase = line->phase.substr(0, comma);
  }
  return !line->rank.empty() || !line->phase.empty();
}

void WriteCommFields(const CommLine& line, EventWriter e) {
  e.Set(FieldId::kFunction, line.function)
      .Set(FieldId::kComm, line.comm)
      .Set(FieldId::kRank, line.rank)
      .Set(FieldId::kNranks, line.nranks)
      .Set(FieldId::kCudaDev, line.cuda_dev)
      .Set(FieldId::kNvmlDev, line.nvml_dev)
      .Set(FieldId::kBusId, line.bus_id)
      .Set(FieldId::kCommId, line.comm_id)
      .Set(FieldId::kParent, line.parent)
      .Set(FieldId::kColor, line.color)
      .Set(FieldId::kKey, line.key)
      .Set(FieldId::kSplitCount, line.split_count)
      .Set(FieldId::kNnodes, line.nnodes)
      .Set(FieldId::kLocalRanks, line.local_ranks)
      .Set(FieldId::kLocalRank, line.local_rank)
      .Set(FieldId::kMnnvl, line.mnnvl)
      .Set(FieldId::kPhase, line.phase);
}

}  // namespace ncclwhy
