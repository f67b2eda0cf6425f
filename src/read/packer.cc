#include "read/packer.h"

#include <utility>

#include "read/libarchive.h"

namespace ncclwhy {
namespace {

la_ssize_t Append(archive*, void* out, const void* bytes, size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

// zstd looks back over several ranks, which are much alike; gzip is always there. A warning is a program that
// libarchive would start.
bool AddFilter(archive* a) {
  if (Libarchive().archive_write_add_filter_zstd(a) == ARCHIVE_OK) {
    return Libarchive().archive_write_set_filter_option(a, "zstd", "compression-level", "9") == ARCHIVE_OK;
  }
  // Without the time at which it was written.
  return Libarchive().archive_write_add_filter_gzip(a) == ARCHIVE_OK &&
         Libarchive().archive_write_set_filter_option(a, "gzip", "timestamp", nullptr) == ARCHIVE_OK;
}

}  // namespace

void Packer::Close::operator()(archive* a) const { Libarchive().archive_write_free(a); }

Packer::Packer() {
  if (failed_ = !WhyNoLibarchive().empty(); failed_) return;
  archive_.reset(Libarchive().archive_write_new());
  archive* const a = archive_.get();
  archive_entry* const entry = Libarchive().archive_entry_new();
  // bytes_in_last_block 1: else libarchive fills the end up with zeros, as for a tape.
  failed_ = a == nullptr || entry == nullptr || Libarchive().archive_write_set_format_raw(a) != ARCHIVE_OK ||
            Libarchive().archive_write_set_bytes_in_last_block(a, 1) != ARCHIVE_OK || !AddFilter(a) ||
            Libarchive().archive_write_open(a, &out_, nullptr, Append, nullptr) != ARCHIVE_OK;
  if (entry != nullptr) Libarchive().archive_entry_set_filetype(entry, AE_IFREG);
  failed_ = failed_ || Libarchive().archive_write_header(a, entry) != ARCHIVE_OK;
  Libarchive().archive_entry_free(entry);
}

Packer::~Packer() = default;

void Packer::Push(std::string_view bytes) {
  while (!failed_ && !bytes.empty()) {
    const la_ssize_t written = Libarchive().archive_write_data(archive_.get(), bytes.data(), bytes.size());
    failed_ = written <= 0;
    if (!failed_) bytes.remove_prefix(static_cast<size_t>(written));
  }
}

std::string Packer::Take() {
  if (failed_ || Libarchive().archive_write_close(archive_.get()) != ARCHIVE_OK) return {};
  return std::move(out_);
}

}  // namespace ncclwhy
