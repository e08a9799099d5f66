// SPDX-License-Identifier: Apache-2.0
#include "results/open_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "base/errors.h"

namespace collbench {
namespace {

constexpr Bytes kLargestFile = 1ULL << 30;  // a run of a day writes some 100 MB

std::string system_words() { return std::system_category().message(errno); }

/// "out.json: write failed: No space left on device; free some, or choose another disk"
[[noreturn]] void throw_errno(const std::string& path, const char* call) {
  const bool is_full = errno == ENOSPC || errno == EDQUOT;
  throw SystemError(fmt::format("{}: {} failed: {}{}", path, call, system_words(),
                                is_full ? "; free some, or choose a file on another disk" : ""));
}

/// Repeats a call that a signal interrupted.
template <class Call>
auto retry(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Makes a rename last: the name is in the folder, which has its own place on the disk. False when
/// the disk refuses; a folder that cannot be opened or synchronized by its nature is taken for
/// good.
bool sync_folder_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return true;  // a folder may be writable and not readable
  const int result = retry([&] { return fsync(descriptor); });
  const int code = errno;
  close(descriptor);
  return result == 0 || code == EINVAL || code == EROFS;
}

class OpenForReading {
 public:
  /// Never waits, as for somebody who writes into a pipe.
  explicit OpenForReading(const std::string& path)
      : descriptor_(retry([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); })) {}
  ~OpenForReading() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenForReading(const OpenForReading&) = delete;
  OpenForReading& operator=(const OpenForReading&) = delete;

  int descriptor() const { return descriptor_; }  // below 0 where opening failed

 private:
  const int descriptor_;
};

/// What comes next, 0 bytes at the end. Who has opened a pipe for writing is waited for, up to a
/// minute (ETIMEDOUT); nobody else is.
ssize_t read_part(int descriptor, std::span<char> part) {
  constexpr int kPatience_ms = 60'000;
  for (;;) {
    const ssize_t n = retry([&] { return read(descriptor, part.data(), part.size()); });
    if (n >= 0 || errno != EAGAIN) return n;
    pollfd pipe = {descriptor, POLLIN, 0};
    const int ready = retry([&] { return poll(&pipe, 1, kPatience_ms); });
    if (ready == 0) errno = ETIMEDOUT;
    if (ready <= 0) return -1;
  }
}

}  // namespace

OpenFile::OpenFile(std::string path, int flags)
    : path_(std::move(path)), named_(path_), descriptor_(retry([&] {
        return open(path_.c_str(), flags | O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
      })) {
  if (descriptor_ < 0) throw_errno(path_, "open");
}

OpenFile::OpenFile(std::string path, std::string named, int descriptor, Opened)
    : path_(std::move(path)), named_(std::move(named)), descriptor_(descriptor) {}

// Opened in one step with finding the name free: another thread, or a process of this number on
// another host, may ask at the same moment.
OpenFile OpenFile::beside(const std::string& path) {
  for (int number = 0;; ++number) {
    std::string name = fmt::format("{}.{}.{}.tmp", path, getpid(), number);
    const int descriptor =
        retry([&] { return open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
    if (descriptor >= 0) return OpenFile(std::move(name), path, descriptor, Opened());
    if (errno != EEXIST) throw_errno(path, "open");
  }
}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : path_(std::move(other.path_)),
      named_(std::move(other.named_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_(other.bytes_) {}

// A file system without locks leaves files unprotected, which is no reason to refuse it.
void OpenFile::hold() { flock(descriptor_, LOCK_EX | LOCK_NB); }

bool is_in_use(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  const bool held = flock(descriptor, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
  close(descriptor);
  return held;
}

void OpenFile::append(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = retry([&] { return write(descriptor_, rest.data(), rest.size()); });
    if (written < 0) {
      const int code = errno;
      if (ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) {
        // The torn end stays; readers know it by the missing end of its line.
      }
      errno = code;
      throw_errno(named_, "write");
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  bytes_ += text.size();
}

void OpenFile::sync() {
  if (retry([&] { return fsync(descriptor_); }) != 0) throw_errno(named_, "fsync");
}

bool replace_file(const std::string& path, std::string_view text) {
  OpenFile file = OpenFile::beside(path);
  try {
    file.append(text);
    file.sync();
    if (rename(file.path().c_str(), path.c_str()) != 0) throw_errno(path, "rename");
  } catch (const SystemError&) {
    unlink(file.path().c_str());
    throw;
  }
  return sync_folder_of(path);
}

void require_file_name(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored)) {
    throw UserError(
        fmt::format("{}: there is no folder {}; create it first", path, folder.string()));
  }
  const fs::file_status status = fs::status(path, ignored);  // of what a link leads to
  if (fs::is_directory(status)) {
    throw UserError(fmt::format("{}: this is a folder; name a file in it", path));
  }
  // Replacing /dev/null by a file would do harm, and so would replacing /dev/stdout, a link.
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw UserError(fmt::format("{}: this is no regular file; choose another name", path));
  }
}

void require_replaceable(const std::string& path) {
  require_file_name(path);
  try {
    unlink(OpenFile::beside(path).path().c_str());
  } catch (const SystemError& e) {
    throw UserError(fmt::format("{}; choose a file that can be written", e.what()));
  }
}

void remove_file(const std::string& path) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) throw_errno(path, "unlink");
}

void remove_if_possible(const std::string& path) noexcept { unlink(path.c_str()); }

bool exists(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

std::string read_file(const std::string& path) {
  if (path.empty()) throw UserError("the name of a file is empty");
  auto text = read_file_if_there(path);
  if (!text) throw UserError(fmt::format("{}: there is no such file", path));
  return std::move(*text);
}

std::optional<std::string> read_file_if_there(const std::string& path) {
  const auto refuse = [&](std::string_view why) {
    throw UserError(fmt::format("{}: {}", path, why));
  };
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return std::nullopt;
    refuse(system_words());
  }
  if (S_ISDIR(status.st_mode)) refuse("this is a folder; name the files in it");
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) refuse("this is no regular file");
  const char* too_large = "larger than 1 GiB, too much for a file of this kind";
  if (S_ISREG(status.st_mode) && static_cast<Bytes>(status.st_size) > kLargestFile) {
    refuse(too_large);
  }
  const OpenForReading file(path);
  if (file.descriptor() < 0) refuse(system_words());
  std::string text;
  if (S_ISREG(status.st_mode)) text.reserve(std::min<Bytes>(status.st_size, kLargestFile));
  std::array<char, 65536> part;
  ssize_t n = 0;
  while ((n = read_part(file.descriptor(), part)) > 0) {
    text.append(part.data(), static_cast<std::size_t>(n));
    if (text.size() > kLargestFile) refuse(too_large);
  }
  if (n < 0 && errno == ETIMEDOUT) refuse("nothing has come out of this pipe for a minute");
  if (n < 0) refuse(system_words());
  if (text.empty() && S_ISFIFO(status.st_mode)) {
    refuse("nobody writes into this pipe; name a regular file, or start first what writes");
  }
  return text;
}

}  // namespace collbench
