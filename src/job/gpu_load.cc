#include "job/gpu_load.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "base/text.h"
#include "job/aftermath.h"
#include "job/silence.h"
#include "parser/clock.h"
#include "parser/scan.h"
#include "parser/timestamp.h"

namespace ncclwhy {
namespace {

constexpr double kBusy = 95;  // per cent
constexpr double kIdle = 5;
// The share of its limit that a GPU takes at most while it only spins.
constexpr double kSpins = 0.3;
constexpr double kWorksHard = 0.5;
// Seconds, and steps, that no evaluation or checkpoint takes in silence; and where the load itself looks like waiting.
constexpr double kLongest = 600;
constexpr double kWhereItShows = 60;
constexpr double kManySteps = 20;
constexpr size_t kMostTableRows = 4000;  // rows: more of them are no table that somebody put beside the logs
constexpr size_t kNoColumn = SIZE_MAX;

// The number that a cell begins with, `100 %`, `85.6 W`; -1 for what is none.
double NumberIn(std::string_view cell) {
  cell = scan::Trim(cell);
  if (cell.empty() || !IsDigit(cell[0])) return -1;
  double value = -1;
  return std::from_chars(cell.data(), cell.data() + cell.size(), value, std::chars_format::fixed).ec == std::errc()
             ? value
             : -1;
}

bool IsIndex(std::string_view cell) {
  cell = scan::Trim(cell);
  return !cell.empty() && cell.size() <= 2 && std::all_of(cell.begin(), cell.end(), IsDigit);
}

std::vector<std::string_view> Cells(std::string_view row, char between) {
  std::vector<std::string_view> cells;
  for (size_t at = 0; at <= row.size();) {
    const size_t end = std::min(row.find(between, at), row.size());
    cells.push_back(scan::Trim(row.substr(at, end - at)));
    at = end + 1;
  }
  return cells;
}

// Reads rows one after the other: a head names the columns of those that follow.
class LoadRows {
 public:
  // What the row tells of GPUs; most tell nothing.
  std::vector<GpuLoad> Read(std::string_view row) {
    std::vector<GpuLoad> out;
    if (row.starts_with("|")) {
      ReadTable(row, &out);
      return out;
    }
    TakeLabel(row);
    if (!ReadHead(row)) ReadValues(row, &out);
    return out;
  }

 private:
  // pdsh's and mpirun's: `mesa1: 0, 100 %, 96.33 W`
  static void TakeLabel(std::string_view& row) {
    const size_t colon = row.find(": ");
    const bool label = colon != std::string_view::npos && row.substr(0, colon).find_first_of(" ,|") == row.npos;
    if (label) row.remove_prefix(colon + 2);
  }

  // |   3  NVIDIA H100 80GB HBM3          On  | 00000000:5D:00.0 Off |                    0 |
  // | N/A   41C    P0             118W / 700W |  78011MiB / 81559MiB |    100%      Default |
  void ReadTable(std::string_view row, std::vector<GpuLoad>* out) {
    const std::vector<std::string_view> cells = Cells(row, '|');
    if (cells.size() < 4) return;
    const std::vector<std::string_view> first = SplitWords(cells[1]);
    if (first.size() >= 3 && IsIndex(first[0]) && IsAlpha(first[1][0])) {
      named_ = static_cast<int32_t>(scan::IntOr(first[0], -1));
      return;
    }
    const size_t percent = cells[3].find('%');
    if (cells[2].find("MiB /") == std::string_view::npos || percent == std::string_view::npos) return;
    GpuLoad load;
    load.gpu = named_;
    load.busy = NumberIn(cells[3]);
    const size_t slash = cells[1].find("W /");
    if (slash != std::string_view::npos) {
      size_t begin = slash;
      while (begin > 0 && (IsDigit(cells[1][begin - 1]) || cells[1][begin - 1] == '.')) --begin;
      load.watts = NumberIn(cells[1].substr(begin, slash - begin));
      load.most_watts = NumberIn(cells[1].substr(slash + 3));
    }
    if (load.busy >= 0) out->push_back(load);
  }

  // index, utilization.gpu [%], power.draw [W], power.limit [W]
  bool ReadHead(std::string_view row) {
    if (row.find("utilization.gpu") == std::string_view::npos) return false;
    const std::vector<std::string_view> cells = Cells(row, ',');
    const auto column = [&](std::string_view name) {
      const auto at = std::find_if(cells.begin(), cells.end(), [&](std::string_view c) { return c.starts_with(name); });
      return at == cells.end() ? kNoColumn : static_cast<size_t>(at - cells.begin());
    };
    // The command itself, whose last words these are: `nvidia-smi --query-gpu=index,utilization.gpu --format=csv`
    if (row.find("--") != std::string_view::npos) return true;
    index_ = column("index");
    busy_ = column("utilization.gpu");
    watts_ = column("power.draw");
    limit_ = column("power.limit");
    return true;
  }

