#include "store/file_timeline.h"

#include <utility>
#include <vector>

#include "store/add_results.h"
#include "store/database.h"
#include "store/fill.h"
#include "store/guarded.h"
#include "store/report_tables.h"
#include "store/schema_parts.h"
#include "store/timeline_file.h"

namespace ncclwhy {
namespace {

class FileTimeline : public Timeline {
 public:
  FileTimeline(std::unique_ptr<Timeline> memory, std::string path)
      : timeline_(std::move(memory)), path_(std::move(path)) {}

  Status Load(const JobModel& model) override {
    model_ = &model;
    rules_ = nullptr;
    comparison_ = {};
    findings_.clear();
    return timeline_->Load(model);
  }

  Status AddComparison(const JobModel& model, const JobComparison& comparison) override {
    comparison_ = comparison;
    return timeline_->AddComparison(model, comparison);
  }

  Status AddFindings(const JobModel& model, const RuleSet& rules, const std::vector<Finding>& findings) override {
    rules_ = &rules;
    findings_.insert(findings_.end(), findings.begin(), findings.end());
    return timeline_->AddFindings(model, rules, findings);
  }

  Status AddReport(const Report& report) override {
    const JobModel* const model = model_;
    model_ = nullptr;  // it may go away from now on
    if (Status status = timeline_->AddReport(report); !status.ok()) return status;
    if (model == nullptr) return Status::InvalidArgument(path_ + ": the report of this job is written already");
    return Guarded([&] {
      return WriteTimelineFile(path_, [&](Database& database) -> Status {
        if (Status status = CreateSchema(database); !status.ok()) return status;
        for (const TableFiller& filler : TableFillers()) {
          if (Status status = FillTable(database, filler, *model); !status.ok()) return status;
        }
        if (Status status = AddComparisonRows(database, *model, comparison_); !status.ok()) return status;
        if (rules_ != nullptr) {
          if (Status status = AddFindingRows(database, *rules_, findings_); !status.ok()) return status;
        }
        for (const ReportTable& table : ReportTables()) {
          if (Status status = table.write(database, report); !status.ok()) return status;
        }
        return Status::Ok();
      });
    });
  }

  Result<std::vector<QueryRow>> Query(std::string_view sql) override { return timeline_->Query(sql); }

 private:
  std::unique_ptr<Timeline> timeline_;
  std::string path_;
  const JobModel* model_ = nullptr;
  const RuleSet* rules_ = nullptr;
  JobComparison comparison_;
  std::vector<Finding> findings_;
};

}  // namespace

std::unique_ptr<Timeline> NewFileTimeline(std::unique_ptr<Timeline> memory, std::string path) {
  return std::make_unique<FileTimeline>(std::move(memory), std::move(path));
}

}  // namespace ncclwhy
