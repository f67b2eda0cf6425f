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
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "base/escape.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "ncclwhy/version.h"
#include "serve/connection_pool.h"
#include "serve/job_pool.h"
#include "serve/log_job.h"
#include "serve/metrics.h"

namespace ncclwhy {
namespace {

using Clock = std::chrono::steady_clock;
using Request = httplib::Request;
using Response = httplib::Response;

// Connections that wait in the kernel, and threads for those who ask for /health while all others are busy.
constexpr int kBacklog = 128;
constexpr size_t kSpareConnections = 8;
// A client that sends nothing for so long is given up.
constexpr int kSilenceSeconds = 10;
// Of a body whose answer is known already: read, so that the client gets to reading the answer.
constexpr uint64_t kDrainBytes = 64u << 20;

const char* CodeName(int status) {
  switch (status) {
    case 400:
      return "bad-request";
    case 404:
      return "not-found";
    case 405:
      return "method-not-allowed";
    case 408:
      return "client-too-slow";
    case 411:
      return "length-required";
    case 413:
      return "too-large";
    case 415:
      return "unsupported-media-type";
    case 422:
      return "unreadable";
    case 503:
      return "busy";
    case 504:
      return "time-limit";
    default:
      return status < 500 ? "refused" : "internal";
  }
}

void Answer(Response& response, int status, const std::string& body, const char* type) {
  response.status = status;
  response.set_content(body, type);
}

void Refuse(Response& response, int status, const std::string& sentence) {
  const nlohmann::ordered_json body = {
      {"error", {{"status", status}, {"code", CodeName(status)}, {"message", SanitizeUtf8(sentence)}}}};
  if (status == 503) response.set_header("Retry-After", "1");
  Answer(response, status, body.dump() + "\n", "application/json");
}

// What is wrong with the head of a request for /analyze, before its body is read.
std::optional<std::pair<int, std::string>> WrongHead(const Request& request, uint64_t max_bytes) {
  const bool chunked = request.has_header("Transfer-Encoding");
  const size_t lengths = request.get_header_value_count("Content-Length");
  if (chunked && (lengths > 0 || request.get_header_value("Transfer-Encoding") != "chunked")) {
    return std::pair(400, "a body has a Content-Length, or is sent in chunks");
  }
  if (!chunked) {
    if (lengths == 0)
      return std::pair(411, "send a log or an archive as the body, with its Content-Length or in chunks");
    const std::optional<uint64_t> length = ParseInt<uint64_t>(request.get_header_value("Content-Length"));
    if (lengths > 1 || !length) return std::pair(400, "the Content-Length is no number");
    if (*length > max_bytes) {
      return std::pair(413, fmt::format("the body has {} bytes, the limit is {}", *length, max_bytes));
    }
  }
  if (request.is_multipart_form_data()) {
    return std::pair(415,
                     "forms are not read: send the log itself, several logs as an archive "
                     "(tar cz logs | curl --data-binary @- URL)");
  }
  return std::nullopt;
}

}  // namespace

class Server::Impl {
 public:
  explicit Impl(ServerOptions options)
      : options_(std::move(options)),
        workers_(options_.workers > 0 ? static_cast<size_t>(options_.workers)
                                      : std::max(1u, std::thread::hardware_concurrency())),
        pool_(workers_, static_cast<size_t>(options_.queue)) {}

  Status Open() {
    // What cannot be used is told now, not to the first client.
    if (Result<std::unique_ptr<Analyzer>> trial = Analyzer::Create(options_.analyzer); !trial.ok()) {
      return trial.status();
    }
    Configure();
    Route();
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
    const bool fine = http_.listen_after_bind();
    ended_ = true;
    return fine ? Status() : Status::Io("the listening socket failed");
  }

  void Stop() {
    stopping_ = true;
    while (!http_.is_running() && !ended_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    http_.stop();
  }

  const ListenAddress& address() const { return options_.address; }

 private:
  void Configure() {
    http_.new_task_queue = [this] {
      const size_t most = workers_ + static_cast<size_t>(options_.queue) + kSpareConnections;
      return new ConnectionPool(most, most);
    };
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
      metrics_.CountResponse(request.path, response.status);
      if (options_.log) {
        options_.log(EscapeTerminal(fmt::format("{} {} {} {} {}", request.remote_addr, request.method,
                                                SanitizeUtf8(request.path), response.status, response.body.size())));
      }
    });
  }

