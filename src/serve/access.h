// Access: who may ask. Cheap checks of a request's head, before its body is read.
//
// Thread safety: const after construction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "ncclwhy/status.h"
#include "serve/listen_address.h"

namespace ncclwhy {

class Access {
 public:
  // `token`: what clients must show; empty: nothing. `names`: under which clients may ask, beside loopback's own;
  // empty: those of loopback where only this machine reaches us, else any, as the server cannot know its network's
  // names.
  Access(const ListenAddress& address, const std::string& token, std::vector<std::string> names);

  // A page of a stranger, whose name was made to mean this machine (DNS rebinding), has another Host.
  bool IsOurs(std::string_view host_header) const;
  // No Origin (no browser), or the page is our own. "null" is a stranger.
  static bool IsSameOrigin(std::string_view origin_header, std::string_view host_header);

  bool needs_token() const { return needs_token_; }
  // In a time that does not depend on how much of it is right.
  bool IsToken(std::string_view shown) const;
  // Of "Authorization: Bearer …".
  bool IsAuthorised(std::string_view authorization_header) const;

 private:
  std::string own_;
  std::vector<std::string> names_;
  bool needs_token_;
  Sha256Digest token_;
};

// The first line of the file, 16 to 4096 bytes. On a command line everybody would see it.
Result<std::string> ReadToken(const std::string& path);

}  // namespace ncclwhy
