#include "gen/rank_log.h"

#include "gen/random.h"

namespace ncclwhy::bench {

// Up to 2.23 the proxy thread prints the same error until the communicator is aborted.
uint64_t DefaultRepeats(const Era& era) { return era.code < 22300 ? 5 : 2; }

RankLog::RankLog(const Job& job, const Fault& fault, int rank)
    : job_(job), fault_(fault), rank_(rank), fate_(fault.FateOf(rank)), noise_(job.spec(), rank) {
  if (absent()) phase_ = Phase::kDone;
}

void RankLog::PrintStep(Printer* printer) {
  if (job_.spec().peer_chatter) {
    PrintPeerChatter(step_, printer);
    return;
  }
  if (job_.HasGroups()) {
    PrintCall({Group::kTensor, "AllReduce", 4194304, 9, 0}, calls_++, printer);
    PrintCall({Group::kTensor, "AllReduce", 4194304, 9, 0}, calls_++, printer);
    PrintCall({Group::kData, "ReduceScatter", 1048576, 9, 0}, step_, printer);
  }
  PrintCall(fault_.CallOf(rank_, step_), step_, printer);
}

void RankLog::Print(Printer* printer) {
  switch (phase_) {
    case Phase::kLoading:
      if (fate_.reaches >= Stage::kLoaded) {
        PrintLoading(printer);
        fault_.OnLoaded(printer);
      }
      if (fate_.reaches >= Stage::kMet) PrintMeeting(printer);
      phase_ = fate_.reaches >= Stage::kTopology ? Phase::kTopology : Phase::kEnding;
      return;
    case Phase::kTopology:
      PrintTopology(fate_.place.nodes > 0 ? fate_.place : PlaceOf(job_, rank_), printer);
      phase_ = fate_.reaches >= Stage::kRunning ? Phase::kConnections : Phase::kEnding;
      return;
    case Phase::kConnections:
      PrintConnections(printer);
      PrintSplits(printer);
      phase_ = Phase::kCalls;
      return;
    case Phase::kCalls:
      if (step_ < fate_.calls) {
        PrintStep(printer);
        ++step_;
        return;
      }
      step_ = 0;
      phase_ = fate_.storm ? Phase::kStorm : Phase::kEnding;
      return;
    case Phase::kStorm: {
      fault_.Storm(printer);
      const uint64_t repeats = job_.spec().repeats > 0 ? job_.spec().repeats : DefaultRepeats(printer->era());
      if (++step_ >= repeats) phase_ = Phase::kEnding;
      return;
    }
    case Phase::kEnding:
      fault_.AtEnd(printer);
      phase_ = Phase::kDone;
      return;
    case Phase::kDone:
      return;
  }
}

bool RankLog::Next(std::string* piece) {
  piece->clear();
  if (phase_ == Phase::kDone) return false;
  Printer printer(job_, fate_.era != nullptr ? *fate_.era : job_.era(), rank_, piece);
  if (fate_.device >= 0) printer.set_device(fate_.device);
  // Calls are made at ten a second; what goes wrong is noticed eight seconds later.
  const uint64_t tenths = phase_ >= Phase::kStorm ? job_.spec().steps + 80 + step_ / 100 : step_;
  printer.set_clock(100'000 * tenths);
  Print(&printer);
  noise_.Add(piece);
  return true;
}

}  // namespace ncclwhy::bench
