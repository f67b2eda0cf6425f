#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ncclwhy/version.h"
#include "report/renderer.h"
#include "serve/page.h"

namespace ncclwhy {
namespace {

// $VERSION, $FORMATS and $TYPES are filled in, and for each `$REFUSED 401 403$` what kRefusals says of them: as an
// error in JSON, or as the page again where it begins with `page`.
constexpr std::string_view kDocument = R"json({
 "openapi": "3.0.3",
 "info": {
  "title": "ncclwhy serve",
  "version": "$VERSION",
  "description": "Says what broke an NCCL job. Reports of format json are ncclwhy.report/1."
 },
 "paths": {
  "/analyze": {
   "post": {
    "summary": "What broke the job whose log, or archive of logs, is the body",
    "security": [{}, {"token": []}],
    "parameters": [
     {"name": "format", "in": "query", "description": "of the answer; default json",
      "schema": {"type": "string", "enum": [$FORMATS]}},
     {"name": "lang", "in": "query", "description": "of its texts", "schema": {"type": "string", "enum": ["en", "zh"]}},
     {"name": "redact", "in": "query", "description": "1: aliases for hosts, addresses, users, paths and tokens",
      "schema": {"type": "string", "enum": ["0", "1"]}},
     {"name": "top", "in": "query", "description": "causes; default 3",
      "schema": {"type": "integer", "minimum": 1, "maximum": 1000}},
     {"name": "job", "in": "query", "description": "one of several jobs",
      "schema": {"type": "integer", "minimum": 1, "maximum": 1000}},
     {"name": "attempt", "in": "query", "description": "one of its attempts",
      "schema": {"type": "integer", "minimum": 1, "maximum": 1000}},
     {"name": "name", "in": "query", "description": "what the report calls the log",
      "schema": {"type": "string", "maxLength": 256}}
    ],
    "requestBody": {
     "required": true,
     "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    },
    "responses": {
     "200": {
      "description": "The report in the format that was asked for.",
      "content": {$TYPES},
      "headers": {
       "X-Ncclwhy-Verdict": {"schema": {"type": "string",
        "enum": ["failure", "degraded", "healthy", "undetermined", "no-nccl"]}},
       "X-Ncclwhy-Outcome": {"schema": {"type": "string",
        "enum": ["succeeded", "failed", "hung", "stopped", "unknown"]}}
      }
     }$REFUSED 400 401 403 411 413 415 422 503 504$
    }
   }
  },
  "/": {
   "get": {
    "summary": "A page to paste logs into",
    "responses": {
     "200": {"description": "The page.", "content": {"text/html": {"schema": {"type": "string"}}}}$REFUSED 403$
    }
   },
   "post": {
    "summary": "The same for the page's form; the token, where one is needed, is its first part or a bearer's",
    "security": [{}, {"token": []}],
    "requestBody": {
     "required": true,
     "content": {
      "multipart/form-data": {
       "schema": {
        "type": "object",
        "properties": {
         "token": {"type": "string"},
         "text": {"type": "string"},
         "logs": {"type": "array", "items": {"type": "string", "format": "binary"}},
         "redact": {"type": "string", "enum": ["1"]},
         "lang": {"type": "string", "enum": ["en", "zh"]}
        }
       }
      }
     }
    },
    "responses": {
     "200": {"description": "The report as a page.", "content": {"text/html": {"schema": {"type": "string"}}}}$REFUSED 403$$REFUSED page 400 401 411 413 415 422 503 504$
    }
   }
  },
  "/health": {
   "get": {
    "summary": "Whether it answers",
    "responses": {
     "200": {"description": "It does.", "content": {"application/json": {"schema": {"type": "object"}}}},
     "503": {"description": "It stops.", "content": {"application/json": {"schema": {"type": "object"}}}}$REFUSED 403$
    }
   }
  },
  "/metrics": {
   "get": {
    "summary": "Counters for Prometheus",
    "security": [{}, {"token": []}],
    "responses": {
     "200": {"description": "Text format 0.0.4.", "content": {"text/plain": {"schema": {"type": "string"}}}}$REFUSED 401 403$
    }
   }
  },
  "/openapi.json": {
   "get": {
    "summary": "This document",
    "responses": {
     "200": {"description": "It.", "content": {"application/json": {"schema": {"type": "object"}}}}$REFUSED 403$
    }
   }
  }
 },
 "components": {
  "schemas": {
   "Error": {
    "type": "object",
    "required": ["error"],
    "properties": {
     "error": {
      "type": "object",
      "required": ["status", "code", "message"],
      "properties": {"status": {"type": "integer"}, "code": {"type": "string"}, "message": {"type": "string"}}
     }
    }
   }
  },
  "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}
 }
}
)json";

// In the order of the status: what the document lists per place comes in this order. A test provokes each of them
// (tests/serve).
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kRefusals = {{
    {"400", "an unknown parameter, or no log"},
    {"401", "the token is missing or wrong"},
    {"403", "asked under a name, or by a page, that is not this server's"},
    {"411", "neither a Content-Length nor chunks"},
    {"413", "too large"},
    {"415", "another kind of body than this place takes, or an unknown Content-Encoding"},
    {"422", "the archive cannot be read, or there is no such job or attempt"},
    {"503", "all workers are busy; try again"},
    {"504", "not done in time"},
}};

// Our own words: there is nothing in them to escape.
std::string Quoted(std::string_view word) { return '"' + std::string(word) + '"'; }

// `place` must be there, once.
void Fill(std::string_view place, std::string_view text, std::string* document) {
  document->replace(document->find(place), place.size(), text);
}

// `401 403` or `page 400 413`, as further members of "responses".
std::string Refusals(std::string_view which) {
  const bool page = which.starts_with("page ");
  const std::string_view content = page ? R"("text/html": {"schema": {"type": "string"}})"
                                        : R"("application/json": {"schema": {"$ref": "#/components/schemas/Error"}})";
  std::string out;
  for (const auto& [status, why] : kRefusals) {
    if (which.find(status) == std::string_view::npos) continue;
    out += ",\n     " + Quoted(status) + ": {\"description\": " + Quoted(why) + ", \"content\": {" +
           std::string(content) + "}}";
  }
  return out;
}

// At each place the text that was put in is searched from its beginning again: it holds no `$`.
void FillRefusals(std::string* document) {
  constexpr std::string_view kBegin = "$REFUSED ";
  for (size_t at = document->find(kBegin); at != std::string::npos; at = document->find(kBegin, at)) {
    const size_t end = document->find('$', at + kBegin.size());
    const std::string which = document->substr(at + kBegin.size(), end - at - kBegin.size());
    document->replace(at, end + 1 - at, Refusals(which));
  }
}

}  // namespace

std::string OpenApiDocument() {
  std::string formats;
  std::string types;
  std::vector<std::string_view> seen;
  // Several formats have one media type, which may stand there once.
  for (const std::string& name : FormatNames()) {
    formats += (formats.empty() ? "" : ", ") + Quoted(name);
    const std::string_view type = FindFormat(name)->media_type;
    if (std::find(seen.begin(), seen.end(), type) != seen.end()) continue;
    seen.push_back(type);
    types += (types.empty() ? "" : ", ") + Quoted(type) + ": {}";
  }
  std::string out(kDocument);
  Fill("$VERSION", NCCLWHY_VERSION, &out);
  Fill("$FORMATS", formats, &out);
  Fill("$TYPES", types, &out);
  FillRefusals(&out);
  return out;
}

}  // namespace ncclwhy
