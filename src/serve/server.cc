#include "serve/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/escape.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "history/history_answer.h"
#include "ncclwhy/version.h"
#include "serve/access.h"
#include "serve/form.h"
#include "serve/gated_server.h"
#include "serve/log_job.h"
#include "serve/metrics.h"
#include "serve/page.h"
#include "serve/refusal.h"
#include "serve/worker_pool.h"

namespace ncclwhy {
namespace {

using Clock = std::chrono::steady_clock;
using Request = httplib::Request;
using Response = httplib::Response;

// Connections that wait in the kernel, threads for those who send more than the queue takes and are told so, and
// threads for requests without a body.
constexpr int kBacklog = 128;
constexpr size_t kSpareConnections = 8;
constexpr size_t kLightThreads = 4;
// Uploads of the largest size that may be on disk at a time, whatever the queue; and no size counts for more than this.
constexpr int64_t kUploads = 4;
constexpr uint64_t kMostBytes = 1ull << 40;
// A client that sends nothing for so long is given up.
constexpr int kSilenceSeconds = 10;
// Who writes the history does so in milliseconds; one that is locked for longer keeps nobody waiting.
constexpr std::chrono::milliseconds kHistoryPatience{500};
// Of a body whose answer is known already: read, so that the client gets to reading the answer.
constexpr uint64_t kDrainBytes = 64u << 20;

void Answer(Response& response, int status, const std::string& body, const char* type) {
  response.status = status;
  response.set_content(body, type);
}

void Refuse(Response& response, int status, const std::string& sentence) {
  if (status == 503) response.set_header("Retry-After", "1");
  if (status == 401) response.set_header("WWW-Authenticate", "Bearer");
  Answer(response, status, RefusalBody(status, sentence), "application/json");
}

RequestHead HeadOf(const Request& request) {
  return {.page = request.path == "/",
          .form = request.is_multipart_form_data(),
          .encoded = request.has_header("Transfer-Encoding"),
          .transfer_encoding = request.get_header_value("Transfer-Encoding"),
          .lengths = request.get_header_value_count("Content-Length"),
          .length = request.get_header_value("Content-Length")};
}

}  // namespace

class Server::Impl {
 public:
  explicit Impl(ServerOptions options)
      : options_(std::move(options)),
        workers_(options_.workers > 0 ? static_cast<size_t>(options_.workers)
                                      : std::max(1u, std::thread::hardware_concurrency())),
        access_(options_.address, options_.token, options_.names),
        upload_room_(static_cast<int64_t>(std::min(options_.max_bytes, kMostBytes)) * kUploads),
        // A connection holds a thread from its head to its answer: one for each worker, for each that waits in the
        // queue, and some that are told there is no room.
        http_(workers_ + static_cast<size_t>(options_.queue) + kSpareConnections, kLightThreads),
        pool_(workers_, static_cast<size_t>(options_.queue)) {}

  Status Open() {
    // What cannot be used is told now, not to the first client.
    if (Result<std::unique_ptr<Analyzer>> trial = Analyzer::Create(options_.analyzer); !trial.ok()) {
      return trial.status();
    }
    Configure();
    Route();
    // httplib says only that it failed; errno is what the system said last.
    errno = 0;
    const bool bound = options_.address.port == 0 ? (http_.bind_to_any_port(options_.address.host) > 0)
                                                  : http_.bind_to_port(options_.address.host, options_.address.port);
    if (!bound) {
      const std::string why = errno != 0 ? std::strerror(errno) : "no such address";
      return Status::Io("cannot listen on " + options_.address.Url() + ": " + why);
    }
    // httplib asks for a backlog of 5; listening again only changes that.
    (void)::listen(listener_, kBacklog);
    sockaddr_storage bound_to{};
    socklen_t size = sizeof bound_to;
    if (::getsockname(listener_, reinterpret_cast<sockaddr*>(&bound_to), &size) == 0) {
      options_.address.port =
          ntohs(bound_to.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&bound_to)->sin6_port
                                               : reinterpret_cast<const sockaddr_in*>(&bound_to)->sin_port);
    }
    return {};
  }

  Status Run() {
    Status status;
    try {
      if (!http_.listen_after_bind()) status = Status::Io("the listening socket failed");
    } catch (const std::system_error& e) {
      status = Status::Io(std::string("no thread to serve with: ") + e.code().message());
    }
    ended_ = true;
    return status;
  }

