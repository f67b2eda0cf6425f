#include "report/redact_patterns.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/re2_call.h"

namespace ncclwhy {
namespace {

// In the order in which they are asked: what says of itself that it is private comes first.
struct Shape {
  Private kind;
  const char* regex;
  Sure sure = Sure::kNo;  // see PrivatePattern
};
using enum Private;

// Words that @KEY and @VALUE stand for below. A key that names a secret; what may stand behind it: in quotes, whole or
// cut off, or up to a blank, with the groups of digits behind that.
//    password=a,12345678   password = 'a b'   password=12 345678
constexpr std::pair<std::string_view, std::string_view> kParts[] = {
    {"@KEY", R"x((?:(?:api|access|auth|account|shared|private|license|encryption|signing|secret)[_ -]?key|)x"
             R"x(pass(?:wd|word|phrase|code)|passwort|contraseña|mot de passe|密码|密碼|口令|パスワード|pwd|secret))x"},
    {"@VALUE", R"x((\\"(?:[^"\\]|\\[^"])*\\?"?|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|)x"
               R"x([^\s"'=:]\S*(?: [0-9][0-9A-Za-z.:_-]+)*))x"},
};

constexpr Shape kShapes[] = {
    // passwd=error; "password": "failed": what is assigned or in quotes is the value, whatever it says
    {kToken, R"x((?i)@KEY[A-Za-z0-9_-]*\\?["']?\s*(?::=|[=-]>|==?)\s*@VALUE)x", Sure::kValue},
    {kToken, R"x((?i)[a-z0-9]_pass\s*=\s*([a-z]\S*))x", Sure::kValue},
    // password: "failed"; password 'memory' was wrong; password (12345678) rejected
    {kToken, R"x((?i)@KEY[A-Za-z0-9_-]*(?:\s*:\s*|\s+)("(?:[^"\\]|\\.)*"|'[^']*'))x", Sure::kValue},
    {kToken, R"x((?i)@KEY\s+\(([0-9][0-9A-Za-z._-]{3,})\))x", Sure::kValue},
    {kToken,
     R"x((?i)(?:@KEY[A-Za-z0-9_-]*|token|auth|credentials?)\\?["']\s*:\s*(\\?"(?:[^"\\]|\\[^"])*\\?"|'[^']*'))x",
     Sure::kValue},
    {kToken, R"x((?i)(?:token|auth|credentials?)\\?["']?=(\\?["']?[^\s,;&"'\\]+))x", Sure::kValue},
    {kToken, R"x((?i)\bidentified\s+(?:with\s+\S+\s+)?by\s+(?:password\s+)?("[^"]*"?|'[^']*'?))x", Sure::kValue},
    {kToken, R"x(\bsshpass\s+-p\s*@VALUE)x", Sure::kValue},
    // PASSWORD is set to 12345678; Password for 'root': 12345678; password 12345678
    {kToken, R"x((?i)@KEY["']?\s+(?:(?:is|was|has|been|now|(?:re-?)?set|changed|updated)\s+){1,4}to\s+@VALUE)x",
     Sure::kValue},
    {kToken, R"x((?i)@KEY\s+(?:for|of)\s+(?:(?:user|key|account)\s+)?["']?[^\s"':=]+["']?\s*(?::|=|\s+is\s)\s*@VALUE)x",
     Sure::kPlace},
    {kToken, R"x((?i)@KEY\s+(?:(?:is|was|now)\s+)?([0-9][0-9A-Za-z._-]{3,}(?: [0-9][0-9A-Za-z.:_-]+)*))x",
     Sure::kPlace},
    // password: master: whatever word stands there
    {kToken, R"x((?i)@KEY[A-Za-z0-9_-]*\\?["']?(?:\s*:\s*|\s+is(?:\s*:\s*|\s+)|：\s*)@VALUE)x", Sure::kPlace},
    // http_proxy=root:12345678@node:8080: of a URL without its scheme
    {kToken, R"x((?:^|[\s"'=(,<])([A-Za-z_][A-Za-z0-9_.-]*:[^\s:/"']{3,})@[A-Za-z0-9\[])x", Sure::kValue},
    {kPod, R"x((?i)\bjob[ _-]?name["']?\s*[=:]\s*["']?([^\s,;"')]+))x", Sure::kPlace},
    {kPod, R"x((?i)\s--job-name\s+["']?([^\s,;"')]+))x", Sure::kPlace},
    {kToken, R"x((?i)\b(?:otp|pin|2fa|mfa|verification|one-time)(?:[ _-]?code)?\s*[=:]?\s*([0-9]{4,8})\b)x",
     Sure::kPlace},
    // Numbers that are somebody's or one thing's: telephones, cards, serial numbers, LIDs, places
    {kId,
     R"x((?i)\b(?:(?:[ds]|remote[ _-]?|local[ _-]?|base[ _-]?|sm[ _-]?)?lid)\s*[=:]?\s*(0x[0-9a-f]{1,4}|[0-9]{1,5})\b)x",
     Sure::kPlace},
    {kId, R"x((?i)\bsn(?:\s*[=:#]\s*|\s+)([A-Z0-9-]*[0-9][A-Z0-9-]{4,})\b)x", Sure::kPlace},
    {kId,
     R"x((?i)\b(?:serial(?:[ _-]?(?:number|no\.?))?|s/n|asset[ _-]?tag)\s*[=:#]?\s*([A-Z0-9-]*[0-9][A-Z0-9-]{4,})\b)x",
     Sure::kPlace},
    {kUser, R"x((?:^|[^0-9A-Za-z.+])(\+[1-9][0-9]{0,2}[ ./-]?\(?[0-9]{2,5}\)?(?:[ ./-]?[0-9]{2,5}){1,4}))x",
     Sure::kPlace},
    {kUser, R"x((\([0-9]{3}\) ?[0-9]{3}-[0-9]{4}))x", Sure::kPlace},
    {kUser, R"x((?:^|[^0-9-])([0-9]{3}-(?:[0-9]{2}|[0-9]{3})-[0-9]{4})(?:[^0-9-]|$))x", Sure::kPlace},
    {kUser, R"x((?i)\b(?:tel|phone|telephone|mobile|cell|fax)[.:]*\s*(\+?[0-9][0-9 ()./-]{5,}[0-9]))x", Sure::kPlace},
    {kToken, R"x((?i)\b(?:card|visa|mastercard|amex|credit)\D{0,12}([0-9]{4}(?:[ -]?[0-9]{3,6}){2,3}))x", Sure::kPlace},
    {kPath,
     R"x((?i)\b(?:lat|lon|lng|latitude|longitude)["']?\s*[=:]?\s*(-?[0-9]{1,3}\.[0-9]{3,}(?:,\s*-?[0-9]{1,3}\.[0-9]{3,})?))x",
     Sure::kPlace},
    // A name in quotes behind what says whose it is; a host where launchers and the kernel's log have one
    {kPod,
     R"x((?i)\b(?:namespace|pod|container|host|node|partition|account|queue|cluster|project|configmap|pvc|volume|secret) )x"
     R"x(\\?["'`“‘]([^"'`“”‘’\\]+)\\?["'`”’])x",
     Sure::kPlace},
    {kUser, R"x((?i)\b(?:user|owner|principal|login) \\?["'`“‘]([^"'`“”‘’\\]+)\\?["'`”’])x", Sure::kPlace},
    {kUser,
     R"x((?i)\b(?:logged in as:?|log ?in as|running as user|for user|submitted by|on behalf of|sudo -u) ["']?([a-z_][a-z0-9._-]*))x",
     Sure::kPlace},
    {kUser, R"x((?i)\b((?:uid|cn|ou|dc|o)=[^,"'=\s][^,"'=]*(?:, ?(?:cn|ou|dc|o|c|uid)=[^,\s"'=]+)+))x", Sure::kPlace},
    {kHost, R"x(\bsrun: (?:error|warning): ([A-Za-z][A-Za-z0-9._-]*): )x", Sure::kPlace},
    {kHost, R"x(\b(?:STEP|JOB) [0-9.+]+ ON ([A-Za-z0-9._-]+))x", Sure::kPlace},
    {kHost, R"x(^(?:<[0-9]+>)?[A-Z][a-z]{2} [ 0-9]?[0-9] [0-9:]{8} ([A-Za-z][A-Za-z0-9._-]*) [A-Za-z])x", Sure::kPlace},
    {kHost, R"x((?i)\b(?:hostname|nodename|master_addr|[a-z_]*_host)["']?\s*=\s*["']?([a-z0-9][a-z0-9._-]*))x",
     Sure::kPlace},
    {kHost,
     R"x((?i)\b(?:hostname|nodename|master_addr|[a-z_]*_host)["']?: ["']?([a-z0-9][a-z0-9._-]*)["']?(?:$|[,;}]))x",
     Sure::kPlace},
    {kPod, R"x((?i)kubernetes\.io/[a-z.-]+[=:] ?["']?([a-z0-9][a-z0-9._-]*))x", Sure::kPlace},
    {kPod,
     R"x((?i)\b(?:projects|users|accounts|organizations|orgs|resourcegroups|subscriptions|namespaces|buckets)/([a-z0-9][a-z0-9._-]*))x",
     Sure::kPlace},
    // Secrets by their prefix: what scanners of secrets know keys of services by.
    {kToken,
     R"x(((?:hf_|gh[pousr]_|github_pat_|gl(?:pat|dt|rt|ptt|soat|cbt|ft|imt|agent)-|npm_|pypi-|sk[-_]|rk_|pk_|whsec_|)x"
     R"x(xox[a-z]-|xapp-|AIza|ya29\.|GOCSPX-|do[opr]_v1_|shp(?:at|ca|pa|ss)_|SG\.|AKIA|ASIA|ABIA|ACCA|LTAI|AKID|)x"
     R"x(nvapi-|dapi|pul-|figd_|lin_api_|rubygems_|hv[sbr]\.|AGE-SECRET-KEY-|EAA|sq0[a-z]{3}-|PMAK-|NR[A-Z]{2}-|)x"
     R"x(gl(?:sa|c)_|dckr_pat_|AT[A-Z]TT3|xkeysib-|sl\.|ph[cx]_|r8_|gsk_|pplx-|secret_|ntn_|pat[A-Za-z0-9]{14}\.|)x"
     R"x(key-|dt0c01\.|EZ[AT]K|LT[A-Z]-)[A-Za-z0-9_.=-]{12,}))x"},
    // Two letters are a prefix at the beginning of a word only, and of a key with a digit soon: TRACE_BUFFER_SIZE=2000
    // is none.
    {kToken, R"x(\b((?:PK|SK|AC)[A-Za-z]{0,12}[0-9][A-Za-z0-9]{8,}))x"},
    {kToken, R"x(\b(eyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,4}))x"},
    {kToken, R"x((-----BEGIN [A-Z0-9 ]+-----[^-]*(?:-----END [A-Z0-9 ]+-----)?))x"},
    {kToken, R"x(\b((?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp[0-9]+|sk-ssh-\S+)\s+[A-Za-z0-9+/=]{8,}))x"},
    // … and by the word in front: Basic, Bearer, Cookie, --password x, DB_PWD="a b", api key: x
    {kToken, R"x((?i)\b(?:set-)?cookie["']?\s*[:=]\s*([^\r\n]+))x"},
    {kToken,
     R"x((?i)\bauthorization["']?\s*[:=]\s*["']?(?:basic|bearer|token|digest|negotiate|apikey|aws4-hmac-sha256)?\s*([^\r\n"']+))x"},
    {kToken, R"x((?i)\b(?:basic|bearer|digest)\s+([A-Za-z0-9._~+/=-]{8,}))x"},
    {kToken,
     R"x((?i)(?:(?:pass(?:wd|word|phrase|code)?|pwd|secret|token|api[_ -]?key|access[_ -]?key|auth[_ -]?key|account[_ -]?key|)x"
     R"x(shared[_ -]?key|private[_ -]?key|license[_ -]?key|encryption[_ -]?key|signing[_ -]?key|webhook|dsn|)x"
     R"x(credentials?|connection[_ -]?string|signature|otp|salt|nonce|session(?:_?id)?|auth|key[_ -]?id)[a-z0-9_-]*|)x"
     // Of shorter words no longer one: --signal=B:USR1@120 and mapping=1 are no secrets.
     R"x((?:^|[^A-Za-z])(?:sig|pin)[0-9_-]*))x"
     R"x(\\?["']?(?:\s*(?::=|=>|==?|:)\s*|\s+is\s+)(\\?"(?:[^"\\]|\\[^"])*\\?"|\\?'[^']*'|[^\s,;&"'=:][^\s,;&"']*))x"},
    {kToken,
     R"x((?i)(?:^|\s)--?[a-z0-9-]*(?:pass(?:wd|word|phrase)?|pwd|secret|token|key|credentials?)\s+("[^"]*"|'[^']*'|[^\s-][^\s]*))x"},
    {kToken, R"x((?:^|\s)(?:-u|--user)\s+("[^"]*"|'[^']*'|[^\s:]+:[^\s]+))x"},
    {kUrl, R"x(\b([A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>]+))x"},
    {kUrl, R"x(\b(arn:[a-z-]+:[^\s"'<>,]+))x"},
    {kUrl, R"x(\b(git@[A-Za-z0-9.-]+:[^\s"'<>]+))x"},
    // uid=1000(alice) gid=100(users) groups=4(adm),…; ~alice; C:\Users\alice\…; \\server\share
    {kUser, R"x((?i)(?:uid|gid|euid|egid|groups)=[0-9]+\(([^)]+)\))x"},
    {kUser, R"x([,(][0-9]+\(([A-Za-z_][^)]*)\))x"},
    {kUser, R"x((?:^|[\s"'=:(])(~[A-Za-z_][A-Za-z0-9._-]*))x"},
    {kPath, R"x((?:^|[^A-Za-z0-9])([A-Za-z]:(?:\\\\?[^\\\s"'<>|:;,]+)+))x"},
    {kPath, R"x((?:^|[\s"'=(])(\\\\\\?\\?[A-Za-z0-9._$-]+(?:\\\\?[^\\\s"'<>|:;,]+)+))x"},
    {kUser, R"x(\b([A-Za-z0-9_][A-Za-z0-9._%+-]*)@[A-Za-z0-9])x"},
    {kUser, R"x((?:/home/|/Users/|/scratch/|/lustre/home/|/nfs/home/|/data/home/|/u/)([A-Za-z0-9._-]+))x"},
    {kUser,
     R"x((?i)\b(?:user(?:[_-]?(?:name|id))?|logname|login|owner|author|account|principal|submitted[_ ]by)["']?\s*=\s*)x"
     R"x(("[^"]*"|'[^']*'|[A-Za-z_][^\s,;"')]+))x"},
    {kUser, R"x((?i)"(?:user(?:_?name)?|login|owner|author|account)"\s*:\s*"([^"]+)")x"},
    {kUser, R"x((?i)\b(?:for|by|from|of) user ["']?([A-Za-z_][A-Za-z0-9._-]*))x"},
    // Pods, namespaces, containers, images, jobs by name.
    {kPod,
     R"x((?i)\b(?:pod|namespace|container|deployment|statefulset|daemonset|cluster|project|tenant|team|bucket|image|)x"
     R"x(partition|queue|job_?name|run_?name|experiment)(?:[_-]?(?:name|id|uid))?["']?\s*=\s*("[^"]*"|'[^']*'|[^\s,;"')]+))x"},
    {kPod,
     R"x((?i)"(?:pod|namespace|container|deployment|cluster|project|image|docker_id)(?:_?(?:name|id|image))?"\s*:\s*"([^"]+)")x"},
    {kPod, R"x((?i)\b(?:pods?|namespaces?|ns|deployments?|containers?|nodes?)/([A-Za-z0-9][A-Za-z0-9._-]*))x"},
    {kPod, R"x((?i)\b(?:pod|namespace|container|cluster)[: ]+["']?([a-z0-9]+(?:-[a-z0-9]+)+))x"},
    // Hardware: GUIDs, MACs with colons or dashes, UUIDs of GPUs, NCCL's hexadecimal pair, bare InfiniBand
    // GIDs.
    {kId,
     R"x((?i)\b((?:gpu-|mig-(?:gpu-)?)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:/[0-9]+/[0-9]+)?)\b)x"},
    {kId, R"x((?i)\b(?:guid|serial|s/n|uuid|lid)\s*[=:]?\s*((?:0x)?[0-9a-f]{8,16})\b)x"},
    {kId, R"x((?i)\bserial(?:[ _-]?(?:number|no))?\s*[=:]\s*([A-Z0-9-]{6,}))x"},
    {kId, R"x(\b([0-9A-Fa-f]{1,16}/[0-9A-Fa-f]{6,16})\b)x"},
    {kId, R"x((?:^|[^0-9A-Fa-f:])([0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4})(?:[^0-9A-Fa-f:]|$))x"},
    {kId, R"x(\b((?:[0-9A-Fa-f]{2}[:-]){5,19}[0-9A-Fa-f]{2})\b)x"},
    {kId, R"x(\b([0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4})\b)x"},
    // A GUID as %lx prints it may have lost its zeros.
    {kId, R"x((?i)\b(0x[0-9a-f]{13,})\b)x"},
    {kIp, R"x((?:^|[^0-9A-Za-z:.])((?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}))x"},
    {kIp, R"x((?:^|[^0-9A-Za-z:.])((?:[0-9A-Fa-f]{1,4}:){1,6}:(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4})*)?)x"
          R"x((?:%[A-Za-z0-9]+)?)(?:[^0-9A-Za-z:]|$))x"},
    {kIp, R"x((?:^|[^0-9.])((?:[0-9]{1,3}\.){3}[0-9]{1,3})(?:[^0-9.]|\.?$|\.[^0-9]))x"},
    {kIp, R"x(\b(?:ip-)?([0-9]{1,3}(?:-[0-9]{1,3}){3})\b)x"},
    // NCCL's header, lists of hosts, and what says of itself that it is a host. A name needs a letter: the
    // header's pattern would take the time 12:34:56 otherwise.
    {kHost, R"x(^\s*(?:\[[^\]]*\]\s*)*((?:[0-9]+[._-]?)*[A-Za-z][A-Za-z0-9._-]*):[0-9]+:[0-9]+ )x"},
    {kHost, R"x(\b([A-Za-z][A-Za-z0-9._-]*\[[0-9]+(?:[-,][0-9]+)+\](?:[A-Za-z0-9.-]*)))x"},
    {kHost,
     R"x(\b([A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.(?:internal|local|localdomain|cluster|svc|lan|corp|intra|home|)x"
     R"x(com|net|org|edu|gov|mil|io|ai|cn|de|fr|uk|jp|kr|eu|us|ch|nl|dev|cloud|tech))(?:[^A-Za-z0-9.-]|\.?$|\.[^A-Za-z0-9]))x"},
    {kHost,
     R"x((?i)\b(?:host(?:name)?|node(?:[_-]?(?:name|list))?|server|master(?:_addr)?|addr(?:ess)?|endpoint|rdzv_endpoint|)x"
     R"x(rhost|peer|job_?nodelist)["']?\s*=\s*["']?([A-Za-z][^\s,;"')]*))x"},
    {kHost, R"x((?i)"(?:host(?:name)?|node(?:_?name)?|server|kubernetes_host)"\s*:\s*"([^"]+)")x"},
    {kHost,
     R"x((?i)\b(?:host(?:name)?|node(?:name)?|server|machine):?\s+["']?([A-Za-z][A-Za-z._-]*[0-9][A-Za-z0-9._-]*))x"},
    // A path; below a folder of packages only up to there.
    {kPath, R"x((?:^|[\s"'=:,(\[<>|;&])(/[^\s"'<>:,;)\]]*?/(?:site|dist)-packages)/)x"},
    {kPath, R"x((?:^|[\s"'=:,(\[<>|;&])(/[^\s"'<>:,;)\]/][^\s"'<>:,;)\]]*))x"},
};

// A pattern that does not compile is a defect that a test finds; RE2 says so by ok().
std::unique_ptr<RE2> Compile(std::string regex) {
  for (const auto& [word, part] : kParts) {
    for (size_t at; (at = regex.find(word)) != std::string::npos;) regex.replace(at, word.size(), part);
  }
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(limits::kPatternMemory);
  return InRe2([&] { return std::make_unique<RE2>(regex, options); });
}

}  // namespace

// Compiled once, at the first redaction, and never destroyed: threads may still be in it when the program ends.
const std::vector<PrivatePattern>& PrivatePatterns() {
  static const auto* const patterns = [] {
    auto out = std::make_unique<std::vector<PrivatePattern>>();
    for (const Shape& shape : kShapes) out->push_back({shape.kind, Compile(shape.regex), shape.sure});
    return out.release();
  }();
  return *patterns;
}

const RE2& AliasPattern() {
  static const RE2* const pattern =
      Compile(R"x(((?:https://|/)?(?:host|ip|guid|user|path|token|url|pod|name)-[0-9]+)(?:[^0-9A-Za-z]|$))x").release();
  return *pattern;
}

}  // namespace ncclwhy
