// Commands of the knowledge that take values of a log. They are made to be pasted into a shell, and a log is untrusted:
// a value must never be more than a part of the word that it stands in.
//
// Two locks, each of which is enough:
//  1. the template: CheckCommand refuses a {name} anywhere but in a plain word, where a value in quotes is one piece of
//     that word whatever it holds;
//  2. the value: each name has a kind (host, device, number, path …) that allows no byte that a shell, `ssh`, a regex
//     between quotes or an option parser reads as more than itself. What does not fit is left out; the name in capitals
//     stands in its place (`ib_write_bw -d DEVICE`). No kind allows a dash in front, so no value becomes an option. A
//     variable whose value a process loads or runs (NCCL_NET_PLUGIN=EXPECTED_VALUE) takes none from a log.
//
// Commands without a {name} are ours from beginning to end (Python and YAML among them) and are not read as shell.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kb/loader/kb.h"

namespace ncclwhy {

// What is wrong with `command` as a template for a shell, one sentence each; empty when it is fine, and for a command
// without a {name}. Names and brackets are CheckTemplate's business. For authors of knowledge: it is asked when files
// are read, not when a report is made.
std::vector<std::string> CheckCommand(std::string_view command);

// `values` as they may stand in commands: names without a kind are left out, values that do not fit are the name in
// capitals. What fits is quoted all the same, should a kind ever be made too wide.
TemplateValues CommandWords(const TemplateValues& values);

// Names that commands may use, in order. Valid for the life of the program.
std::vector<std::string_view> CommandNames();

}  // namespace ncclwhy
