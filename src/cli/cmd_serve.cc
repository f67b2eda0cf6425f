// ncclwhy serve: the analyzer behind HTTP, for bots and CI.
#include <CLI/CLI.hpp>

#include "cli/common_options.h"
#include "cli/run_server.h"
#include "cli/subcommand.h"

namespace ncclwhy {
namespace {

constexpr CommandText kServeText = {
    .usage = R"(ncclwhy serve [OPTIONS])",
    .about = R"(Analyses logs that are sent over HTTP. No encryption: keep it on this machine,
or behind a proxy that has it.
  GET /           a page to paste logs into, or drop them on
  POST /analyze   a log or an archive as body; parameters: format=json|text|
                  markdown|html|sarif|junit|github|summary lang=en|zh redact=0|1
                  top=N job=N attempt=N name=LABEL
  GET /health     GET /metrics (Prometheus)   GET /openapi.json)",
    .further = R"(SIGTERM and SIGINT answer what was begun and end; a second one ends at once.)",
    .exit_status = R"(0 after a signal; 2 the address or an option cannot be used.)",
    .examples = R"(ncclwhy serve --listen 127.0.0.1:8471 &
curl --data-binary @job 'http://127.0.0.1:8471/analyze?format=text')",
};

class ServeCommand : public Subcommand {
 public:
  std::string_view name() const override { return "serve"; }
  CommandText text() const override { return kServeText; }

  void AddOptions(CLI::App* app) override {
    ServerOptions& server = arguments_.server;
    app->add_option("--listen", arguments_.listen, "HOST:PORT, default 127.0.0.1:8471; port 0 takes any free one")
        ->type_name("ADDR");
    app->add_option("--max-bytes", server.max_bytes, "largest log after decompression, default 1GB (10MB, 2GiB ...)")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    app->add_option("--timeout", server.timeout_seconds, "seconds for one request, default 60")
        ->type_name("S")
        ->check(CLI::Range(1, 3600));
    app->add_option("--workers", server.workers, "logs analysed at a time, default one a processor")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    app->add_option("--queue", server.queue, "requests that may wait, default 64; more get a 503")
        ->type_name("N")
        ->check(CLI::Range(0, 256));
    app->add_option("--token", arguments_.token_file, "file with the token that clients must show (Bearer)")
        ->type_name("FILE");
    app->add_option("--host", server.names, "name under which clients may ask; default any beyond loopback")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app->add_option("--history", server.history, "/metrics also tells of this `ncclwhy history`")->type_name("DB");
    AddKnowledgeOptions(app, &server.analyzer);
    app->add_flag("-q,--quiet", arguments_.quiet, "no line a request on standard error");
  }

  // All options of a request are members of it; what can be set here holds for all requests.
  int Run() override { return RunServer(arguments_); }

 private:
  ServeArguments arguments_;
};

}  // namespace

std::unique_ptr<Subcommand> NewServeCommand() { return std::make_unique<ServeCommand>(); }

}  // namespace ncclwhy
