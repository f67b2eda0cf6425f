#include "ncclwhy/explain.h"

#include <algorithm>

#include "api/explanation.h"
#include "api/no_throw.h"
#include "base/text.h"
#include "report/phrases.h"

namespace ncclwhy {

Result<std::string> Explain(std::string_view what, const AnalyzerOptions& options, const ReportFormat& format) {
  return NoThrow([&]() -> Result<std::string> {
    const Result<Knowledge> loaded = Knowledge::Load(options);
    if (!loaded.ok()) return loaded.status();
    const Knowledge& knowledge = loaded.value();
    const KnowledgeBase& kb = knowledge.kb();
    const RenderOptions render{format.language, format.width, format.color};
    // Without a name: what names there are.
    if (what.empty()) return ListCauses(kb, render);
    std::string text = ExplainCause(what, kb, render);
    // `NCCL_IB_GID_INDEX=3` is how people copy it.
    if (text.empty()) text = ExplainVariable(what.substr(0, what.find('=')), kb, render);
    if (text.empty()) text = ExplainCode(what, kb, render);
    // From the surest to the vaguest: a message is anything that a log may say, so it is asked last.
    if (text.empty()) text = ExplainMessage(what, knowledge, static_cast<size_t>(std::max(options.seen, 0)), render);
    if (!text.empty()) return text;
    std::string sentence = Filled(WordsOf(format.language).unknown_name, std::string(what));
    const std::vector<std::string> ids = kb.CauseIds();
    const std::string_view nearest = NearestName(what, {ids.begin(), ids.end()});
    // One that is near by its letters, else those of its family: `shm.to-small`, `shm`.
    if (!nearest.empty()) {
      sentence += Filled(WordsOf(format.language).did_you_mean, nearest);
    } else if (const std::string like = CausesLike(what, kb); !like.empty()) {
      sentence += "; " + like;
    }
    return Status::NotFound(std::move(sentence));
  });
}

}  // namespace ncclwhy
