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

// Three questions, in the order in which the server asks them: is the request made under a name of this server (Host),
// does the page that makes it come from here (Origin), is the token right. A browser sends Host and Origin by itself
// and lets no page forge them, so they hold off strangers' pages; only the token holds off programs.
class Access {
 public:
  // `token`: what clients must show; empty: nothing. `names`: under which clients may ask, beside loopback's own;
  // empty: those of loopback where only this machine reaches us, else any, as the server cannot know its network's
  // names.
  //    --listen 127.0.0.1:8471                        localhost, 127.x.x.x, ::1
  //    --listen 0.0.0.0:8471                          any
  //    --listen 0.0.0.0:8471 --host nccl.example.org  that one, and loopback's
  Access(const ListenAddress& address, const std::string& token, std::vector<std::string> names);

  // A page of a stranger, whose name was made to mean this machine (DNS rebinding), has another Host.
  // The port is not compared: a tunnel or a container maps another one. No Host at all is ours: HTTP/1.0, never a
  // browser.
  bool IsOurs(std::string_view host_header) const;
  // No Origin (no browser), or the page is our own. "null" is a stranger.
  // Host and port have to be the same; the scheme is http or https, as a proxy in front may encrypt.
  static bool IsSameOrigin(std::string_view origin_header, std::string_view host_header);

  bool needs_token() const { return needs_token_; }
  // In a time that does not depend on how much of it is right.
  // True for anything where the server wants none. The hashes are compared, so neither length nor content shows.
  bool IsToken(std::string_view shown) const;
  // Of "Authorization: Bearer …".
  // True without a header where the server wants no token.
  bool IsAuthorised(std::string_view authorization_header) const;

 private:
  // The host of the address it listens on, as it was written.
  std::string own_;
  std::vector<std::string> names_;
  bool needs_token_;
  // Of the token; the token itself is not kept.
  Sha256Digest token_;
};

// The first line of the file, 16 to 4096 bytes. On a command line everybody would see it.
// kIo where it cannot be read, kInvalidArgument where it is too short or too long. The line end, LF or CRLF, is no part
// of it.
Result<std::string> ReadToken(const std::string& path);

}  // namespace ncclwhy
