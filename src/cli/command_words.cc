#include "cli/command_words.h"

#include <utility>

namespace ncclwhy {
namespace {

constexpr CommandWords kEnglish = {
    .paste = "paste the log, then press Ctrl-D; ncclwhy --help tells more",
    .waiting = "waiting for a log on standard input; name files or directories to read those",
    .empty_input = "no LOG given and standard input is empty: name files or directories; see ncclwhy --help",
    .list = ", ",
    .missing = "{}: does not exist|{}: do not exist",
    .no_match = "{}: matches no file",
    .no_files = "{}: no files in this directory",
    .stands_first = "{0}: does not exist; if the command is meant, it stands first: ncclwhy {0} …",
    .database = "{}: is a SQLite database, not a log",
    .timeline = "{0}: is a timeline, not a log: ncclwhy query {0} \"SELECT …\"",
    .see = "; see ncclwhy {}--help",
    .unexpected = "The following argument was not expected: ",
    .among = " not in {",
    .is_required = " is required",
};

constexpr CommandWords kChinese = {
    .paste = "请粘贴日志，然后按 Ctrl-D；更多用法见 ncclwhy --help",
    .waiting = "正在等待标准输入中的日志；要读取文件或目录，请写出其名称",
    .empty_input = "没有指定 LOG，标准输入也是空的：请写出文件或目录；见 ncclwhy --help",
    .list = "、",
    .missing = "{}：不存在",
    .no_match = "{}：没有匹配的文件",
    .no_files = "{}：此目录中没有文件",
    .stands_first = "{0}：不存在；如果要用这个命令，应写在最前面：ncclwhy {0} …",
    .database = "{}：是 SQLite 数据库，不是日志",
    .timeline = "{0}：是时间线，不是日志：ncclwhy query {0} \"SELECT …\"",
    .see = "；见 ncclwhy {}--help",
    .unexpected = "不认识的参数：",
    .among = " 不在其中：{",
    .is_required = " 必须给出",
};

}  // namespace

const CommandWords& CommandWordsOf(Language language) { return language == Language::kChinese ? kChinese : kEnglish; }

Language LanguageAmong(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const bool next = i + 1 < arguments.size() && arguments[i] == "--lang" && arguments[i + 1] == "zh";
    if (next || arguments[i] == "--lang=zh") return Language::kChinese;
  }
  return Language::kEnglish;
}

std::string InLanguage(std::string sentence, Language language) {
  if (language == Language::kEnglish) return sentence;
  const CommandWords& words = CommandWordsOf(language);
  const std::pair<std::string_view, std::string_view> kPairs[] = {
      {kEnglish.unexpected, words.unexpected},
      {"The following arguments were not expected: ", words.unexpected},
      {kEnglish.among, words.among},
      {kEnglish.is_required, words.is_required},
  };
  for (const auto& [english, own] : kPairs) {
    if (const size_t at = sentence.find(english); at != std::string::npos) sentence.replace(at, english.size(), own);
  }
  return sentence;
}

}  // namespace ncclwhy
