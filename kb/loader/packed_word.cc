#include "kb/loader/packed_word.h"

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "base/text.h"
#include "kb/loader/decode.h"

namespace ncclwhy {
namespace {

constexpr double kParts = 100;

std::string Packed(double value) { return std::to_string(std::lround(value * kParts)); }

double Unpacked(std::string_view text) { return static_cast<double>(ParseInt(text).value_or(0)) / kParts; }

}  // namespace

std::string PackWord(const std::string& json, const std::map<std::string, std::string>& causes) {
  const WordKnowledge word = DecodeWord(json);
  std::string out = Packed(word.rarity);
  for (const auto& [cause, weight] : word.causes) {
    const auto it = causes.find(cause);
    if (it == causes.end()) continue;
    out += ' ' + std::to_string(std::distance(causes.begin(), it)) + ':' + Packed(weight);
  }
  return out;
}

WordKnowledge UnpackWord(const KbTables& tables, const KbRecord& record) {
  WordKnowledge out;
  bool first = true;
  for (const std::string_view part : SplitWords(tables.Json(record))) {
    const size_t colon = part.find(':');
    if (first) {
      out.rarity = Unpacked(part);
    } else if (const auto place = ParseInt(part.substr(0, colon));
               colon != part.npos && place && static_cast<size_t>(*place) < tables.causes.size()) {
      const std::string_view cause = tables.Key(tables.causes[static_cast<size_t>(*place)]);
      out.causes.emplace_back(std::string(cause), Unpacked(part.substr(colon + 1)));
    }
    first = false;
  }
  return out;
}

std::string JsonOfWord(const WordKnowledge& word) {
  nlohmann::json entry{{"rarity", word.rarity}, {"causes", nlohmann::json::object()}};
  for (const auto& [cause, weight] : word.causes) entry["causes"][cause] = weight;
  return entry.dump();
}

}  // namespace ncclwhy
