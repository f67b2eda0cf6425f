#include "history/past_job.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/json.h"
#include "base/sha256.h"
#include "base/utf8.h"

namespace ncclwhy {
namespace {

using Parts = std::vector<std::pair<std::string, std::string>>;

// A report may come from anybody: what is missing, and whatever is asked of something that is no object, is null, so
// that a chain of members needs no check between.
const JsonValue& Member(const JsonValue& object, const char* name) {
  static const JsonValue kNone;
  const auto it = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && it != object.end() ? *it : kNone;
}

// A member of another type than the schema's is as good as none.
std::string Text(const JsonValue& object, const char* name) {
  const JsonValue& member = Member(object, name);
  if (!member.is_string()) return {};
  const std::string& text = member.get_ref<const std::string&>();
  size_t size = std::min(text.size(), kPastNameBytes);
  // Not in the middle of a character: names in Chinese are cut at its beginning.
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

// -1 as well for 3.0: the schema writes whole numbers without a point.
int64_t Number(const JsonValue& object, const char* name) {
  const JsonValue& member = Member(object, name);
  return member.is_number_integer() ? member.get<int64_t>() : -1;
}

void Add(Parts* parts, const char* kind, std::string value) {
  if (!value.empty() && parts->size() < kPastParts) parts->emplace_back(kind, std::move(value));
}

// Last, since only then they are all there: until then Add() bounds what is appended, repeats included.
void Sort(Parts* parts) {
  std::sort(parts->begin(), parts->end());
  parts->erase(std::unique(parts->begin(), parts->end()), parts->end());
}

// A host that is blamed took part, even where no rank of it wrote a log. A device goes with its host, since every host
// has a mlx5_2; by its name where there is one ("node17 mlx5_2"), else by its number ("node17 GPU 3").
void Blame(const JsonValue& culprits, PastJob* job) {
  for (const JsonValue& culprit : culprits.is_array() ? culprits : JsonValue::array()) {
    const std::string host = Text(culprit, "host");
    if (host.empty()) continue;
    Add(&job->blamed, "host", host);
    if (const std::string device = Text(culprit, "device"); !device.empty()) {
      Add(&job->blamed, "device", host + " " + device);
    } else if (const int64_t gpu = Number(culprit, "gpu"); gpu >= 0) {
      Add(&job->blamed, "device", host + " GPU " + std::to_string(gpu));
    }
  }
  // Behind the loop, since `blamed` grows in it.
  for (const auto& [kind, value] : job->blamed) {
    if (kind == "host") Add(&job->parts, "host", value);
  }
}

void Finish(PastJob* job) {
  Sort(&job->blamed);
  Sort(&job->parts);
}

// Seconds since 1970 of "2026-11-20 10:00:00" anywhere in a time as a log prints it; 0 when there is no date.
int64_t DateIn(const std::string& text) {
  for (size_t at = 0; at + 19 <= text.size(); ++at) {
    int year, month, day, hour, minute, second, length = 0;
    // Anywhere in the text: `2026-11-20T10:00:00Z`, `[2026-11-20 10:00:00,123] `, and PyTorch's stamps without a year
    // are none.
    if (std::sscanf(text.c_str() + at, "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second,
                    &length) != 6 ||
        length != 19) {
      continue;
    }
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok() || year < 1990 || hour > 23 || minute > 59 || second > 60) continue;
    const auto days = std::chrono::sys_days(date).time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(days).count() + hour * 3600 + minute * 60 + second;
  }
  return 0;
}

// See PastJob::key. The job's number alone would not do: schedulers start again from 1, and a job that is requeued
// keeps its number.
std::string KeyOf(const JsonValue& report, const std::string& first_time) {
  const JsonValue& job = Member(report, "job");
  const JsonValue& communicators = Member(job, "communicators");
  if (communicators.is_array() && !communicators.empty()) {
    const std::string id = Text(communicators[0], "comm_id");
    // The largest communicator comes first in a report; its id is random, 64 bits, and the same in every log of the
    // run.
    if (!id.empty()) return "communicator " + id;
  }
  for (const JsonValue& fact : Member(job, "environment")) {
    if (Text(fact, "name") == "job_id" && !first_time.empty()) return "job " + Text(fact, "value") + " " + first_time;
  }
  // No name of a file: the same logs give the same key, whatever folder they were read from. Each line counts with its
  // first kPastNameBytes.
  std::string quoted = Text(report, "outcome") + Text(report, "progress");
  for (const char* list : {"outcome_evidence", "timeline", "consequences"}) {
    for (const JsonValue& item : Member(report, list)) quoted += "\n" + Text(item, "text");
  }
  for (const JsonValue& cause : Member(report, "causes")) {
    quoted += "\n" + Text(cause, "id");
    for (const JsonValue& item : Member(cause, "evidence")) quoted += "\n" + Text(item, "text");
  }
  // Two runs of one script may fail with the same words; their logs hardly have the same size.
  quoted += "\n" + std::to_string(Number(Member(report, "coverage"), "bytes"));
  return "text " + Sha256Hex(quoted);
}

// `ended` is for reports without any date in their timeline.
PastJob OneJob(const JsonValue& report, int64_t ended) {
  PastJob out;
  std::string first_time;
  for (const JsonValue& step : Member(report, "timeline")) {
    // The last step that has a date, in the order of the timeline.
    const std::string time = Text(step, "time");
    if (first_time.empty()) first_time = time;
    if (const int64_t date = DateIn(time); date > 0) ended = date;
  }
  out.key = KeyOf(report, first_time);
  out.ended = ended;
  out.verdict = Text(report, "verdict");
  out.outcome = Text(report, "outcome");
  out.decision = Text(Member(report, "decision"), "do");
  const JsonValue& job = Member(report, "job");
  for (const JsonValue& communicator : Member(job, "communicators")) {
    for (const JsonValue& rank : Member(communicator, "ranks")) {
      // Ranks of one host stand together.
      std::string host = Text(rank, "host");
      // Most repeats are kept out here, before kPastParts counts them.
      if (out.parts.empty() || out.parts.back().second != host) Add(&out.parts, "host", std::move(host));
    }
  }
  for (const JsonValue& version : Member(job, "nccl_versions")) {
    if (version.is_string()) Add(&out.parts, "nccl", version.get<std::string>().substr(0, kPastNameBytes));
  }
  for (const JsonValue& fact : Member(job, "environment")) {
    if (Text(fact, "name") == "cuda_driver") Add(&out.parts, "cuda_driver", Text(fact, "value"));
  }
  const JsonValue& causes = Member(report, "causes");
  // With any other verdict, causes that are listed were only weighed, and blame nobody.
  if ((out.verdict == "failure" || out.verdict == "degraded") && causes.is_array() && !causes.empty()) {
    out.cause = Text(causes[0], "id");
    const JsonValue& confidence = Member(causes[0], "confidence");
    if (confidence.is_number()) out.confidence = std::clamp(confidence.get<double>(), 0.0, 1.0);
    Blame(Member(causes[0], "culprits"), &out);
  }
  Finish(&out);
  return out;
}

}  // namespace

// The schema stands in front in what ncclwhy writes: 256 bytes tell without parsing a log of gigabytes.
bool LooksLikeReport(std::string_view bytes) {
  const size_t begin = bytes.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && bytes[begin] == '{' &&
         bytes.substr(begin, 256).find("\"ncclwhy.report/1\"") != std::string_view::npos;
}

Result<std::vector<PastJob>> JobsOfReport(std::string_view json, int64_t ended) {
  const JsonValue report = JsonValue::parse(json.begin(), json.end(), nullptr, false);
  if (!report.is_object() || Text(report, "schema") != "ncclwhy.report/1" || Text(report, "verdict").empty()) {
    return Status::Corrupt("is no report of `ncclwhy --format json`");
  }
  PastJob whole = OneJob(report, ended);
  // The report on several jobs has a short answer for each behind what it says of the whole: those are kept, and the
  // whole lends them its key and its end.
  const JsonValue& several = Member(report, "jobs");
  if (!several.is_array() || several.empty()) return std::vector<PastJob>{std::move(whole)};
  std::vector<PastJob> out;
  for (const JsonValue& answer : several) {
    PastJob job;
    // Not the place in the list, which has no meaning.
    std::string identity = Text(answer, "name") + "\n" + Text(answer, "cause");
    for (const JsonValue& file : Member(answer, "files"))
      identity += file.is_string() ? "\n" + file.get<std::string>() : "";
    job.key = whole.key + " " + Sha256Hex(identity);
    job.ended = whole.ended;
    job.verdict = Text(answer, "verdict");
    job.outcome = Text(answer, "outcome");
    job.cause = job.verdict == "failure" || job.verdict == "degraded" ? Text(answer, "cause") : "";
    if (!job.cause.empty()) Blame(Member(answer, "culprits"), &job);
    Finish(&job);
    out.push_back(std::move(job));
  }
  return out;
}

}  // namespace ncclwhy
