// Parts of the HTML page: constant style and script, and the pictures. Everything returned is finished, escaped HTML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ncclwhy/report.h"
#include "report/words.h"

namespace ncclwhy {

// Content of the page's only <style> and <script>. Constant, so that a content security policy can name their hashes.
std::string_view HtmlStyle();
std::string_view HtmlScript();

// html_blocks.cc: what pages are built of. Nothing is written for an empty text or body.
// `css` is a class of the page's style.
std::string HtmlParagraph(std::string_view text, std::string_view css = {});
// Text of a log or a command, with its blanks.
std::string HtmlPre(std::string_view text);
// A heading and what stands below it.
std::string HtmlSection(std::string_view title, const std::string& body);
// Works with the page's script alone.
std::string HtmlCopyButton(std::string_view label, std::string_view text);

// html_evidence.cc. With an `anchor` the items get the ids anchor0, anchor1, …
std::string HtmlEvidence(const std::vector<Evidence>& evidence, const Words& words, std::string_view anchor);

// html_fixes.cc: fixes from `begin` to before `end` with their numbers, those for other jobs, and what else to look at.
std::string HtmlFixes(const Cause& cause, size_t begin, size_t end, const Words& words);
// For jobs in another environment than this one.
std::string HtmlOtherFixes(const std::vector<Fix>& fixes, const Words& words);
// What it may be, where no cause is named.
std::string HtmlCandidates(const Report& report, const Words& words);
// What to collect next time.
std::string HtmlCollects(const Report& report, const Words& words);

// html_tables.cc: whole sections.
// One row for each, the largest first.
std::string HtmlCommunicators(const Report& report, const Words& words);
// The ranks of the largest communicator with their last lines, as many as a page can show.
std::string HtmlEveryRank(const Report& report, const Words& words);
// Lines that only report somebody else's failure.
std::string HtmlConsequences(const Report& report, const Words& words);
// Lines that sound bad and are none here, and why.
std::string HtmlHarmless(const Report& report, const Words& words);
// What somebody said last, where nothing shows how the job ended.
std::string HtmlLastWords(const Report& report, const Words& words);
// Each with the lines that show it.
std::string HtmlWarnings(const Report& report, const Words& words);

// A culprit, or on a host that is blamed as a whole.
bool IsBlamed(const Report& report, const ReportRank& rank);

// Ranks × stage of the largest communicator as SVG: how far each rank got, culprits marked. Above kPictureRows ranks
// one row a host, hosts in the same state folded into one row. Empty when no rank is known.
std::string RankPicture(const Report& report, const Words& words);
inline constexpr size_t kPictureRows = 40;

// The steps of the story and the tracks of ranks: time on x, else the collective's number, else the order of the steps;
// a lane for each rank or group of ranks that look alike. Empty below two steps.
std::string StoryPicture(const Report& report, const Words& words);
// Collectives that the ranks issued in the largest communicator; ranks that issued as many are one lane. Empty when the
// logs do not list them.
std::string CallsPicture(const Report& report, const Words& words);

// The calls around the first one at which ranks of a communicator disagree, side by side; empty where none do.
std::string CallTablePicture(const Report& report, const Words& words);

// What broke in one sentence with the values of the log.
std::string SentenceOf(const Report& report, const Words& words);
// For the buttons that copy a summary. Escaped for the chat, not for HTML.
enum class Chat : uint8_t { kMarkdown, kSlack };
std::string ChatMessage(const Report& report, const Words& words, Chat chat);

// Which transport connects whom: ranks × ranks, or hosts × hosts for jobs of more than kMatrixRows ranks, as SVG; a
// table of counts when there are more than kMatrixHosts hosts. Empty when the log lists no connection.
std::string TransportPicture(const Report& report, const Words& words);
inline constexpr size_t kMatrixRows = 48;
inline constexpr size_t kMatrixHosts = 256;

}  // namespace ncclwhy
