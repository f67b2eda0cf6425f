// What the documents in JSON have in common: values of a report as JSON, and objects of members. Texts of logs get
// there as UTF-8.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/utf8.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Bytes that are no UTF-8 become \xNN.
inline OrderedJsonValue ToJson(std::string_view text) { return SanitizeUtf8(text); }
// Three digits: more would pretend, and would differ between compilers.
inline OrderedJsonValue ToJson(double number) { return std::isfinite(number) ? std::round(number * 1000) / 1000 : 0; }
template <typename T>
requires std::is_integral_v<T> OrderedJsonValue ToJson(T value) { return value; }
template <typename T>
requires std::is_same_v<T, OrderedJsonValue> OrderedJsonValue ToJson(const T& value) { return value; }
OrderedJsonValue ToJson(const Culprit& culprit);

template <typename T>
OrderedJsonValue ToJson(const std::vector<T>& items) {
  OrderedJsonValue out = OrderedJsonValue::array();
  for (const T& item : items) out.push_back(ToJson(item));
  return out;
}
template <typename T>
// Only of one that IsKnown.
OrderedJsonValue ToJson(const std::optional<T>& value) {
  return ToJson(*value);
}
template <typename T>
bool IsKnown(const std::optional<T>& value) {
  return value.has_value();
}
template <typename T>
// Sorted by name, since the map is.
OrderedJsonValue ToJson(const std::map<std::string, T>& items) {
  OrderedJsonValue out = OrderedJsonValue::object();
  for (const auto& [name, value] : items) out[SanitizeUtf8(name)] = ToJson(value);
  return out;
}

// Whether it is known: not a rank of -1, line 0, an empty text or list.
template <typename T>
bool IsKnown(const T& value) {
  if constexpr (std::is_unsigned_v<T>) {  // bool, too
    return value > 0;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return value >= 0;
  } else if constexpr (requires { value.empty(); }) {
    return !value.empty();
  } else {
    return true;
  }
}

// Names and values in turn, of which no name is there yet: none is looked for.
inline void AddMembers(OrderedJsonValue::object_t*) {}
template <typename T, typename... More>
void AddMembers(OrderedJsonValue::object_t* object, std::string_view name, const T& value, const More&... more) {
  const bool optional = name.ends_with('?');
  if (optional) name.remove_suffix(1);
  if (!optional || IsKnown(value)) object->emplace_back(std::string(name), ToJson(value));
  AddMembers(object, more...);
}
template <typename... Members>
void PutMembers(OrderedJsonValue* object, const Members&... members) {
  auto& of = object->get_ref<OrderedJsonValue::object_t&>();
  of.reserve(of.size() + sizeof...(members) / 2);
  AddMembers(&of, members...);
}

// An object of these members in this order: `Object("rank?", c.rank, "why", c.why)`. One that ends with `?` is left out
// where it is not known.
template <typename... Members>
OrderedJsonValue Object(const Members&... members) {
  OrderedJsonValue out = OrderedJsonValue::object();
  PutMembers(&out, members...);
  return out;
}

}  // namespace ncclwhy
