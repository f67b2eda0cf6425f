#include "labelled.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

namespace ncclwhy {
namespace {

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

std::vector<Labelled> LoadLabelled(const std::string& folder) {
  std::vector<Labelled> list;
  std::error_code error;
  for (const auto& dir : std::filesystem::directory_iterator(folder, error)) {
    const auto label = dir.path() / "incident.json";
    if (!std::filesystem::exists(label)) continue;
    const auto j = nlohmann::json::parse(ReadAll(label));
    Labelled l;
    l.name = dir.path().filename().string();
    l.root_cause = j.at("root_cause").get<std::string>();
    l.acceptable = j.value("also_acceptable", std::vector<std::string>{});
    l.acceptable.push_back(l.root_cause);
    l.wrong_if_first = j.value("wrong_if_named_first", std::vector<std::string>{});
    if (j.contains("culprit") && j["culprit"].is_string()) l.culprit = j["culprit"].get<std::string>();
    l.scenario = j.value("scenario", l.name);
    if (j.contains("determinable_from_log")) l.determinable = j["determinable_from_log"] == true;
    for (const auto& file : std::filesystem::directory_iterator(dir.path())) {
      if (file.path().filename() == "incident.json") continue;
      l.files.emplace_back(file.path().filename().string(), ReadAll(file.path()));
    }
    std::sort(l.files.begin(), l.files.end());
    list.push_back(std::move(l));
  }
  std::sort(list.begin(), list.end(), [](const Labelled& a, const Labelled& b) { return a.name < b.name; });
  return list;
}

void Interleave(Labelled& incident, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<std::string>> lines;
  std::vector<size_t> turns;
  for (const auto& [name, bytes] : incident.files) {
    std::vector<std::string> list;
    std::istringstream in(bytes);
    for (std::string line; std::getline(in, line);) {
      // A WARN and the empty line before it are one write.
      if (!list.empty() && list.back() == "\n") {
        list.back() += line + "\n";
      } else {
        list.push_back(line + "\n");
      }
    }
    for (size_t n = 0; n < list.size(); ++n) turns.push_back(lines.size());
    lines.push_back(std::move(list));
  }
  std::shuffle(turns.begin(), turns.end(), random);
  std::vector<size_t> next(lines.size());
  std::string all;
  for (const size_t t : turns) all += lines[t][next[t]++];
  incident.files = {{"all.log", std::move(all)}};
}

std::string DropOneFile(Labelled& incident, uint32_t seed) {
  if (incident.files.size() < 2) return {};
  std::mt19937 random(seed);
  const auto at = static_cast<std::ptrdiff_t>(random() % incident.files.size());
  std::string name = incident.files[static_cast<size_t>(at)].first;
  incident.files.erase(incident.files.begin() + at);
  return name;
}

}  // namespace ncclwhy
