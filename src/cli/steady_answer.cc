#include "cli/steady_answer.h"

namespace ncclwhy {

void SteadyAnswer::See(const Answer& answer, Time now) {
  Answer next = answer.confidence >= kSure ? answer : Answer{};
  if (next.key != latest_.key || since_ == Time{}) since_ = now;
  latest_ = std::move(next);
  until_ = now;
}

std::optional<SteadyAnswer::News> SteadyAnswer::Tell(Time now, bool current) {
  const std::string told = told_ ? told_->key : std::string();
  if (latest_.key == told) return std::nullopt;
  const auto lasted = (current ? now : until_) - since_;
  if (lasted < (latest_.seen ? kSeenLasts : kMissingLasts)) return std::nullopt;
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
