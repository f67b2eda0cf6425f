#include <nlohmann/json.hpp>

#include "ncclwhy/version.h"
#include "report/renderer.h"
#include "serve/page.h"

namespace ncclwhy {
namespace {

using Json = nlohmann::ordered_json;

Json Parameter(const char* name, Json schema, const char* description) {
  return {{"name", name}, {"in", "query"}, {"description", description}, {"schema", std::move(schema)}};
}

Json Number() { return {{"type", "integer"}, {"minimum", 1}, {"maximum", 1000}}; }
Json OneOf(Json values) { return {{"type", "string"}, {"enum", std::move(values)}}; }
Json Content(const char* type, Json schema) { return {{type, {{"schema", std::move(schema)}}}}; }
Json Ok(const char* description, Json content) {
  return {{"200", {{"description", description}, {"content", std::move(content)}}}};
}

Json Analyze() {
  Json answers = Json::object();
  for (const std::string& name : FormatNames()) answers[FindFormat(name)->media_type] = Json::object();
  Json responses = Ok("The report in the format that was asked for.", answers);
  responses["200"]["headers"] = {
      {"X-Ncclwhy-Verdict", {{"schema", OneOf({"failure", "degraded", "healthy", "undetermined", "no-nccl"})}}},
      {"X-Ncclwhy-Outcome", {{"schema", OneOf({"succeeded", "failed", "hung", "stopped", "unknown"})}}}};
  for (const auto& [status, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"400", "an unknown parameter, or no log"},
           {"401", "the token is missing or wrong"},
           {"403", "asked under a name, or by a page, that is not this server's"},
           {"411", "neither a Content-Length nor chunks"},
           {"413", "too large"},
           {"415", "a form, or an unknown Content-Encoding"},
           {"422", "the archive cannot be read, or there is no such job or attempt"},
           {"503", "all workers are busy; try again"},
           {"504", "not done in time"}}) {
    responses[status] = {{"description", why},
                         {"content", Content("application/json", {{"$ref", "#/components/schemas/Error"}})}};
  }
  return {{"summary", "What broke the job whose log, or archive of logs, is the body"},
          {"security", Json::array({Json::object(), {{"token", Json::array()}}})},
          {"parameters",
           {Parameter("format", OneOf(FormatNames()), "of the answer; default json"),
            Parameter("lang", OneOf({"en", "zh"}), "of its texts"),
            Parameter("redact", OneOf({"0", "1"}), "1: aliases for hosts, addresses, users, paths and tokens"),
            Parameter("top", Number(), "causes; default 3"), Parameter("job", Number(), "one of several jobs"),
            Parameter("attempt", Number(), "one of its attempts"),
            Parameter("name", {{"type", "string"}, {"maxLength", 256}}, "what the report calls the log")}},
          {"requestBody",
           {{"required", true},
            {"content", Content("application/octet-stream", {{"type", "string"}, {"format", "binary"}})}}},
          {"responses", responses}};
}

Json FormBody() {
  const Json file = {{"type", "string"}, {"format", "binary"}};
  const Json properties = {{"token", {{"type", "string"}}},
                           {"text", {{"type", "string"}}},
                           {"logs", {{"type", "array"}, {"items", file}}},
                           {"redact", OneOf({"1"})},
                           {"lang", OneOf({"en", "zh"})}};
  return {{"summary", "The same for the page's form; the token, where one is needed, is its first part"},
          {"requestBody",
           {{"required", true},
            {"content", Content("multipart/form-data", {{"type", "object"}, {"properties", properties}})}}},
          {"responses", Ok("The report as a page.", Content("text/html", {{"type", "string"}}))}};
}

}  // namespace

std::string OpenApiDocument() {
  const Json error = {
      {"type", "object"},
      {"required", {"error"}},
      {"properties",
       {{"error",
         {{"type", "object"},
          {"required", {"status", "code", "message"}},
          {"properties",
           {{"status", {{"type", "integer"}}}, {"code", {{"type", "string"}}}, {"message", {{"type", "string"}}}}}}}}}};
  const Json text = {{"type", "string"}};
  const auto get = [](const char* summary, Json responses) -> Json {
    return {{"get", {{"summary", summary}, {"responses", std::move(responses)}}}};
  };
  Json root = get("A page to paste logs into", Ok("The page.", Content("text/html", text)));
  root["post"] = FormBody();
  const Json out = {
      {"openapi", "3.0.3"},
      {"info",
       {{"title", "ncclwhy serve"},
        {"version", NCCLWHY_VERSION},
        {"description", "Says what broke an NCCL job. Reports of format json are ncclwhy.report/1."}}},
      {"paths",
       {{"/analyze", {{"post", Analyze()}}},
        {"/", root},
        {"/health", get("Whether it answers",
                        Ok("It does; 503 while it stops.", Content("application/json", {{"type", "object"}})))},
        {"/metrics", get("Counters for Prometheus", Ok("Text format 0.0.4.", Content("text/plain", text)))},
        {"/openapi.json", get("This document", Ok("It.", Content("application/json", {{"type", "object"}})))}}},
      {"components",
       {{"schemas", {{"Error", error}}}, {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
  return out.dump(1) + "\n";
}

}  // namespace ncclwhy
