#include "gen/noise.h"

#include <fmt/format.h>

namespace ncclwhy::bench {

Noise::Noise(const Spec& spec, int rank)
    : foreign_(spec.foreign),
      // Shared files are torn where they are written: see LogFiles.
      torn_(spec.torn && spec.layout == Layout::kRank),
      rank_(rank),
      random_(Mix(spec.seed + 30, static_cast<uint64_t>(rank))) {}

void Noise::Add(std::string* piece) {
  if (foreign_) AddForeign(piece);
  if (torn_) Tear(piece);
}

void Noise::AddForeign(std::string* piece) {
  ++step_;
  auto out = std::back_inserter(*piece);
  fmt::format_to(out,
                 "[2026-11-20 23:{:02}:{:02},{:03}] [INFO] [logging.py:96:log_dist] [Rank {}] step={}, skipped=0, "
                 "lr=[0.00031], mom=[(0.9, 0.95)]\n",
                 step_ / 60 % 60, step_ % 60, random_.Below(1000), rank_, step_);
  fmt::format_to(out, "INFO:root:step {} loss={}.{:04} grad_norm={}.{:02} tokens/s={}\n", step_, 1 + random_.Below(3),
                 random_.Below(10000), random_.Below(2), random_.Below(100), 10000 + random_.Below(5000));
  if (random_.OneIn(4)) {
    fmt::format_to(out, "\rEpoch 1:  {}%|████▌     | {}/10000 [00:{:02}<02:19,  5.53it/s]\n", step_ / 100 % 100, step_,
                   step_ % 60);
  }
  if (random_.OneIn(9)) {
    fmt::format_to(out,
                   "/opt/venv/lib/python3.11/site-packages/torch/utils/checkpoint.py:92: UserWarning: None of the "
                   "inputs have requires_grad=True. Gradients will be None\n  warnings.warn(\n");
  }
  if (random_.OneIn(50)) {
    fmt::format_to(out, "wandb: ⭐️ View run at https://wandb.example/run/{:x}\n", random_.Next());
  }
}

// Standard error goes to the same file unbuffered: it cuts a line of standard output, whose rest follows.
void Noise::Tear(std::string* piece) {
  if (!random_.OneIn(6) || piece->size() < 80) return;
  const size_t at = 20 + random_.Below(piece->size() - 60);
  piece->insert(
      at, fmt::format("WARNING:root:dataloader worker {} is slow ({} ms)\n", random_.Below(16), random_.Below(900)));
}

}  // namespace ncclwhy::bench
