// Two addresses of one connection, compared as an expert would: the value `compared` of templates.
//
//   ::ffff:192.168.100.10 and ::ffff:172.31.0.44   → 192.168.100.10 and 172.31.0.44 are in different networks
//   fe80::ec0d:9aff:fe2e:1 and …                   → fe80::ec0d:9aff:fe2e:1 is link-local: no router forwards it
//   10.0.0.5 and 172.17.0.2                        → 172.17.0.2 is of Docker's own bridge: no other host reaches it
#pragma once

#include <string>
#include <string_view>

#include "kb/loader/kb.h"
#include "ncclwhy/language.h"

namespace ncclwhy {

// One clause about what cannot work between them; empty when they say nothing. Without masks only networks that no
// usual mask joins are different ones: another first octet, or another second one in 172.16/12 and 192.168/16.
std::string CompareAddresses(std::string_view own, std::string_view peer, Language language);

// Sets `compared` when the values hold both ends of a connection.
void AddAddressComparison(Language language, TemplateValues* values);

}  // namespace ncclwhy
