// What the words beside the numbers of a line say of its work (pulse_words.def).
#pragma once

#include <cstdint>
#include <string_view>

namespace ncclwhy {

// A word that counts work, and what reports call that: "steps", 1 step, 2 steps, 步.
struct WorkUnit {
  std::string_view word, one, many, zh;
};

// `step 41200`: the number counts work. Null for any other word; upper and lower case are one.
const WorkUnit* WorkUnitOf(std::string_view word);

// `max_steps 50000`: the number says of how many. Null for any other word.
const WorkUnit* WorkUnitOfTotal(std::string_view word);

// Whether the line of a bar counts what comes before the work: `Running tokenizer on dataset: 100%|███| 31104/31104`.
bool PreparesWork(std::string_view line);

// How many seconds one of the number is behind which `behind` stands in `line`, if it counts a time: in a line that
// complains or whose words say that somebody waits (`barrier pending 600s`), in any ` minutes ago`; else 0.
double SecondsBehind(std::string_view behind, std::string_view line, bool complains);

// False: it counts none, in no line that has these letters of ASCII behind its number.
bool MayBeTime(std::string_view behind);

// A small number for each, 0 for null.
uint8_t NumberOf(const WorkUnit* unit);
const WorkUnit* WorkUnitNumbered(uint8_t number);

}  // namespace ncclwhy
