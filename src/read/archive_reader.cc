#include "read/archive_reader.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/limits.h"
#include "parser/scan.h"
#include "read/expansion_budget.h"
#include "read/gzip_check.h"
#include "read/libarchive.h"
#include "read/line_ends.h"

namespace ncclwhy {
namespace {

// The next packed bytes; empty at the end.
using NextBytes = std::function<Status(std::string_view*)>;

// The view that libarchive was given must last until it asks for the next one.
struct Feed {
  NextBytes next;
  std::string_view first;  // read before libarchive was asked
  bool first_given = false;
  std::string_view last = {};  // what libarchive was given latest
  uint64_t given = 0;          // bytes
  std::optional<GzipCheck> check = std::nullopt;
  Status status = Status::Ok();
};

la_ssize_t ReadBlock(archive* a, void* data, const void** buffer) {
  Feed& feed = *static_cast<Feed*>(data);
  std::string_view bytes = feed.first;
  if (feed.first_given) {
    feed.status = feed.next(&bytes);
    if (!feed.status.ok()) {
      Libarchive().archive_set_error(a, EIO, "%s", feed.status.message().c_str());
      return ARCHIVE_FATAL;
    }
  }
  feed.first_given = true;
  if (feed.check) feed.check->In(bytes);
  feed.last = bytes;
  feed.given += bytes.size();
  *buffer = bytes.data();
  return static_cast<la_ssize_t>(bytes.size());
}

struct CloseArchive {
  void operator()(archive* a) const { Libarchive().archive_read_free(a); }
};

Status Failure(archive* a, const std::string& name) {
  const char* text = Libarchive().archive_error_string(a);
  return Status::Io(name + ": cannot be unpacked to its end: " + (text == nullptr ? "damaged" : text));
}

// Whether something stands behind the end of what is packed, of which libarchive says nothing: lines that were appended
// to a log after it was packed. Zeros fill blocks.
bool LeavesBytes(archive* a, Feed* feed) {
  const auto used = static_cast<uint64_t>(std::max<la_int64_t>(Libarchive().archive_filter_bytes(a, -1), 0));
  const uint64_t left = feed->given - std::min(used, feed->given);
  if (left > feed->last.size()) return true;
  std::string_view rest = feed->last.substr(feed->last.size() - left);
  while (rest.find_first_not_of('\0') == std::string_view::npos) {
    rest = {};
    if (!feed->next(&rest).ok() || rest.empty()) return false;
  }
  return true;
}

// What `first` is compressed with; ARCHIVE_FILTER_NONE: an archive that is not compressed as a whole.
int FilterOf(std::string_view first) {
  using scan::StartsWith;
  constexpr std::string_view kXz(
      "\xFD"
      "7zXZ\0",
      6);
  // The method and no reserved flag, as libarchive itself asks.
  if (StartsWith(first, "\x1F\x8B\x08") && first.size() >= 10 && (first[3] & 0xE0) == 0) return ARCHIVE_FILTER_GZIP;
  if (StartsWith(first, kXz)) return ARCHIVE_FILTER_XZ;
  if (StartsWith(first, "\x28\xB5\x2F\xFD")) return ARCHIVE_FILTER_ZSTD;
  // BZh1 … BZh9 and the block's magic number
  if (StartsWith(first, "BZh") && first.size() > 9 && first.substr(4, 6) == "\x31\x41\x59\x26\x53\x59") {
    return ARCHIVE_FILTER_BZIP2;
  }
  if (StartsWith(first, "\x04\x22\x4D\x18")) return ARCHIVE_FILTER_LZ4;
  if (StartsWith(first, "LZIP\x01")) return ARCHIVE_FILTER_LZIP;
  // Properties, the size of the dictionary, the size or -1: lzma has no magic number.
  constexpr std::string_view kLzma("\x5D\x00\x00", 3);
  const bool sized =
      first.size() > 13 && (first.substr(5, 8) == std::string_view("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8) ||
                            first.substr(10, 3) == std::string_view("\0\0\0", 3));
  if (StartsWith(first, kLzma) && sized) return ARCHIVE_FILTER_LZMA;
  return ARCHIVE_FILTER_NONE;
}

// One layer and no more: left to itself, libarchive takes off as many as there are, and what stands between them, which
// can be without end though nothing comes out, is counted by nobody.
void AddFilter(archive* a, std::string_view first) {
  if (const int filter = FilterOf(first); filter != ARCHIVE_FILTER_NONE)
    Libarchive().archive_read_append_filter(a, filter);
}

constexpr size_t kTarHead = 512;
bool BeginsTar(std::string_view bytes) { return bytes.size() >= kTarHead && bytes.substr(257, 5) == "ustar"; }
bool BeginsCpio(std::string_view bytes) {
  using scan::StartsWith;
  return StartsWith(bytes, "070701") || StartsWith(bytes, "070702") || StartsWith(bytes, "070707");
}
bool BeginsZip(std::string_view bytes) {
  return scan::StartsWith(bytes, "PK\x03\x04") || scan::StartsWith(bytes, "PK\x05\x06");
}

// What is true for all levels of one file.
// One budget for all levels: a bomb may be spread over members or stand in an archive in an archive.
struct Expansion {
  const FileReader& reader;
  ExpansionBudget budget;
  ByteSink& sink;
  size_t members = 0;
};

// The bytes of the member that `a` stands at, block by block, so that what stands before a damaged place is not lost.
class MemberReader {
 public:
  // `check` may be null: of a gzip stream that this member is all of. `spends`: its bytes were not in the input.
  MemberReader(archive* a, const std::string& name, GzipCheck* check, bool spends, Expansion* expansion)
      : a_(a), name_(name), check_(check), spends_(spends), expansion_(expansion) {}

  Status Next(std::string_view* bytes) {
    // Where the sink wants no more, this looks like the end of the member, and is no error.
    *bytes = {};
    while (expansion_->sink.WantsMore()) {
      const void* data = nullptr;
      size_t size = 0;
      la_int64_t offset = 0;
      const int code = Libarchive().archive_read_data_block(a_, &data, &size, &offset);
      if (code == ARCHIVE_EOF) return AtEnd();
      if (code == ARCHIVE_RETRY) continue;
      if (code < ARCHIVE_WARN) return Failure(a_, name_);
      if (code == ARCHIVE_WARN && damage_.ok()) damage_ = Failure(a_, name_);  // ZIP bad CRC
      if (spends_ && !expansion_->budget.Spend(size, expansion_->reader.bytes())) {
        return Status::Limit(name_ + ": expands to more than the limit; the rest was not read");
      }
      if (size == 0) continue;
      if (check_ != nullptr) check_->Out({static_cast<const char*>(data), size});
      *bytes = {static_cast<const char*>(data), size};
      break;
    }
    return {};
  }

 private:
  Status AtEnd() {
    if (!damage_.ok()) return std::exchange(damage_, Status::Ok());
    if (check_ == nullptr || check_->Fits()) return {};
    check_ = nullptr;
    return Status::Io(name_ +
                      ": damaged: what gzip unpacks does not have the check sum and length that stand at its end");
  }

  archive* a_;
  const std::string& name_;
  GzipCheck* check_;
  bool spends_;
  Expansion* expansion_;
  Status damage_;
};

// Where a layer stands.
struct Layer {
  size_t level = 1;
  bool raw = false;    // one compressed stream: its member is all of it
  bool spends = true;  // see MemberReader
};

Status Expand(const NextBytes& next, std::string_view first, const std::string& name, Layer layer,
              Expansion* expansion);

// A log, or again something packed: logs/rank0.log.gz in logs.tar
Status ReadMember(archive* a, const std::string& name, GzipCheck* check, Layer layer, Expansion* expansion) {
  MemberReader member(a, name, check, layer.spends, expansion);
  std::string_view bytes;
  Status status = member.Next(&bytes);
  std::string head;  // enough of it to be told by its content; libarchive's blocks live until the next call
  const auto gather = [&](size_t enough) {
    if (head.empty()) head = bytes;
    while (status.ok() && !bytes.empty() && head.size() < enough) {
      status = member.Next(&bytes);
      head += bytes;
    }
    bytes = head;
  };
  // A stream's first block may be shorter than the head of the tar in it.
  if (layer.raw && status.ok() && !bytes.empty() && bytes.size() < kTarHead) gather(kTarHead);
  // An archive that is compressed as a whole is one thing: logs.tar.gz
  const bool archived = layer.raw && (BeginsTar(bytes) || BeginsCpio(bytes));
  //    bundle.zip / node07.tar / rank0.log.gz     the third level, which is still read
  if (status.ok() && layer.level >= limits::kArchiveLevels && !archived && LooksPacked(bytes)) {
    return Status::Limit(name + ": is packed more than " + std::to_string(limits::kArchiveLevels) +
                         " times and was not read");
  }
  if (const std::string_view packer = UnreadablePacker(bytes); !packer.empty()) {
    return Status::Io(name + ": is packed by " + std::string(packer) + ", which is not read; unpack it first");
  }
  if (status.ok() && LooksPacked(bytes)) {
    gather(FileReader::kPackedBytes);
    if (!status.ok() && !archived) return status;
    // What stands in front of a damaged place is read.
    const NextBytes rest = [&](std::string_view* out) {
      *out = {};
      return status.ok() ? member.Next(out) : status;
    };
    // A tar in a gzip is one level: its bytes were counted when they came out of the gzip.
    const Layer next{archived ? layer.level : layer.level + 1, false, !archived};
    const Status inner = Expand(rest, head, name, next, expansion);
    // An archive ends before its stream does, which tells at its end whether it is whole.
    while (layer.raw && inner.ok() && status.ok()) {
      status = member.Next(&bytes);
      if (bytes.empty()) break;
    }
    return inner.ok() ? status : inner;
  }
  ByteSink& sink = expansion->sink;
  if (!sink.Begin(name)) return status.code() == ErrorCode::kLimit ? status : Status::Ok();
  std::optional<LineEnds> ends = LineEnds::For(bytes);
  while (status.ok() && !bytes.empty()) {
    sink.Push(ends ? ends->Mend(bytes) : bytes);
    status = member.Next(&bytes);
  }
  sink.End();
  return status;
}

// Below a name that begins with a point, as in a folder: what programs keep for themselves.
//    ./.dstack.yml   logs/.git/HEAD   but not ./rank0.log, ../rank0.log
bool IsHidden(std::string_view path) {
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part.size() > 1 && part[0] == '.' && part != "..") return true;
    at = end + 1;
  }
  return false;
}

// A compressed file (one member without a name) or an archive.
Status Expand(const NextBytes& next, std::string_view first, const std::string& name, Layer layer,
              Expansion* expansion) {
  if (!WhyNoLibarchive().empty()) return Status::Io(name + ": cannot be unpacked: " + WhyNoLibarchive());
  const std::unique_ptr<archive, CloseArchive> a(Libarchive().archive_read_new());
  if (a == nullptr) return Status::Internal(name + ": libarchive cannot be started");
  AddFilter(a.get(), first);
  if (BeginsZip(first)) {
    Libarchive().archive_read_support_format_zip_streamable(a.get());
  } else if (BeginsTar(first)) {
    Libarchive().archive_read_support_format_tar(a.get());
  } else if (BeginsCpio(first)) {
    Libarchive().archive_read_support_format_cpio(a.get());
  } else {
    Libarchive().archive_read_support_format_raw(a.get());
    Libarchive().archive_read_support_format_empty(a.get());
  }
  Feed feed{next, first};
  if (FilterOf(first) == ARCHIVE_FILTER_GZIP) feed.check.emplace();
  if (Libarchive().archive_read_open(a.get(), &feed, nullptr, ReadBlock, nullptr) != ARCHIVE_OK)
    return Failure(a.get(), name);
  // Damage before the first byte comes out looks like an empty file to libarchive, and is forgotten with the next call.
  const Status damage = Libarchive().archive_errno(a.get()) == 0 ? Status::Ok() : Failure(a.get(), name);

  Status worst;
  bool ended = false;
  bool hidden = false, shown = false;
  while (expansion->sink.WantsMore()) {
    archive_entry* entry = nullptr;
    const int code = Libarchive().archive_read_next_header(a.get(), &entry);
    if (code == ARCHIVE_EOF) {
      ended = true;
      if (Libarchive().archive_format(a.get()) != ARCHIVE_FORMAT_EMPTY) break;
      if (!damage.ok()) return damage;
      // A log that was compressed before anything was written to it.
      if (expansion->sink.Begin(name)) expansion->sink.End();
      break;
    }
    if (code == ARCHIVE_RETRY) continue;
    if (code < ARCHIVE_WARN) {
      if (feed.status.code() == ErrorCode::kLimit) return feed.status;
      return worst.ok() ? Failure(a.get(), name) : worst;
    }
    const bool raw = Libarchive().archive_format(a.get()) == ARCHIVE_FORMAT_RAW;
    // Links, devices, folders: nothing that an archive names is opened.
    if (!raw && Libarchive().archive_entry_filetype(entry) != AE_IFREG) continue;
    layer.raw = raw;
    if (!raw && ++expansion->members > limits::kArchiveMembers) {
      return Status::Limit(name + ": too many members; the rest was not read");
    }
    const char* path = Libarchive().archive_entry_pathname(entry);
    if (!raw && path != nullptr && IsHidden(path)) {
      hidden = true;
      continue;
    }
    shown = true;
    const std::string member = raw ? name : name + "/" + (path == nullptr ? "?" : path);
    const Status status = ReadMember(a.get(), member, feed.check ? &*feed.check : nullptr, layer, expansion);
    if (feed.status.code() == ErrorCode::kLimit) return feed.status;
    if (status.ok()) continue;
    if (status.code() == ErrorCode::kLimit) return status;
    // A damaged member does not hide those behind it; the first damage is told.
    if (worst.ok()) worst = status;
    if (raw) break;
  }
  if (ended && worst.ok() && FilterOf(first) != ARCHIVE_FILTER_NONE && LeavesBytes(a.get(), &feed)) {
    return Status::Io(name + ": what stands behind the end of what is packed in it was not read");
  }
  if (ended && worst.ok() && hidden && !shown) {
    return Status::Io(name + ": holds hidden files only; unpack and name one to read it");
  }
  return worst.ok() ? feed.status : worst;
}

// "begin 644 rank0.log", with any mode.
bool IsUuencode(std::string_view first) {
  constexpr std::string_view kBegin = "begin ";
  constexpr size_t kMode = 3;
  if (!scan::StartsWith(first, kBegin) || first.size() <= kBegin.size() + kMode) return false;
  const std::string_view mode = first.substr(kBegin.size(), kMode);
  return mode.find_first_not_of("01234567") == std::string_view::npos && first[kBegin.size() + kMode] == ' ';
}

}  // namespace

