// Where the calls of ranks differ: a row for each call, a column for the ranks that issued the same ones.
#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "report/html_parts.h"
#include "report/phrases.h"

namespace ncclwhy {

// Empty where no communicator has such a table: the section is left out then.
std::string CallTablePicture(const Report& report, const Words& words) {
  std::string out;
  for (const ReportCommunicator& comm : report.job.communicators) {
    const CallTable& table = comm.calls_differ;
    if (table.columns.empty()) continue;
    out += fmt::format("<div class=\"scroll\"><table><tr><th>{}</th>", EscapeHtml(words.call));
    for (const CallColumn& column : table.columns) {
      out += fmt::format("<th>{}</th>", EscapeHtml(RanksNamed(column.ranks, words)));
    }
    out += "</tr>\n";
    for (size_t row = 0; row < table.columns.front().calls.size(); ++row) {
      const uint64_t number = table.first + row;
      // The row at which they part is marked, and in it what the first column, the majority, does not have.
      const bool here = number == table.disagree;
      out += fmt::format("<tr><td>{}</td>", here ? fmt::format("<mark>{}</mark>", number) : std::to_string(number));
      for (const CallColumn& column : table.columns) {
        const std::string call = EscapeHtml(column.calls[row].empty() ? "\xE2\x80\x93" : column.calls[row]);  // –
        const bool odd = here && column.calls[row] != table.columns.front().calls[row];
        out += odd ? fmt::format("<td><mark>{}</mark></td>", call) : fmt::format("<td>{}</td>", call);
      }
      out += "</tr>\n";
    }
    out += "</table></div>\n";
    break;  // of the largest communicator that has one
  }
  return out;
}

}  // namespace ncclwhy
