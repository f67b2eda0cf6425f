#include "gen/options.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <map>
#include <string_view>

#include "gen/era.h"
#include "gen/fault.h"

namespace ncclwhy::bench {
namespace {

template <typename Number>
bool ReadNumber(std::string_view text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// "1000", "200M", "1G": bytes, in powers of ten.
bool ReadSize(std::string_view text, uint64_t* size) {
  uint64_t unit = 1;
  if (!text.empty()) {
    if (text.back() == 'k') unit = 1'000;
    if (text.back() == 'M') unit = 1'000'000;
    if (text.back() == 'G') unit = 1'000'000'000;
    if (unit > 1) text.remove_suffix(1);
  }
  if (!ReadNumber(text, size)) return false;
  *size *= unit;
  return true;
}

template <typename Value>
bool Choose(const std::map<std::string_view, Value>& choices, std::string_view text, Value* value) {
  const auto found = choices.find(text);
  if (found == choices.end()) return false;
  *value = found->second;
  return true;
}

// "torn,foreign"
bool ReadMix(std::string_view text, Spec* spec) {
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (word == "warn") {
      spec->warn_heavy = true;
    } else if (word == "torn") {
      spec->torn = true;
    } else if (word == "foreign") {
      spec->foreign = true;
    } else if (word != "plain") {
      return false;
    }
  }
  return true;
}

Status Check(Spec* spec) {
  if (spec->out.empty()) return Status::InvalidArgument("--out DIR is missing");
  if (spec->ranks < 1 || spec->hosts < 1 || spec->hosts > spec->ranks) {
    return Status::InvalidArgument("there must be at least one host and as many ranks as hosts");
  }
  if (spec->channels < 1 || spec->channels > 32) return Status::InvalidArgument("--channels is 1 to 32");
  if (FindEra(spec->version) == nullptr) return Status::InvalidArgument("--version is none of those that --help lists");
  for (const FaultKind& kind : FaultKinds()) {
    if (kind.name != spec->fault) continue;
    if (kind.infiniband) spec->infiniband = true;
    spec->peer_chatter = spec->size > 0 && spec->verbosity == Verbosity::kInit && !spec->warn_heavy;
    if (spec->size > 0 && spec->verbosity == Verbosity::kWarn) spec->warn_heavy = true;
    if (spec->torn && spec->launcher != Launcher::kNone) {
      return Status::InvalidArgument(
          "a launcher that prefixes lines does not tear them: --launcher or --mix torn, not both");
    }
    return Status::Ok();
  }
  return Status::InvalidArgument(fmt::format("unknown fault '{}'; --help lists them", spec->fault));
}

using Setter = std::function<bool(std::string_view, Spec*)>;

const std::map<std::string_view, Setter>& Setters() {
  static const std::map<std::string_view, Setter> kSetters = {
      {"--out",
       [](std::string_view v, Spec* s) {
         s->out = v;
         return !v.empty();
       }},
      {"--ranks", [](std::string_view v, Spec* s) { return ReadNumber(v, &s->ranks); }},
      {"--hosts", [](std::string_view v, Spec* s) { return ReadNumber(v, &s->hosts); }},
      {"--version",
       [](std::string_view v, Spec* s) {
         s->version = v;
         return true;
       }},
      {"--fault",
       [](std::string_view v, Spec* s) {
         s->fault = v;
         return true;
       }},
      {"--seed", [](std::string_view v, Spec* s) { return ReadNumber(v, &s->seed); }},
      {"--steps", [](std::string_view v, Spec* s) { return ReadNumber(v, &s->steps); }},
      {"--size", [](std::string_view v, Spec* s) { return ReadSize(v, &s->size); }},
      {"--channels", [](std::string_view v, Spec* s) { return ReadNumber(v, &s->channels); }},
      {"--tensor", [](std::string_view v, Spec* s) { return ReadNumber(v, &s->tensor); }},
      {"--mix", ReadMix},
      {"--layout",
       [](std::string_view v, Spec* s) {
         return Choose<Layout>({{"rank", Layout::kRank}, {"host", Layout::kHost}, {"single", Layout::kSingle}}, v,
                               &s->layout);
       }},
      {"--subsys",
       [](std::string_view v, Spec* s) {
         return Choose<Verbosity>({{"warn", Verbosity::kWarn},
                                   {"init", Verbosity::kInit},
                                   {"coll", Verbosity::kColl},
                                   {"all", Verbosity::kAll},
                                   {"trace", Verbosity::kTrace}},
                                  v, &s->verbosity);
       }},
      {"--launcher",
       [](std::string_view v, Spec* s) {
         return Choose<Launcher>({{"none", Launcher::kNone}, {"mpirun", Launcher::kMpirun}, {"srun", Launcher::kSrun}},
                                 v, &s->launcher);
       }},
      {"--net",
       [](std::string_view v, Spec* s) {
         s->infiniband = v == "ib";
         return v == "ib" || v == "socket";
       }},
  };
  return kSetters;
}

}  // namespace

std::string Usage() {
  std::string text =
      "usage: ncclwhy_gen --out DIR [OPTIONS]\n"
      "Writes the logs of an imaginary NCCL job into DIR, and incident.json that says what was done to it.\n"
      "The same options give the same bytes.\n\n"
      "  --ranks N --hosts M     default 16 on 2\n"
      "  --version V             ";
  for (const Era& era : Eras()) text += fmt::format("{} ", era.version);
  text +=
      "(default 2.28.9)\n"
      "  --fault KIND            see below; default none\n"
      "  --seed S                names, ids, addresses, and whom the fault hits\n"
      "  --layout rank|host|single   one file per rank, per host, or one for all with its lines interleaved\n"
      "  --launcher none|mpirun|srun what stands in front of the lines of a shared file\n"
      "  --subsys warn|init|coll|all|trace   how much NCCL was told to print\n"
      "  --steps K               collectives of each rank (default 12), or\n"
      "  --size BYTES            as many as it takes (200M, 1G); approximate\n"
      "  --mix warn,torn,foreign WARN lines make up the size; lines are cut; other programs' lines between them\n"
      "  --channels C            default 2\n"
      "  --tensor T              split the world into tensor groups of T ranks and data groups across them\n"
      "  --net socket|ib\n"
      "  --brief                 leave out start-up lines that carry no state\n\nfaults\n";
  for (const FaultKind& kind : FaultKinds()) text += fmt::format("  {:<22}{}\n", kind.name, kind.summary);
  return text;
}

Result<Spec> ParseOptions(std::span<char*> args) {
  Spec spec;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string_view name = args[i];
    if (name == "--brief") {
      spec.brief = true;
      continue;
    }
    const auto setter = Setters().find(name);
    if (setter == Setters().end()) return Status::InvalidArgument(fmt::format("unknown option '{}'", name));
    if (i + 1 == args.size() || !setter->second(args[i + 1], &spec)) {
      return Status::InvalidArgument(fmt::format("{} has no usable value", name));
    }
    ++i;
  }
  if (Status status = Check(&spec); !status.ok()) return status;
  return spec;
}

}  // namespace ncclwhy::bench