bool LooksPacked(std::string_view first) {
  return FilterOf(first) != ARCHIVE_FILTER_NONE || BeginsZip(first) || BeginsTar(first) || BeginsCpio(first);
}

std::string_view UnreadablePacker(std::string_view first) {
  using scan::StartsWith;
  if (StartsWith(first, "7z\xBC\xAF\x27\x1C")) return "7-Zip";
  if (StartsWith(first, "Rar!\x1A\x07")) return "RAR";
  if (StartsWith(first, std::string_view("\xFF\x06\0\0sNaPpY", 10))) return "Snappy";
  if (StartsWith(first, "\x89LZO")) return "lzop";
  // libarchive reads it only where it chooses the layers itself (see AddFilter); told to, it reads a null pointer.
  if (StartsWith(first, "\x1F\x9D")) return "compress";
  if (StartsWith(first, "\x02\x21\x4C\x18")) return "an old lz4";
  if (IsUuencode(first) || StartsWith(first, "begin-base64 ")) return "uuencode";
  if (StartsWith(first, "-----BEGIN PGP MESSAGE-----")) return "PGP";
  // What stands in a working tree where the file itself was not fetched.
  if (StartsWith(first, "version https://git-lfs.github.com/spec/")) return "Git LFS";
  return {};
}

Status ReadPacked(FileReader& reader, std::string_view first, const std::string& name, ByteSink& sink) {
  Expansion expansion{reader, {}, sink};
  return Expand([&reader](std::string_view* bytes) { return reader.Next(bytes); }, first, name, {}, &expansion);
}

}  // namespace ncclwhy