  // stop() before httplib runs does nothing, and Run would then never end. Waits until it has begun, or has failed.
  void Stop() {
    stopping_ = true;
    while (!http_.is_running() && !ended_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    http_.stop();
  }

  const ListenAddress& address() const { return options_.address; }

 private:
  void Configure() {
    http_.set_socket_options([this](socket_t fd) {
      listener_ = fd;  // of the last address that was tried, the one that was bound
      // Not SO_REUSEPORT, httplib's default: a second server on the same port would get half of the requests.
      const int yes = 1;
      ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    // One request a connection: what is left of a refused body never becomes the next request.
    http_.set_keep_alive_max_count(1);
    http_.set_read_timeout(std::min(kSilenceSeconds, options_.timeout_seconds));
    http_.set_write_timeout(kSilenceSeconds);
    http_.set_tcp_nodelay(true);
    http_.set_exception_handler([](const Request&, Response& response, const std::exception_ptr&) {
      Refuse(response, 500, "the request failed in the server");
    });
    http_.set_error_handler(httplib::Server::Handler([](const Request&, Response& response) {
      if (response.body.empty()) Refuse(response, response.status, "the request cannot be understood");
    }));
    http_.set_post_routing_handler([this](const Request& request, Response& response) {
      response.set_header("X-Content-Type-Options", "nosniff");
      response.set_header("Cache-Control", "no-store");
      response.set_header("Referrer-Policy", "same-origin");
      response.set_header("X-Frame-Options", "DENY");
      if (!response.has_header("Content-Security-Policy")) {
        response.set_header("Content-Security-Policy", "frame-ancestors 'none'; base-uri 'none'");
      }
      metrics_.CountResponse(request.path, response.status);
      if (options_.log) {
        // The path is the client's: it may hold control characters and line ends.
        options_.log(EscapeTerminal(fmt::format("{} {} {} {} {}", request.remote_addr, request.method,
                                                SanitizeUtf8(request.path), response.status, response.body.size())));
      }
    });
  }

  void Route() {
    http_.set_pre_routing_handler([this](const Request& request, Response& response) {
      // Ranges of a report are of no use, and many of them would make a large answer of a small request.
      const_cast<Request&>(request).ranges.clear();
      if (Refused(request, response)) return httplib::Server::HandlerResponse::Handled;
      return httplib::Server::HandlerResponse::Unhandled;
    });
    http_.Get("/health", [this](const Request&, Response& response) {
      const std::string body =
          fmt::format("{{\"status\":\"{}\",\"ncclwhy\":\"{}\"}}\n", stopping_ ? "stopping" : "ok", NCCLWHY_VERSION);
      Answer(response, stopping_ ? 503 : 200, body, "application/json");
    });
    http_.Get("/metrics", [this](const Request&, Response& response) {
      Answer(response, 200, metrics_.Text(pool_.running(), pool_.waiting()) + HistoryText(),
             "text/plain; version=0.0.4; charset=utf-8");
    });
    http_.Get("/openapi.json",
              [](const Request&, Response& response) { Answer(response, 200, OpenApiDocument(), "application/json"); });
    // Every browser asks for one beside a page; a 404 would be a complaint in its console.
    http_.Get("/favicon.ico", [](const Request&, Response& response) { response.status = 204; });
    http_.Get("/", [this](const Request&, Response& response) { ShowPage(response, 200, ""); });
    http_.Post("/", [this](const Request& request, Response& response, const httplib::ContentReader& reader) {
      AnswerForm(request, response, reader);
    });
    http_.Post("/analyze", [this](const Request& request, Response& response, const httplib::ContentReader& reader) {
      Analyze(request, response, reader);
    });
    // "Expect: 100-continue": curl asks before it sends much.
    http_.set_expect_100_continue_handler([this](const Request& request, Response& response) {
      const auto wrong = request.method == "POST" ? WrongHead(HeadOf(request), options_.max_bytes) : std::nullopt;
      if (!wrong) return 100;
      Refuse(response, wrong->first, wrong->second);
      return wrong->first;
    });
  }

  // By its head, whatever it asks for.
  bool Refused(const Request& request, Response& response) {
    struct Place {
      const char* path;
      const char* methods;
      bool open;  // without a token
    };
    // The page's form holds the token in its first part.
    constexpr Place kPlaces[] = {{"/analyze", "POST", false},         {"/metrics", "GET, HEAD", false},
                                 {"/health", "GET, HEAD", true},      {"/openapi.json", "GET, HEAD", true},
                                 {"/favicon.ico", "GET, HEAD", true}, {"/", "GET, HEAD, POST", true}};
    const std::string host = request.get_header_value("Host");
    const auto refuse = [&](int status, const std::string& sentence) {
      Refuse(response, status, sentence);
      return true;
    };
    //    Host: 127.0.0.1 … Host: evil.example.org   which of them counts, a proxy in front may tell differently
    if (request.get_header_value_count("Host") > 1) return refuse(400, "a request has one Host");
    if (!access_.IsOurs(host)) return refuse(403, "this server answers under its own address only");
    const Place* const place =
        std::find_if(std::begin(kPlaces), std::end(kPlaces), [&](const Place& p) { return request.path == p.path; });
    if (place == std::end(kPlaces)) {
      return refuse(404, "there is /, POST /analyze, GET /health, GET /metrics and GET /openapi.json");
    }
    if (std::string_view(place->methods).find(request.method) == std::string_view::npos || request.method.empty()) {
      response.set_header("Allow", place->methods);
      return refuse(405, request.path + " does not know " + request.method);
    }
    if (!Access::IsSameOrigin(request.get_header_value("Origin"), host)) {
      return refuse(403, "a page of another server asked; this server answers its own page only");
    }
    if (!place->open && !access_.IsAuthorised(request.get_header_value("Authorization"))) {
      return refuse(401, "show the token: Authorization: Bearer …");
    }
    return false;
  }

  // Opened for each answer: another process may have replaced the file.
  std::string HistoryText() const {
    if (options_.history.empty()) return {};
    // A file that is locked or damaged must not take the other figures with it: scraping goes on, and this gauge can
    // raise an alarm.
    std::string readable = "# HELP ncclwhy_history_readable 0 when the history cannot be read.\n";
    readable += "# TYPE ncclwhy_history_readable gauge\nncclwhy_history_readable ";
    const Result<std::unique_ptr<History>> history =
        History::Open(options_.history, History::Mode::kRead, kHistoryPatience);
    const Result<std::string> text = history.ok() ? HistoryMetrics(*history.value(), {}) : history.status();
    return text.ok() ? readable + "1\n" + text.value() : readable + "0\n";
  }

  void ShowPage(Response& response, int status, const std::string& problem) const {
    response.set_header("Content-Security-Policy", FrontPagePolicy());
    if (status == 503) response.set_header("Retry-After", "1");
    Answer(response, status, FrontPage({options_.max_bytes, options_.timeout_seconds, access_.needs_token(), problem}),
           "text/html; charset=utf-8");
  }

  // Takes a worker only when the whole form is there.
  void AnswerForm(const Request& request, Response& response, const httplib::ContentReader& reader) {
    const Clock::time_point started = Clock::now();
    const Deadline deadline = started + std::chrono::seconds(options_.timeout_seconds);
    // The page's refusals are pages. What the browser still sends is read first, else it shows "connection reset".
    if (const auto wrong = WrongHead(HeadOf(request), options_.max_bytes)) {
      Drain(request, reader, deadline);
      return ShowPage(response, wrong->first, wrong->second);
    }
    Form form(access_, access_.IsAuthorised(request.get_header_value("Authorization")), options_.max_bytes,
              &upload_room_, deadline);
    const bool received = reader([&](const auto& part) { return form.Begin(part.name, part.filename); },
                                 [&](const char* bytes, size_t size) {
                                   return form.Write({bytes, size});
                                 });
    form.Finish();
    if (form.status() != 0) return ShowPage(response, form.status(), form.problem());
    if (!received) return ShowPage(response, 400, "The form ended early, came too slowly, or is damaged.");
    const auto job =
        std::make_shared<LogJob>(form.page_request(), options_.analyzer, options_.max_bytes, deadline, form.upload());
    if (!pool_.Submit([job] { job->Run(); })) {
      return ShowPage(response, 503, "All workers are busy and the queue is full; try again.");
    }
    const std::optional<LogAnswer> answer = job->Wait();
    if (!answer) return ShowPage(response, 504, "There was no answer in time; send the part around the failure.");
    if (answer->http_status != 200) return ShowPage(response, answer->http_status, answer->problem);
    metrics_.CountReport(answer->verdict, answer->cause, answer->bytes, Clock::now() - started);
    Answer(response, 200, answer->body, "text/html; charset=utf-8");
  }

  void Analyze(const Request& request, Response& response, const httplib::ContentReader& reader) {
    const Clock::time_point started = Clock::now();
    const Deadline deadline = started + std::chrono::seconds(options_.timeout_seconds);
    const auto refuse = [&](int status, const std::string& sentence) {
      Drain(request, reader, deadline);
      Refuse(response, status, sentence);
    };
    // What the analysis unpacks by itself httplib need not know. The request is httplib's own, and not const.
    const std::string packed = request.get_header_value("Content-Encoding");
    if (packed == "gzip" || packed == "zstd") const_cast<Request&>(request).headers.erase("Content-Encoding");
    if (const auto wrong = WrongHead(HeadOf(request), options_.max_bytes)) return refuse(wrong->first, wrong->second);
    Result<LogRequest> parsed = ParseLogRequest({request.params.begin(), request.params.end()});
    if (!parsed.ok()) return refuse(400, parsed.status().message());

    // Told before a gigabyte was sent; a place is taken only when all of it is there, so that a client that is slow, or
    // sends nothing, keeps no other from one.
    const char* const busy = "all workers are busy and the queue is full; try again";
    if (pool_.full()) return refuse(503, busy);
    const std::string too_late = fmt::format("no report within {} seconds", options_.timeout_seconds);
    const auto upload = std::make_shared<Upload>(options_.max_bytes, &upload_room_);
    Status kept = upload->BeginAs(parsed.value().name);
    uint64_t drained = 0;
    // Of a body that is too large the rest is read and dropped, within limits: a client that is still sending does not
    // read the answer.
    const bool received = reader([&](const char* bytes, size_t size) {
      if (kept.ok()) kept = upload->Write({bytes, size});
      if (!kept.ok()) drained += size;
      return drained < kDrainBytes && Clock::now() < deadline;
    });
    if (!kept.ok()) {
      const bool large = kept.code() == ErrorCode::kLimit;
      return Refuse(response, large ? 413 : 503, kept.message());
    }
    if (Clock::now() >= deadline) return Refuse(response, 504, too_late);
    if (!received) {  // the client stopped in the middle, or its encoding is unknown
      const bool encoding = response.status == 415;
      return Refuse(response, encoding ? 415 : 400,
                    encoding ? "this Content-Encoding is not known; send compressed logs without one"
                             : "the body ended early, came too slowly, or is damaged");
    }
    const char* const type = ContentTypeOf(parsed.value().format);
    const auto job = std::make_shared<LogJob>(parsed.take(), options_.analyzer, options_.max_bytes, deadline, upload);
    if (!pool_.Submit([job] { job->Run(); })) return Refuse(response, 503, busy);
    const std::optional<LogAnswer> answer = job->Wait();
    if (!answer) return Refuse(response, 504, too_late);
    if (answer->http_status != 200) return Refuse(response, answer->http_status, answer->problem);
    metrics_.CountReport(answer->verdict, answer->cause, answer->bytes, Clock::now() - started);
    response.set_header("X-Ncclwhy-Verdict", answer->verdict);
    response.set_header("X-Ncclwhy-Outcome", answer->outcome);
    Answer(response, 200, answer->body, type);
  }

  // Reads a body that nobody has begun to read, within limits.
  static void Drain(const Request& request, const httplib::ContentReader& reader, Deadline deadline) {
    if (!request.has_header("Content-Length") && !request.has_header("Transfer-Encoding")) return;
    uint64_t left = kDrainBytes;
    const auto skip = [&](const char*, size_t size) {
      left -= std::min<uint64_t>(left, size);
      return left > 0 && Clock::now() < deadline;
    };
    if (request.is_multipart_form_data()) {
      (void)reader([](const auto&) { return true; }, skip);
    } else {
      (void)reader(skip);
    }
  }

  ServerOptions options_;
  const size_t workers_;
  const Access access_;
  UploadRoom upload_room_;
  Metrics metrics_;
  GatedServer http_;
  socket_t listener_ = INVALID_SOCKET;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> ended_{false};
  WorkerPool pool_;  // last: its jobs end before what they use
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::Create(ServerOptions options) {
  try {
    auto impl = std::make_unique<Impl>(std::move(options));
    if (Status status = impl->Open(); !status.ok()) return status;
    return std::unique_ptr<Server>(new Server(std::move(impl)));
  } catch (const std::exception& e) {
    return Status::Internal(e.what());
  }
}

const ListenAddress& Server::address() const { return impl_->address(); }

Status Server::Run() {
  try {
    return impl_->Run();
  } catch (const std::exception& e) {
    return Status::Internal(e.what());
  }
}

void Server::Stop() { impl_->Stop(); }

}  // namespace ncclwhy