  void Route() {
    http_.set_pre_routing_handler([this](const Request& request, Response& response) {
      // A page of a stranger, whose name was made to mean this machine, is not on it: its Host is another one.
      if (!IsOurs(request.get_header_value("Host"))) {
        Refuse(response, 403, "this server answers under its own address only");
        return httplib::Server::HandlerResponse::Handled;
      }
      // Ranges of a report are of no use, and many of them would make a large answer of a small request.
      const_cast<Request&>(request).ranges.clear();
      const bool analyze = request.path == "/analyze";
      if (!analyze && request.path != "/health" && request.path != "/metrics") {
        Refuse(response, 404, "there is POST /analyze, GET /health and GET /metrics");
        return httplib::Server::HandlerResponse::Handled;
      }
      if (analyze ? request.method != "POST" : request.method != "GET" && request.method != "HEAD") {
        response.set_header("Allow", analyze ? "POST" : "GET, HEAD");
        Refuse(response, 405, request.path + " does not know " + request.method);
        return httplib::Server::HandlerResponse::Handled;
      }
      return httplib::Server::HandlerResponse::Unhandled;
    });
    http_.Get("/health", [this](const Request&, Response& response) {
      const nlohmann::ordered_json body = {{"status", stopping_ ? "stopping" : "ok"}, {"ncclwhy", NCCLWHY_VERSION}};
      Answer(response, stopping_ ? 503 : 200, body.dump() + "\n", "application/json");
    });
    http_.Get("/metrics", [this](const Request&, Response& response) {
      Answer(response, 200, metrics_.Text(pool_.running(), pool_.waiting()),
             "text/plain; version=0.0.4; charset=utf-8");
    });
    http_.Post("/analyze", [this](const Request& request, Response& response, const httplib::ContentReader& reader) {
      Analyze(request, response, reader);
    });
    // "Expect: 100-continue": curl asks before it sends much.
    http_.set_expect_100_continue_handler([this](const Request& request, Response& response) {
      const auto wrong = request.path == "/analyze" ? WrongHead(request, options_.max_bytes) : std::nullopt;
      if (!wrong) return 100;
      Refuse(response, wrong->first, wrong->second);
      return wrong->first;
    });
  }

  // Whether a request was sent to the address that we listen on. Asked where only this machine can reach us; elsewhere
  // the server has whatever name its network gives it.
  bool IsOurs(std::string_view host) const {
    const std::string& own = options_.address.host;
    if (own != "localhost" && !own.starts_with("127.") && own != "::1") return true;
    const size_t port = host.rfind(':');
    if (port != std::string_view::npos && host.find(']', port) == std::string_view::npos) host = host.substr(0, port);
    return host.empty() || host == own || host == "localhost" || host == "[::1]" ||
           (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos);
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
    if (const auto wrong = WrongHead(request, options_.max_bytes)) return refuse(wrong->first, wrong->second);
    Result<LogRequest> parsed = ParseLogRequest({request.params.begin(), request.params.end()});
    if (!parsed.ok()) return refuse(400, parsed.status().message());

    const char* type = ContentTypeOf(parsed.value().format);
    const auto job = std::make_shared<LogJob>(parsed.take(), options_.analyzer, options_.max_bytes, deadline);
    if (Status opened = job->Open(); !opened.ok()) return refuse(503, opened.message());
    if (!pool_.Submit([job] { job->Run(); })) {
      return refuse(503, "all workers are busy and the queue is full; try again");
    }
    BodyPipe::Sent sent = BodyPipe::Sent::kAll;
    uint64_t drained = 0;
    const bool received = reader([&](const char* bytes, size_t size) {
      if (sent == BodyPipe::Sent::kAll) sent = job->Feed({bytes, size});
      if (sent == BodyPipe::Sent::kAll) return true;
      drained += size;
      return sent == BodyPipe::Sent::kReaderGone && drained < kDrainBytes && Clock::now() < deadline;
    });
    if (!received && sent == BodyPipe::Sent::kAll) {  // the client stopped in the middle, or its encoding is unknown
      job->Cancel();
      const bool encoding = response.status == 415;
      return Refuse(response, encoding ? 415 : 400,
                    encoding ? "this Content-Encoding is not known; send compressed logs without one"
                             : "the body ended early, came too slowly, or is damaged");
    }
    if (sent == BodyPipe::Sent::kTooLate || sent == BodyPipe::Sent::kFailed) {
      job->Cancel();
      return Refuse(response, 504, fmt::format("no report within {} seconds", options_.timeout_seconds));
    }
    job->EndOfBody();
    const std::optional<LogAnswer> answer = job->Wait();
    if (!answer) return Refuse(response, 504, fmt::format("no report within {} seconds", options_.timeout_seconds));
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
  Metrics metrics_;
  httplib::Server http_;
  socket_t listener_ = INVALID_SOCKET;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> ended_{false};
  JobPool pool_;  // last: its jobs end before what they use
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
