// SPDX-License-Identifier: Apache-2.0
// OpenFile: writing files so that a failure leaves what was there, and reading them whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace collbench {

/// A file open for writing. Everything that fails throws SystemError with the file's name and the
/// system's words. Writing beyond a limit on file sizes raises SIGXFSZ, which must be ignored for
/// it to become an error here.
class OpenFile {
 public:
  /// `flags` of open(2), besides O_WRONLY and O_CREAT.
  OpenFile(std::string path, int flags);
  /// A new file in the folder of `path`, "out.json.4711.0.tmp" for out.json: what is there already
  /// is somebody's, and none of ours.
  static OpenFile beside(const std::string& path);
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  const std::string& path() const { return path_; }

  /// All or nothing: what a failed write has left is cut off again.
  void append(std::string_view text);

  /// Waits until the disk has it.
  void sync();

  /// Until this object is gone is_in_use() tells other processes so, on file systems that can.
  void hold();

 private:
  struct Opened {};
  OpenFile(std::string path, std::string named, int descriptor, Opened);

  std::string path_;
  std::string named_;  // in messages: the file that this one is to replace, or itself
  int descriptor_;
  Bytes bytes_ = 0;
};

/// Replaces `path`, or creates it, by way of a new file `path`.PID.NUMBER.tmp beside it: at every
/// moment there is the old text or the new one, also after a crash of the host. Throws SystemError;
/// then the old text stays. Returns whether the new text is sure to outlast a crash of the host: if
/// not, the old one may then come back.
bool replace_file(const std::string& path, std::string_view text);

/// Throws UserError for a name that no text can be written to: of a folder, of a file in a folder
/// that is not there, of a device, which replacing would destroy.
void require_file_name(const std::string& path);

/// Throws UserError where replace_file(path, ...) would fail now: for long work before it.
void require_replaceable(const std::string& path);

/// Whether another OpenFile holds the file; false where there is none.
bool is_in_use(const std::string& path);

/// Throws SystemError when the file is there and cannot be removed.
void remove_file(const std::string& path);

/// For a file that may as well stay.
void remove_if_possible(const std::string& path) noexcept;

bool exists(const std::string& path);

/// The whole text of a regular file or a pipe. Throws UserError, also where nobody writes into the
/// pipe, or nothing comes for a minute.
std::string read_file(const std::string& path);

/// The same, or nothing where no file is.
std::optional<std::string> read_file_if_there(const std::string& path);

}  // namespace collbench
