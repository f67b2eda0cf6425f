// ncclwhy serve: the analyzer behind HTTP, for bots and CI.
#include <CLI/CLI.hpp>

#include "cli/run_server.h"
#include "cli/subcommand.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kHelp = R"help(Usage: ncclwhy serve [OPTIONS]
Analyses logs that are sent over HTTP. No passwords, no encryption: keep it on
this machine, or behind a proxy that has both.
  POST /analyze   a log or an archive as body; parameters: format=json|text|
                  markdown|html|sarif|junit|github|summary lang=en|zh redact=0|1
                  top=N name=LABEL
  GET /health     GET /metrics (Prometheus)
  --listen ADDR   HOST:PORT, default 127.0.0.1:8471; port 0 takes any free one
  --max-bytes N   largest log after decompression, default 1GB (10MB, 2GiB ...)
  --timeout S     seconds for one request, default 60
  --workers N     logs analysed at a time, default one a processor
  --queue N       requests that may wait, default 64; more get a 503
  --kb DIR, --rules DIR   add or override knowledge, rules
  -q, --quiet     no line a request on standard error
SIGTERM and SIGINT answer what was begun and end; a second one ends at once.
Exit status: 0 after a signal; 2 the address or an option cannot be used.
Example: ncclwhy serve --listen 127.0.0.1:8471 &
         curl --data-binary @job.log 'http://127.0.0.1:8471/analyze?format=text'
)help";

class ServeCommand : public Subcommand {
 public:
  std::string_view name() const override { return "serve"; }
  std::string_view help() const override { return kHelp; }

  void AddOptions(CLI::App* app) override {
    ServerOptions& server = arguments_.server;
    app->add_option("--listen", arguments_.listen);
    app->add_option("--max-bytes", server.max_bytes)->transform(CLI::AsSizeValue(false))->check(CLI::PositiveNumber);
    app->add_option("--timeout", server.timeout_seconds)->check(CLI::Range(1, 3600));
    app->add_option("--workers", server.workers)->check(CLI::Range(1, 1024));
    app->add_option("--queue", server.queue)->check(CLI::Range(0, 256));
    app->add_option("--kb", server.analyzer.kb_directories)->allow_extra_args(false);
    app->add_option("--rules", server.analyzer.rule_directories)->allow_extra_args(false);
    app->add_flag("-q,--quiet", arguments_.quiet);
  }

  int Run() override { return RunServer(arguments_); }

 private:
  ServeArguments arguments_;
};

}  // namespace

std::unique_ptr<Subcommand> NewServeCommand() { return std::make_unique<ServeCommand>(); }

}  // namespace ncclwhy
