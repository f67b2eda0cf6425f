// ProcessTable: whose line is it? Fills SourceFacts::processes.
//
// A header names host:pid, but torn lines glue foreign characters to the host or cut it. A host is believed when it
// stood at the beginning of a line; one found in mid-line is fitted to the believed ones. Lines without a header belong
// to the stream of their launcher prefix (or of no prefix): an entry of its own, which gets host and pid when the
// source ends if exactly one process wrote through that stream. So several entries of one source may be one process.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/limits.h"
#include "parser/facts.h"
#include "parser/parsed_line.h"

namespace ncclwhy {

class FactsBuilder;
class SegmentTranslation;

class ProcessTable {
 public:
  ProcessTable(SourceFacts* facts, FactsBuilder* builder) : facts_(facts), builder_(builder) {}
  // For a later segment of the source: knows the processes that `before` knows, has no line of them yet.
  ProcessTable(const ProcessTable& before, SourceFacts* facts, FactsBuilder* builder);

  // The process of a header, kNoProcess at limits::kProcessesPerSource. `clean`: the header began its line. Shortens
  // header.host when something was glued to it: `-1mew0` is mew0 behind the end of a table's row.
  uint32_t OfHeader(NcclHeader& header, bool clean, const OuterPrefix& outer);
  // Notes that so many lines of `process` came through the prefix `outer`.
  void Link(uint32_t process, const OuterPrefix& outer, uint32_t lines = 1) {
    if (outer.any || (process != plain_ && !plain_ambiguous_)) LinkStream(process, outer, lines);
  }

  // The stream of a line without a header, kNoProcess at the limit. A prefix is compared with those of the latest lines
  // first, then looked up.
  uint32_t OfStream(const OuterPrefix& outer);
  // A process without a rank in its label may say which it is:
  //   (RayWorkerWrapper pid=71551, ip=10.40.3.27) … rank 10 in world size 16 is assigned as DP rank 0, PP rank 2
  void SaysRank(uint32_t process, std::string_view text);

  // Counts a line of a process.
  void CountLine(uint32_t process, const ParsedLine& line);
  // The same for so many `lines` of a process, one behind the other, of which none is torn or a warning.
  void CountRun(uint32_t process, const TextPlace& first, const TextPlace& last, uint32_t lines) {
    ProcessFacts& p = facts_->processes[process];
    if (p.lines == 0) NoteFirst(p, first);
    p.lines += lines;
    p.last.line = last.number;
    p.last.offset = last.offset;
    p.last_torn = false;
    entries_[process].last_text.assign(last.text.substr(0, limits::kEvidenceText));
  }

  // True when `host` stood in a header at the beginning of a line. A hash and a comparison, however many hosts there
  // are.
  bool IsKnownHost(std::string_view host) const;

  // Adds the processes of the segment that follows, and tells `in_source` which they are. Those that `segment` was made
  // with have the same number here.
  void Join(const ProcessTable& segment, SegmentTranslation& in_source);

  // Fits provisional hosts, gives streams their process, fills launcher ranks and last texts. Once, last.
  // `trust_labels` false: numbers of `N: ` labels were line numbers; ranks are forgotten.
  void Finish(bool trust_labels);

 private:
  struct Entry {
    std::string host;                                 // as in the header
    std::vector<std::pair<int32_t, uint32_t>> votes;  // launcher rank, lines
    uint32_t vote = 0;                                // index of the latest vote
    bool header = false;                              // named by headers
    bool believed = false;                            // a header began a line
    uint32_t stream = UINT32_MAX;
    std::string last_text;  // of its lines
  };
  // A prefix that lines share. Two with the same rank, task, pid and name are one.
  struct Stream {
    int32_t rank = -1;
    int32_t local_rank = -1;
    int32_t task = -1;
    int64_t pid = -1;
    std::string name;  // pod or host
    uint64_t hash = 0;
    uint32_t entry = kNoProcess;
    uint32_t owner = kNoProcess;  // process of the headers that came through it
    bool ambiguous = false;
    bool rank_said = false;  // OuterPrefix's

    bool Is(const Stream& other) const {
      return rank == other.rank && local_rank == other.local_rank && task == other.task && pid == other.pid &&
             name == other.name;
    }
    void Own(uint32_t process) {
      if (owner == kNoProcess) owner = process;
      if (owner != process) ambiguous = true;
    }
  };

  // kNoProcess at the limit, which is counted.
  uint32_t AddEntry();
  // The entry of a header; `header.host` is made the host that is meant.
  uint32_t OfHost(NcclHeader& header, bool clean);
  // Puts what a segment knows of one of its entries behind what is known here.
  void JoinEntry(const ProcessTable& segment, uint32_t index, SegmentTranslation& in_source);
  // Where an entry of the segment is here; it is added when it is nowhere.
  uint32_t FindEntry(const ProcessTable& segment, uint32_t index);
  // Whether a line was damaged so far: only then a host that begins a line may be the piece of one.
  bool AnyTorn() const;
  // Notes that headers of `process` come through this prefix.
  void LinkStream(uint32_t process, const OuterPrefix& outer, uint32_t lines);
  // Where it spoke first, with the text, which never changes any more.
  void NoteFirst(ProcessFacts& process, const TextPlace& place);
  // Whether a believed host begins with `head`.
  bool IsCutHost(std::string_view head) const;
  // The believed host that this one is a damaged spelling of, or the host itself.
  std::string_view FitHost(std::string_view host, uint32_t pid, bool clean) const;
  // The stream of a prefix, made when it is new; UINT32_MAX at the limit.
  uint32_t StreamIndex(const OuterPrefix& outer);
  uint32_t AddStream(Stream&& stream);
  // Notes who said the rank of a line: the program itself, or a launcher's label.
  void NoteStream(uint32_t stream, const OuterPrefix& outer);
  uint32_t FindOrAddStream(const Stream& stream);
  // From now on others are fitted to its host.
  void Believe(Entry& entry);
  // Under labels that are tasks of several ranks only those lines have a rank that say it themselves.
  void NameTasks();
  // A vote of the prefix for the rank of `process`. A vote, since one line with a wrong label, glued to another, must
  // not rename a process.
  void NoteRank(uint32_t process, const OuterPrefix& outer, uint32_t lines = 1);
  void Vote(Entry& entry, int32_t rank, uint32_t lines = 1);
  // At the end, when all believed hosts are known, what was only seen in mid-line is looked at once more.
  void FitProvisional();

  SourceFacts* facts_;
  FactsBuilder* builder_;
  bool torn_before_ = false;    // a line in front of this segment was damaged
  uint32_t seeded_ = 0;         // entries that were copied from the table that stands in front
  std::vector<Entry> entries_;  // beside facts_->processes
  std::vector<Stream> streams_;
  std::deque<std::string> hosts_;  // believed; header.host may view into it
  IndexTable by_header_;
  IndexTable by_host_;
  IndexTable by_stream_;
  // The latest process of a line without any prefix; several processes: nothing is to be learned from such lines.
  uint32_t plain_ = kNoProcess;
  bool plain_ambiguous_ = false;
  // Some line said another rank than its launcher's label: `0: [rank1]: text`.
  bool labels_are_tasks_ = false;
  // The streams of the latest lines. A program has a few kinds of prefixes, and its lines take turns.
  std::array<uint32_t, 8> latest_streams_{};
};

}  // namespace ncclwhy
