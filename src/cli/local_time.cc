#include "cli/local_time.h"

#include <time.h>

namespace ncclwhy {

std::string LocalTime(std::time_t time, const char* format) {
  std::tm local{};
  ::localtime_r(&time, &local);
  char text[64];
  text[std::strftime(text, sizeof text, format, &local)] = '\0';
  return text;
}

}  // namespace ncclwhy
