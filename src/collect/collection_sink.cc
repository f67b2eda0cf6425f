#include "collect/collection_sink.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/whole_file.h"
#include "read/libarchive.h"

namespace ncclwhy {
namespace {

class TarSink : public CollectionSink {
 public:
  explicit TarSink(const std::string& path) : path_(path), file_(path), archive_(Libarchive().archive_write_new()) {}
  ~TarSink() override { Libarchive().archive_write_free(archive_); }

  Status Open() {
    if (path_ != "-") {
      // WholeFile gives the name at the end: an archive that was broken off never has it.
      if (const int error = file_.Open(); error != 0) return Failed(std::strerror(error));
    }
    Libarchive().archive_write_set_format_pax_restricted(archive_);
    Libarchive().archive_write_add_filter_gzip(archive_);
    // Padding would be NUL bytes on standard output.
    Libarchive().archive_write_set_bytes_in_last_block(archive_, 1);  // nothing behind the end
    const int descriptor = path_ == "-" ? STDOUT_FILENO : file_.descriptor();
    return Libarchive().archive_write_open_fd(archive_, descriptor) == ARCHIVE_OK ? Status() : Failed();
  }

  Status Add(const std::string& name, uint64_t size, const std::function<std::string_view()>& next) override {
    archive_entry* entry = Libarchive().archive_entry_new();
    Libarchive().archive_entry_set_pathname(entry, name.c_str());
    Libarchive().archive_entry_set_size(entry, static_cast<int64_t>(size));
    Libarchive().archive_entry_set_filetype(entry, AE_IFREG);
    Libarchive().archive_entry_set_perm(entry, 0644);
    Libarchive().archive_entry_set_mtime(entry, std::time(nullptr), 0);
    const int begun = Libarchive().archive_write_header(archive_, entry);
    Libarchive().archive_entry_free(entry);
    if (begun != ARCHIVE_OK) return Failed();
    while (size > 0) {
      std::string_view piece = next();
      if (piece.empty()) break;
      // A log that grows while it is read: the header has told its size.
      piece = piece.substr(0, size);
      if (Libarchive().archive_write_data(archive_, piece.data(), piece.size()) < 0) return Failed();
      size -= piece.size();
    }
    return {};
  }

  bool IsItself(const struct stat& file) const override {
    struct stat own {};
    // `collect -o - logs/ > logs/bundle.tar.gz`: the archive lies in the folder that is collected. Behind -o it does
    // only where the file system has no files without a name.
    const int descriptor = path_ == "-" ? STDOUT_FILENO : file_.descriptor();
    return ::fstat(descriptor, &own) == 0 && own.st_dev == file.st_dev && own.st_ino == file.st_ino;
  }
  Status Finish() override {
    if (Libarchive().archive_write_close(archive_) != ARCHIVE_OK) return Failed();
    if (path_ == "-") return {};
    // It holds what a job printed: for its owner.
    const int error = file_.Finish(0600);
    return error == 0 ? Status() : Failed(std::strerror(error));
  }

 private:
  Status Failed(const char* why) const { return Status::Io("cannot write " + path_ + ": " + why); }
  // errno says more than libarchive's own words.
  // libarchive says `Write error`, and beside it which.
  Status Failed() const {
    const int error = Libarchive().archive_errno(archive_);
    const char* why = error > 0 ? std::strerror(error) : Libarchive().archive_error_string(archive_);
    return Failed(why != nullptr ? why : "no reason given");
  }

  const std::string path_;
  WholeFile file_;
  archive* archive_;
};

class FolderSink : public CollectionSink {
 public:
  explicit FolderSink(std::string path) : path_(std::move(path)) {}

  Status Add(const std::string& name, uint64_t size, const std::function<std::string_view()>& next) override {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::error_code none;
    // Folders and files of a job may hold secrets: for the owner only.
    const auto mask = ::umask(077);  // as of the archive
    std::filesystem::create_directories(file.parent_path(), none);
    std::ofstream out(file, std::ios::binary);
    ::umask(mask);
    for (uint64_t written = 0; written < size;) {
      const std::string_view piece = next();
      if (piece.empty()) break;
      const uint64_t taken = std::min<uint64_t>(piece.size(), size - written);
      out.write(piece.data(), static_cast<std::streamsize>(taken));
      written += taken;
    }
    out.close();
    return out ? Status() : Status::Io("cannot write " + file.string());
  }
  Status Finish() override { return {}; }

 private:
  const std::string path_;
};

}  // namespace

bool CollectionSink::IsItself(const struct stat&) const { return false; }

Status CollectionSink::AddText(const std::string& name, std::string_view text) {
  bool given = false;
  // The text is the only piece.
  return Add(name, text.size(), [&] { return std::exchange(given, true) ? std::string_view() : text; });
}

Result<std::unique_ptr<CollectionSink>> NewTarSink(const std::string& path) {
  if (!WhyNoLibarchive().empty()) return Status::Io(path + ": cannot be packed: " + WhyNoLibarchive());
  auto sink = std::make_unique<TarSink>(path);
  if (Status status = sink->Open(); !status.ok()) return status;
  return std::unique_ptr<CollectionSink>(std::move(sink));
}

std::unique_ptr<CollectionSink> NewFolderSink(const std::string& path) { return std::make_unique<FolderSink>(path); }

}  // namespace ncclwhy
