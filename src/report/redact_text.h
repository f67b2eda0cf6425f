// Redactor: gives what looks like an identifier of a site an alias (host-1, ip-2, …), the same one wherever it stands.
//
// First what says of itself what it is (an address, the value of `password=`, NCCL's own header …), then, word by word,
// everything that is not known (known_words.h): what nobody thought of is replaced, not kept.
//
// Thread safety: an object is used by one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "report/learned_names.h"

namespace ncclwhy {

enum class Private : uint8_t { kHost, kIp, kId, kUser, kPath, kToken, kUrl, kPod, kName };
inline constexpr size_t kPrivateKinds = 9;
// As in the aliases: host, ip, guid, user, path, token, url, pod, name.
std::string_view NameOf(Private kind);

class Redactor {
 public:
  // A value that is known to be of a kind. It gets an alias at once, so that aliases are numbered in the order in which
  // values are learned. Numbers, single characters and localhost are none.
  void Learn(Private kind, const std::string& text);
  // Any text that may hold values of a log.
  void Text(std::string* text);
  // A line as it stood in a log: nothing of ours is in it, so that ideographs are names, too.
  void Line(std::string* text);
  // One of ours, with values of a log in it: words of ours stay what they are.
  void Sentence(std::string* text);
  // The whole of it is the name of a host.
  void Host(std::string* text);
  // What a sentence is made of: words in it that nobody knows are no names there.
  //    lspci -vvv | grep -E '^[0-9a-f]|AtomicOps'
  void Keep(std::string_view text);
  // Our own texts hold ideographs, or do not.
  void WriteHan(bool ours) { han_ = !ours; }
  // How many different ones of a kind have an alias.
  uint64_t Count(Private kind) const { return counts_[static_cast<size_t>(kind)]; }

 private:
  // The alias of a text of this kind, made when it is new.
  std::string Alias(Private kind, std::string_view text);
  // The same, for this place only where the text is a word that everybody uses: `pwd=rank` makes no token of each rank.
  std::string AliasHere(Private kind, std::string_view text);
  // By whole names: node3 is not replaced in node31.
  void ReplaceLearned(std::string* text) const;
  // What says of itself what it is: addresses, `password=…`, NCCL's header.
  void ReplacePatterns(std::string* text);
  // Everything else that no knowledge knows.
  void ReplaceUnknownWords(std::string* text);

  LearnedNames learned_;  // all but names, which are found again word by word
  std::unordered_map<std::string, std::string> names_;
  std::unordered_map<std::string, std::string> here_;  // by kind and text, see AliasHere
  std::set<std::string, std::less<>> marked_;          // known words that hosts of the job are called
  std::set<std::string, std::less<>> kept_;
  std::array<uint64_t, kPrivateKinds> counts_{};
  bool han_ = true;    // ideographs are letters of names
  bool ours_ = false;  // the text is a sentence of ours
};

}  // namespace ncclwhy
