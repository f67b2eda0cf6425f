#include "gen/call.h"

#include "gen/random.h"

namespace ncclwhy::bench {
namespace {

void PrintTuning(const Call& call, Printer* printer) {
  const uint64_t bytes = call.count * (call.datatype == 7 ? 4 : 1);
  const int code = printer->era().code;
  if (code >= 22403) {
    printer->Info("{}: {} Bytes -> Algo RING proto SIMPLE channel{{Lo..Hi}}={{0..{}}}", call.function, bytes,
                  printer->job().spec().channels - 1);
  } else if (code >= 22003) {
    printer->Info("{} Bytes -> Algo 1 proto 2 time {}.{:06}", bytes, 20 + bytes % 97, bytes % 1'000'000);
  }
}

void PrintProgress(const Call& call, uint64_t op_count, Printer* printer) {
  const auto code = printer->era().code;
  printer->Trace(Thread::kProgress, "sendProxyProgress:1188", "sendProxy [{}/{}] request 0x{:x} done", op_count,
                 op_count % 8, 0x7f0000001000 + 64 * (op_count % 512));
  if (code >= 22403) {
    printer->Trace(Thread::kProgress, "recvProxyProgress:1422", "recvProxy [{}/{}/{}] received, size {} chunkSize={}",
                   op_count, op_count % 8, 0, call.count, 131072);
  } else {
    printer->Trace(Thread::kProgress, "recvProxyProgress:1240", "recvProxy [{}/{}/{}] flushed", op_count, op_count % 8,
                   0);
  }
}

}  // namespace

Call WorldCall(uint64_t index) {
  if (index % 11 == 2) return {Group::kWorld, "Broadcast", 4096, 0, 0};
  if (index % 2 == 1) return {Group::kWorld, "AllGather", 65536, 0, 0};
  return {Group::kWorld, "AllReduce", 65536, 7, 0};
}

void PrintCall(const Call& call, uint64_t op_count, Printer* printer) {
  if (!printer->Shows(Verbosity::kColl)) return;
  const Job& job = printer->job();
  const uint64_t buffer = 0x7f0000000000 | (Mix(static_cast<uint64_t>(printer->rank()), 77) & 0xffffff000ull);
  const uint64_t comm = job.CommPointer(printer->rank(), call.group);
  const uint64_t stream = printer->era().code >= 22803 ? 0xf0 : 0xb0;
  if (printer->Shows(Verbosity::kTrace)) {
    printer->Call(fmt::format("nccl{}({:x},{:x},{},{},{},{},0x{:x},0x{:x})", call.function, buffer, buffer, call.count,
                              call.datatype, 0, call.root, comm, stream));
  }
  printer->Info(
      "{}: opCount {:x} sendbuff 0x{:x} recvbuff 0x{:x} count {} datatype {} op 0 root {} comm 0x{:x} [nranks={}] "
      "stream 0x{:x}",
      call.function, op_count, buffer, buffer, call.count, call.datatype, call.root, comm,
      job.GroupSize(printer->rank(), call.group), stream);
  if (printer->Shows(Verbosity::kAll)) PrintTuning(call, printer);
  if (printer->Shows(Verbosity::kTrace)) PrintProgress(call, op_count, printer);
}

}  // namespace ncclwhy::bench
