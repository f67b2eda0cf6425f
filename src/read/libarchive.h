// libarchive, loaded when something packed is met: with what it brings along (XML, Unicode tables, eleven libraries) it
// takes longer to load than a pasted failure takes to analyse, and most logs are not packed.
//
//   archive* const a = Libarchive().archive_read_new();
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <string>

// What we call. A function that is not listed here is not there.
#define NCCLWHY_LIBARCHIVE_FUNCTIONS(X)         \
  X(archive_entry_filetype)                     \
  X(archive_entry_free)                         \
  X(archive_entry_new)                          \
  X(archive_entry_pathname)                     \
  X(archive_entry_set_filetype)                 \
  X(archive_entry_set_mtime)                    \
  X(archive_entry_set_pathname)                 \
  X(archive_entry_set_perm)                     \
  X(archive_entry_set_size)                     \
  X(archive_errno)                              \
  X(archive_error_string)                       \
  X(archive_filter_bytes)                       \
  X(archive_format)                             \
  X(archive_read_append_filter)                 \
  X(archive_read_data_block)                    \
  X(archive_read_free)                          \
  X(archive_read_new)                           \
  X(archive_read_next_header)                   \
  X(archive_read_open)                          \
  X(archive_read_support_format_cpio)           \
  X(archive_read_support_format_empty)          \
  X(archive_read_support_format_raw)            \
  X(archive_read_support_format_tar)            \
  X(archive_read_support_format_zip_streamable) \
  X(archive_set_error)                          \
  X(archive_write_add_filter_gzip)              \
  X(archive_write_add_filter_zstd)              \
  X(archive_write_close)                        \
  X(archive_write_data)                         \
  X(archive_write_free)                         \
  X(archive_write_header)                       \
  X(archive_write_new)                          \
  X(archive_write_open)                         \
  X(archive_write_open_fd)                      \
  X(archive_write_set_bytes_in_last_block)      \
  X(archive_write_set_filter_option)            \
  X(archive_write_set_format_pax_restricted)    \
  X(archive_write_set_format_raw)

namespace ncclwhy {

// As libarchive declares them.
struct LibarchiveFunctions {
#define NCCLWHY_MEMBER(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses): a name
  NCCLWHY_LIBARCHIVE_FUNCTIONS(NCCLWHY_MEMBER)
#undef NCCLWHY_MEMBER
};

// Any thread; loads at the first call and never again. Empty: it is there; else why not, for a message.
const std::string& WhyNoLibarchive();

// Only where WhyNoLibarchive is empty.
const LibarchiveFunctions& Libarchive();

}  // namespace ncclwhy
