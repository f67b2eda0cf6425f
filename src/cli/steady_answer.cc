#include "cli/steady_answer.h"

namespace ncclwhy {

void SteadyAnswer::See(const Answer& answer, Time now) {
  // An answer that is not sure is none.
  Answer next = answer.confidence >= kSure ? answer : Answer{};
  if (next.key != latest_.key || since_ == Time{}) since_ = now;
  latest_ = std::move(next);
  until_ = now;
}

std::optional<SteadyAnswer::News> SteadyAnswer::Tell(Time now, bool current) {
  const std::string told = told_ ? told_->key : std::string();
  if (latest_.key == told) return std::nullopt;
  // What was read since the answer may change it: then it lasted only until it was given.
  const auto lasted = (current ? now : until_) - since_;
  if (lasted < (latest_.seen ? kSeenLasts : kMissingLasts)) return std::nullopt;
  // Gone again: that has to last as long as what follows from missing lines.
  if (latest_.key.empty()) {
    News news{News::Kind::kWithdrawn, *told_};
    told_.reset();
    return news;
  }
  News news{told_ ? News::Kind::kChanged : News::Kind::kFirst, latest_};
  told_ = latest_;
  return news;
}

}  // namespace ncclwhy
