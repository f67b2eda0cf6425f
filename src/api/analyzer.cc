#include "ncclwhy/analyzer.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "analyze/analyzer.h"
#include "read/read_sources.h"
#include "report/redact.h"
#include "report/renderer.h"
#include "store/store.h"

namespace ncclwhy {
namespace {

std::string Sentence(const Diagnostic& d) {
  std::string out = d.file;
  if (d.line > 0) out += ":" + std::to_string(d.line);
  out += ": " + d.code + " " + d.message;
  return out;
}

// The same file under two spellings is one file.
std::string Identity(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

// Reports name sources, so names are unique: "rank0.log", "rank0.log (2)".
void MakeNamesUnique(std::vector<SourceDigest>* digests) {
  std::set<std::string> used;
  for (SourceDigest& digest : *digests) {
    const std::string name = digest.facts.name;
    for (int n = 2; !used.insert(digest.facts.name).second; ++n) {
      digest.facts.name = name + " (" + std::to_string(n) + ")";
    }
  }
}

}  // namespace

class Analyzer::Impl {
 public:
  explicit Impl(AnalyzerOptions options) : options_(std::move(options)) {}

  Status Load() {
    if (options_.top < 1) return Status::InvalidArgument("at least one cause must be asked for (top)");
    if (options_.jobs < 0) return Status::InvalidArgument("the number of threads (jobs) is negative");
    if (options_.redact && !options_.database.empty()) {
      return Status::InvalidArgument("redact and database exclude each other: the timeline holds the names as logged");
    }
    if (options_.kb_directories.empty()) {
      kb_ = &KnowledgeBase::Embedded();
    } else {
      Result<std::unique_ptr<KnowledgeBase>> kb = KnowledgeBase::Load(options_.kb_directories);
      if (!kb.ok()) return kb.status();
      own_kb_ = kb.take();
      kb_ = own_kb_.get();
    }
    if (options_.rule_directories.empty()) {
      rules_ = &RuleSet::Embedded();
      return {};
    }
    std::vector<Diagnostic> diagnostics;
    own_rules_ = RuleSet::Load(options_.rule_directories, &diagnostics);
    for (const Diagnostic& diagnostic : diagnostics) {
      if (diagnostic.level == Diagnostic::Level::kError) return Status::Corrupt(Sentence(diagnostic));
    }
    if (!own_rules_) return Status::Corrupt("the rules cannot be used");
    rules_ = own_rules_.get();
    return {};
  }

  void AddArguments(const std::vector<std::string>& arguments) {
    for (SourceSpec& spec : ExpandSources(arguments, &problems_)) {
      if (seen_.insert(Identity(spec.path)).second) specs_.push_back(std::move(spec));
    }
  }

  // Runs one call. An exception (no memory) leaves half a line behind: what follows is refused, not computed from it.
  template <typename Call>
  auto Whole(const Call& call) -> decltype(call()) {
    if (broken_) return Status::Internal("an earlier call failed: this analyzer can only be destroyed");
    broken_ = true;
    auto result = call();
    broken_ = false;
    return result;
  }

  Status Begin(std::string_view name) {
    if (reader_) return Status::InvalidArgument("Begin: the source before this one was not ended");
    reader_ = std::make_unique<DigestBuilder>(std::string(name), *rules_, *kb_, Parsing());
    return {};
  }
  Status Push(std::string_view bytes) {
    if (!reader_) return Status::InvalidArgument("Push: no source was begun");
    reader_->Push(bytes);
    return {};
  }
  Status EndSource() {
    if (!reader_) return Status::InvalidArgument("EndSource: no source was begun");
    digests_.push_back(reader_->Finish());
    reader_.reset();
    return {};
  }

  Status Append(std::string_view name, std::string_view bytes) {
    if (finished_) return Status::InvalidArgument("Append: the report was already made");
    auto it = growing_.find(name);
    if (it == growing_.end()) {
      auto builder = std::make_unique<DigestBuilder>(std::string(name), *rules_, *kb_, Parsing());
      it = growing_.emplace(std::string(name), std::move(builder)).first;
    }
    it->second->Push(bytes);
    return {};
  }

