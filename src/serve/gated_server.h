// GatedServer: httplib's server, whose connections pass a HeadGate before they get a thread.
//
// Requests without a body (GET, HEAD) have threads of their own: /health and /metrics answer while every other thread
// waits for slow bodies. httplib's own accept loop, routing and parsing stay as they are; only which thread serves a
// socket, and when, is decided here. For the httplib in this folder (0.53).
#pragma once

#include <httplib.h>

#include <memory>
#include <string>

#include "serve/head_gate.h"
#include "serve/worker_pool.h"

namespace ncclwhy {

// The life of a connection:
//    accept (httplib's thread) → HeadGate::Add → head is there → heavy_ or light_ → Serve → closed
class GatedServer : public httplib::Server {
 public:
  // Threads for requests with a body, and for those without.
  GatedServer(size_t threads, size_t light_threads) {
    new_task_queue = [this, threads, light_threads] { return new Queue(this, threads, light_threads); };
  }

 private:
  // What httplib enqueues is run at once, in the thread that accepts: it only hands the socket to the gate.
  // Made by httplib when it begins to listen, and destroyed by it when it ends; the gate lives as long.
  class Queue : public httplib::TaskQueue {
   public:
    // A heavy queue as long as there are threads; a light one that takes all that the gate can hold.
    Queue(GatedServer* server, size_t threads, size_t light_threads)
        : server_(server), heavy_(threads, threads), light_(light_threads, HeadGate::kWaiting) {
      gate_ = std::make_unique<HeadGate>([this](int socket, std::string_view head) {
        const bool light = head.starts_with("GET ") || head.starts_with("HEAD ");
        if (!(light ? light_ : heavy_).Submit([this, socket] { server_->Serve(socket); })) {
          TurnAway(socket, "503 Service Unavailable", "busy", "too many requests at a time; try again");
        }
      });
      server_->gate_ = gate_.get();
    }
    bool enqueue(std::function<void()> connection) override {
      connection();
      return true;
    }
    // The gate first: nothing may come behind pools that have ended.
    void shutdown() override {
      server_->gate_ = nullptr;
      gate_.reset();
      heavy_.Shutdown();
      light_.Shutdown();
    }

   private:
    GatedServer* server_;
    WorkerPool heavy_;  // POST: reads a body, analyses
    WorkerPool light_;  // GET, HEAD
    std::unique_ptr<HeadGate> gate_;
  };

  // For each accepted socket; closed by Serve, or by the gate where no whole head comes.
  bool process_and_close_socket(socket_t socket) override {
    gate_->Add(socket);
    return true;
  }

  // As httplib's process_and_close_socket, which is private.
  // In a thread of one of the pools. Answers one request, as keep-alive is off, and closes the socket.
  void Serve(socket_t socket) {
    std::string remote, local;
    int remote_port = 0, local_port = 0;
    httplib::detail::get_remote_ip_and_port(socket, remote, remote_port);
    httplib::detail::get_local_ip_and_port(socket, local, local_port);
    bool upgraded = false;
    httplib::detail::process_server_socket(
        svr_sock_, socket, keep_alive_max_count_, keep_alive_timeout_sec_, read_timeout_sec_, read_timeout_usec_,
        write_timeout_sec_, write_timeout_usec_, [&](httplib::Stream& stream, bool close, bool& closed) {
          return process_request(stream, remote, remote_port, local, local_port, close, closed, nullptr, &upgraded);
        });
    httplib::detail::drain_and_close_socket(socket);
  }

  HeadGate* gate_ = nullptr;  // the queue's, while it lives
};

}  // namespace ncclwhy