  void ReadValues(std::string_view row, std::vector<GpuLoad>* out) const {
    const std::vector<std::string_view> cells = Cells(row, ',');
    if (cells.size() < 2) return;
    const auto number = [&](size_t column) { return column < cells.size() ? NumberIn(cells[column]) : -1; };
    if (busy_ != kNoColumn) {
      GpuLoad load;
      load.busy = number(busy_);
      load.gpu = index_ < cells.size() && IsIndex(cells[index_]) ? static_cast<int32_t>(number(index_)) : -1;
      load.watts = number(watts_);
      load.most_watts = number(limit_);
      if (load.busy >= 0 && (index_ == kNoColumn || load.gpu >= 0)) out->push_back(load);
      return;
    }
    // Without a head the units tell: the first `N %` is the GPU's, and its index stands in front.
    GpuLoad load;
    for (const std::string_view cell : cells) {
      if (load.gpu < 0 && IsIndex(cell)) load.gpu = static_cast<int32_t>(NumberIn(cell));
      const bool alone = cell.ends_with(" %") && NumberIn(cell) >= 0 && cell.find(' ') + 2 == cell.size();
      if (alone && load.gpu >= 0) {
        load.busy = NumberIn(cell);
        out->push_back(load);
        load = {};
      } else if (cell.ends_with(" W") && !out->empty() && out->back().watts < 0) {
        out->back().watts = NumberIn(cell);
      }
      // One line for all of them: `0, 0 % 1, 100 % 2, 100 %`
      const size_t next = cell.find("% ");
      if (next != std::string_view::npos && load.gpu >= 0 && IsIndex(cell.substr(next + 2))) {
        load.busy = NumberIn(cell);
        out->push_back(load);
        load = {};
        load.gpu = static_cast<int32_t>(NumberIn(cell.substr(next + 2)));
      }
    }
  }

  int32_t named_ = -1;  // by the row above
  size_t index_ = kNoColumn, busy_ = kNoColumn, watts_ = kNoColumn, limit_ = kNoColumn;
};

// When the table was taken: the nearest stamp above it.
//   Thu Feb 16 14:12:40 2023      ## 2025-03-12 20:31 CET
std::string_view TakenAt(const SourceFacts& facts, uint32_t line) {
  std::string_view at;
  for (const SideRow& row : facts.rows) {
    if (row.line > line && !at.empty()) break;
    const std::string_view text = facts.Str(row.text);
    const size_t begin = std::min(text.find_first_not_of("#>$ "), text.size());
    const size_t length = TimestampLength(text.substr(begin), nullptr);
    const std::string_view stamp = length > 0 ? text.substr(begin, length) : StampIn(text);
    if (!stamp.empty()) at = stamp;
  }
  return at;
}

// Seconds from a step to the next; 0 where nobody knows.
double StepOf(const SourceFacts& facts) {
  const PulseFacts* pulse = LastStampedPulse(facts);
  if (pulse == nullptr || pulse->beats.count < 2) return 0;
  const auto took = TimeBetween(facts.Str(pulse->first_time), facts.Str(pulse->last_time));
  return took && *took > 0 ? *took / static_cast<double>(pulse->beats.count - 1) : 0;
}

// The sources in which the work is told: NCCL's own if there are any, else those that count.
std::vector<uint32_t> LogsOf(const JobModel& model) {
  std::vector<uint32_t> nccl, counting;
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    if (facts.counters.Get(Counter::kNccl) > 0) nccl.push_back(s);
    const auto counts = [](const PulseFacts& p) { return p.total > 1 || p.last_time.valid(); };
    const bool any = std::any_of(facts.pulses.begin(), facts.pulses.end(), counts);
    if (any && GpuLoadsIn(model, SourceId{s}).empty()) counting.push_back(s);
  }
  return nccl.empty() ? counting : nccl;
}

}  // namespace

std::vector<GpuLoad> GpuLoadsIn(const JobModel& model, SourceId source) {
  const SourceFacts& facts = *model.sources[source.value];
  std::vector<GpuLoad> loads;
  LoadRows rows;
  for (const SideRow& row : facts.rows) {
    const std::string_view text = facts.Str(row.text);
    for (GpuLoad& load : rows.Read(text)) {
      load.place = {source, row.line, 0, text};
      loads.push_back(load);
    }
  }
  return loads;
}

std::optional<Place> BusyBesideSilence(const JobModel& model) {
  size_t rows = 0;
  for (const SourceFacts* facts : model.sources) {
    if (std::any_of(facts->pulses.begin(), facts->pulses.end(), IsComplete)) return std::nullopt;
    rows += facts->rows.size();
  }
  if (rows == 0 || rows > kMostTableRows) return std::nullopt;
  const std::vector<uint32_t> logs = LogsOf(model);
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const std::vector<GpuLoad> loads = GpuLoadsIn(model, SourceId{s});
    size_t busy = 0, idle = 0, spin = 0, work = 0;
    for (const GpuLoad& load : loads) {
      const bool full = load.busy >= kBusy;
      busy += full ? 1 : 0;
      idle += load.busy <= kIdle ? 1 : 0;
      if (!full || load.watts < 0 || load.most_watts <= 0) continue;
      spin += load.watts <= kSpins * load.most_watts ? 1 : 0;
      work += load.watts >= kWorksHard * load.most_watts ? 1 : 0;
    }
    if (busy < 2 || busy + idle < loads.size() || work > 0) continue;
    // Since the latest word of the logs; less than nothing where they go on behind it.
    const std::string_view taken = TakenAt(*model.sources[s], loads[0].place.line);
    std::optional<double> silent;
    double step = 0;
    for (const uint32_t log : logs) {
      const auto since = taken.empty() ? std::nullopt : TimeBetween(LastStampOf(model, SourceId{log}), taken);
      if (since) silent = std::min(silent.value_or(*since), *since);
      step = std::max(step, StepOf(*model.sources[log]));
    }
    const bool shows = spin == busy || (idle > 0 && idle < busy);
    const double least = std::max(shows ? kWhereItShows : kLongest, kManySteps * step);
    if (silent && *silent >= least) return loads[0].place;
  }
  return std::nullopt;
}

}  // namespace ncclwhy