  Result<Report> Finish() {
    if (finished_) return Status::InvalidArgument("Finish: the report was already made");
    finished_ = true;
    if (reader_) (void)EndSource();
    for (auto& [name, builder] : growing_) digests_.push_back(builder->Finish());
    growing_.clear();
    const ReadOptions reading{options_.jobs, Parsing(), options_.progress};
    std::vector<SourceDigest> read = ReadSources(specs_, *rules_, *kb_, reading, &problems_);
    std::move(read.begin(), read.end(), std::back_inserter(digests_));
    // In name order, so that neither threads nor the order of arguments show.
    std::stable_sort(digests_.begin(), digests_.end(),
                     [](const SourceDigest& a, const SourceDigest& b) { return a.facts.name < b.facts.name; });
    MakeNamesUnique(&digests_);

    Result<std::unique_ptr<Timeline>> timeline = OpenTimeline(options_.database);
    if (!timeline.ok() && !options_.database.empty()) {
      problems_.push_back(timeline.status().message());
      timeline = OpenTimeline("");
    }
    if (!timeline.ok()) return timeline.status();
    std::sort(problems_.begin(), problems_.end());
    const AnalyzeOptions analysis{options_.language, options_.top};
    Report report = Analyze(std::move(digests_), *rules_, *kb_, *timeline.value(), analysis, std::move(problems_));
    return options_.redact ? Redact(std::move(report)) : std::move(report);
  }

 private:
  ParserOptions Parsing() const {
    ParserOptions out;
    out.keep_every_collective = options_.full_timeline;
    return out;
  }

  AnalyzerOptions options_;
  std::unique_ptr<KnowledgeBase> own_kb_;
  const KnowledgeBase* kb_ = nullptr;
  std::unique_ptr<RuleSet> own_rules_;
  const RuleSet* rules_ = nullptr;
  std::set<std::string> seen_;
  std::vector<SourceSpec> specs_;
  std::vector<std::string> problems_;
  std::unique_ptr<DigestBuilder> reader_;
  std::map<std::string, std::unique_ptr<DigestBuilder>, std::less<>> growing_;
  std::vector<SourceDigest> digests_;
  bool finished_ = false;
  bool broken_ = false;
};

Analyzer::Analyzer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Analyzer::~Analyzer() = default;

Result<std::unique_ptr<Analyzer>> Analyzer::Create(AnalyzerOptions options) {
  try {
    auto impl = std::make_unique<Impl>(std::move(options));
    if (Status status = impl->Load(); !status.ok()) return status;
    return std::unique_ptr<Analyzer>(new Analyzer(std::move(impl)));
  } catch (const std::exception& e) {
    return Status::Internal(e.what());
  }
}

void Analyzer::AddArguments(const std::vector<std::string>& arguments) { impl_->AddArguments(arguments); }
void Analyzer::AddFile(const std::string& path) { impl_->AddArguments({path}); }
Status Analyzer::Begin(std::string_view name) {
  return impl_->Whole([&] { return impl_->Begin(name); });
}
Status Analyzer::Push(std::string_view bytes) {
  return impl_->Whole([&] { return impl_->Push(bytes); });
}
Status Analyzer::EndSource() {
  return impl_->Whole([&] { return impl_->EndSource(); });
}

Status Analyzer::Append(std::string_view name, std::string_view bytes) {
  try {
    return impl_->Whole([&] { return impl_->Append(name, bytes); });
  } catch (const std::exception& e) {
    return Status::Internal(e.what());
  }
}

Result<Report> Analyzer::Finish() {
  try {
    return impl_->Whole([&] { return impl_->Finish(); });
  } catch (const std::exception& e) {
    return Status::Internal(e.what());
  }
}

Result<std::string> RenderReport(const Report& report, std::string_view format, const ReportFormat& options) {
  const std::optional<Format> known = FormatFromName(format);
  if (!known) return Status::InvalidArgument("there is no format '" + std::string(format) + "'");
  try {
    return Render(report, *known, RenderOptions{options.language, options.width, options.color, options.link});
  } catch (const std::exception& e) {
    return Status::Internal(e.what());
  }
}

}  // namespace ncclwhy
