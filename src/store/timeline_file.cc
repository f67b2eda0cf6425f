#include "store/timeline_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "store/sql_text.h"

namespace ncclwhy {
namespace {

Status Failed(const std::string& path, const char* what, int error) {
  return Status::Io(path + ": " + what + ": " + std::strerror(error));
}

// What a link points at, else the path itself: the link stays one.
std::string Target(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

// The unfinished file, locked as long as it lives, and gone when it was not moved into its place.
// The lock is the descriptor's, so a run that is killed leaves a file but no lock.
class Part {
 public:
  explicit Part(const std::string& path) : path_(Target(path)), part_(path_ + ".part") {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part() {
    if (file_ < 0) return;
    if (!moved_) unlink(part_.c_str());
    close(file_);
  }

  Status Open() {
    // No link that somebody laid in a shared directory is followed, and nobody's file but ours is emptied.
    file_ = open(part_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file_ < 0) return Failed(path_, "cannot be created", errno);
    struct stat ours {
    }, there{};
    const bool locked = flock(file_, LOCK_EX | LOCK_NB) == 0;
    // Between open and flock another run may have renamed it into its place: then the lock is on the finished timeline.
    const bool same = fstat(file_, &ours) == 0 && stat(part_.c_str(), &there) == 0 && ours.st_ino == there.st_ino;
    if (!locked || !same || ours.st_nlink != 1 || ours.st_uid != geteuid()) {
      close(file_);
      file_ = -1;
      return Status::Io(path_ + ": is in use by another process");
    }
    // Emptied only now that it is known to be ours.
    if (ftruncate(file_, 0) != 0) return Failed(path_, "cannot be written", errno);
    return {};
  }

  // Behind it the new file stands on the disk and in its place.
  Status Move() {
    struct stat old {};
    if (stat(path_.c_str(), &old) == 0 && fchmod(file_, old.st_mode & 07777) != 0)
      return Failed(path_, "cannot be written", errno);
    // Before the rename: after a power cut the name must not stand for an empty file.
    if (fsync(file_) != 0) return Failed(path_, "cannot be written", errno);
    if (rename(part_.c_str(), path_.c_str()) != 0) return Failed(path_, "cannot be replaced", errno);
    moved_ = true;
    return {};
  }

  const std::string& name() const { return part_; }

 private:
  std::string path_, part_;
  int file_ = -1;
  bool moved_ = false;
};

}  // namespace

Status CreateSchema(Database& database) {
  const std::string identity = "PRAGMA application_id = " + std::to_string(kApplicationId) +
                               "; PRAGMA user_version = " + std::to_string(kFormatVersion);
  for (const char* sql : {identity.c_str(), kSchemaSql}) {
    if (Status status = database.Execute(sql, "it was created"); !status.ok()) return status;
  }
  return Status::Ok();
}

Status CheckIdentity(Database& database) {
  const auto application = database.Integer("PRAGMA application_id");
  if (!application.ok()) return application.status();
  if (application.value() != kApplicationId) {
    return Status::Corrupt(database.name() + ": is a SQLite database, but not a timeline of ncclwhy");
  }
  const auto version = database.Integer("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (version.value() > kFormatVersion) {
    return Status::Corrupt(database.name() + ": was written by a newer ncclwhy (timeline format " +
                           std::to_string(version.value()) + ", this one knows " + std::to_string(kFormatVersion) +
                           "); update ncclwhy");
  }
  return Status::Ok();
}

Status CheckReplaceable(const std::string& path) {
  struct stat file {};
  const bool exists = stat(path.c_str(), &file) == 0;
  if (exists && !S_ISREG(file.st_mode)) return Status::InvalidArgument(path + ": is not a file");
  if (exists && file.st_size > 0) {
    auto database = Database::Open(path, Database::Mode::kReadWrite);
    if (!database.ok()) return database.status();
    if (Status status = CheckIdentity(*database.value()); !status.ok()) return status;
    // Also what an older version left half done is undone here: a journal belongs to the file that is replaced.
    if (Status status = database.value()->Execute("BEGIN IMMEDIATE; ROLLBACK", "it was opened"); !status.ok())
      return status;
  }
  // SQLite would roll such a journal into whatever file has the name.
  for (const char* end : {"-journal", "-wal"}) {
    if (stat((Target(path) + end).c_str(), &file) == 0) {
      return Status::Io(path + ": " + Target(path) + end +
                        " stands beside it; it would be taken for a part of the new timeline");
    }
  }
  // A directory that cannot be written is better known now than behind the logs.
  Part part(path);
  return part.Open();
}

Status WriteTimelineFile(const std::string& path, const std::function<Status(Database&)>& fill) {
  Part part(path);
  if (Status status = part.Open(); !status.ok()) return status;
  {
    auto database = Database::Open(part.name(), Database::Mode::kReadWrite, path);
    if (!database.ok()) return database.status();
    // Nobody reads the file before it is whole, and nobody needs half of it.
    Status status = database.value()->Execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN", "it began");
    if (status.ok()) status = fill(*database.value());
    if (status.ok()) status = database.value()->Execute("COMMIT", "it was written");
    if (!status.ok()) return status;
  }
  return part.Move();
}

}  // namespace ncclwhy
