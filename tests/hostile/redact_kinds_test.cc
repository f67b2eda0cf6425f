// Secrets of every kind that scanners of secrets look for, and what names a site, in every text of a report and every
// format: with --redact none of them is left. The kinds are those of published lists; each sample is made anew, with
// another value in every run of the generator.
#include <cctype>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "hostile/tally.h"
#include "ncclwhy/analyzer.h"
#include "report/known_words.h"
#include "report/redact.h"
#include "report/renderer.h"
#include "report/report_texts.h"
#include "unit/report/sample_reports.h"

namespace ncclwhy::hostile {
namespace {

// `text` holds the secret between < and >, made of {aN} letters and digits, {hN} and {HN} hexadecimal digits, {dN}
// digits, {uN} capitals and digits, {bN} base64, {wN} a word of letters that nobody knows.
struct Kind {
  const char *name, *text;
};

constexpr Kind kKinds[] = {
    // Services, by the prefix of their keys.
    {"AWS access key", "using AKIA<{u16}> now"},
    {"AWS session key", "ASIA<{u16}>"},
    {"AWS secret key", "aws_secret_access_key = <{b40}>"},
    {"AWS secret key, bare", "got <{b40}> from the vault"},
    {"AWS session token", "AWS_SESSION_TOKEN=<{b120}==>"},
    {"AWS MWS key", "amzn.mws.<{h8}-{h4}-{h4}-{h4}-{h12}>"},
    {"AWS ARN", "arn:aws:iam::<{d12}:role/{w8}-role>"},
    {"AWS Bedrock key", "ABSK<{b60}>"},
    {"Alibaba access key", "LTAI<{a20}>"},
    {"Alibaba secret", "aliyun_secret: <{a30}>"},
    {"Tencent secret id", "AKID<{a32}>"},
    {"Azure storage key", "AccountName={w9};AccountKey=<{b86}==>;EndpointSuffix=core.windows.net"},
    {"Azure SAS", "?sv=2022-11-02&sig=<{b43}%3D>"},
    {"Azure client secret", "AZURE_CLIENT_SECRET=<{a3}8Q~{a34}>"},
    {"Azure DevOps PAT", "azdo pat <{a52}>"},
    {"Azure Functions key", "x-functions-key: <{b54}==>"},
    {"Azure subscription", "/subscriptions/<{h8}-{h4}-{h4}-{h4}-{h12}>/resourceGroups/x"},
    {"Azure Cosmos", "AccountEndpoint=https://<{w8}.documents.azure.com:443>/"},
    {"Google API key", "AIza<{a35}>"},
    {"Google OAuth token", "ya29.<{a60}>"},
    {"Google OAuth secret", "GOCSPX-<{a28}>"},
    {"Google OAuth client", "<{d12}-{a32}>.apps.googleusercontent.com"},
    {"Google service account", "\"private_key_id\": \"<{h40}>\""},
    {"Google service account mail", "<{w8}@{w6}-{d6}.iam.gserviceaccount.com>"},
    {"GCS bucket", "gs://<{w8}-{w6}/ckpt>"},
    {"S3 bucket", "s3://<{w8}-{w6}/ckpt>"},
    {"IBM Cloud key", "ibm_api_key=<{a44}>"},
    {"Oracle OCID", "ocid1.user.oc1..<{a60}>"},
    {"DigitalOcean token", "dop_v1_<{h64}>"},
    {"DigitalOcean OAuth", "doo_v1_<{h64}>"},
    {"Linode token", "linode token <{h64}>"},
    {"Hetzner token", "HCLOUD_TOKEN=<{a64}>"},
    {"Vultr key", "VULTR_API_KEY=<{u36}>"},
    {"Scaleway key", "SCW<{u17}>"},
    {"OVH key", "ovh application key: <{a32}>"},
    {"Cloudflare token", "CF_API_TOKEN=<{a40}>"},
    {"Cloudflare origin CA", "v1.0-<{h24}-{h146}>"},
    {"Fastly token", "Fastly-Key: <{a32}>"},
    {"Heroku key", "HEROKU_API_KEY=<{h8}-{h4}-{h4}-{h4}-{h12}>"},
    {"Netlify token", "netlify <nfp_{a36}>"},
    {"Vercel token", "VERCEL_TOKEN=<{a24}>"},
    {"GitHub token", "ghp_<{a36}>"},
    {"GitHub OAuth", "gho_<{a36}>"},
    {"GitHub user token", "ghu_<{a36}>"},
    {"GitHub server token", "ghs_<{a36}>"},
    {"GitHub refresh token", "ghr_<{a36}>"},
    {"GitHub fine-grained", "github_pat_<{a22}_{a59}>"},
    {"GitHub in a URL", "https://<{w6}:{a36}@github.com/{w6}/x.git>"},
    {"GitLab token", "glpat-<{a20}>"},
    {"GitLab deploy token", "gldt-<{a20}>"},
    {"GitLab runner token", "glrt-<{a20}>"},
    {"GitLab trigger", "glptt-<{h40}>"},
    {"Bitbucket app password", "bitbucket app password: <ATBB{a28}>"},
    {"npm token", "npm_<{a36}>"},
    {"npm auth line", "//registry.npmjs.org/:_authToken=<{h8}-{h4}-{h4}-{h4}-{h12}>"},
    {"PyPI token", "pypi-<AgEIcHlwaS5vcmc{b60}>"},
    {"RubyGems key", "rubygems_<{h48}>"},
    {"NuGet key", "oy2<{a43}>"},
    {"crates.io token", "cio<{a32}>"},
    {"Docker PAT", "dckr_pat_<{a27}>"},
    {"Docker auth", "\"auths\": {\"r\": {\"auth\": \"<{b40}>\"}}"},
    {"Artifactory key", "AKCp<{a69}>"},
    {"Artifactory password", "X-JFrog-Art-Api: <{a73}>"},
    {"Slack bot", "xoxb-<{d12}-{d12}-{a24}>"},
    {"Slack user", "xoxp-<{d12}-{d12}-{d12}-{h32}>"},
    {"Slack app", "xapp-1-<A{u10}-{d12}-{h64}>"},
    {"Slack webhook", "https://<hooks.slack.com/services/T{u8}/B{u8}/{a24}>"},
    {"Discord bot", "<M{a23}.{a6}.{a27}>"},
    {"Discord webhook", "https://<discord.com/api/webhooks/{d18}/{a68}>"},
    {"Teams webhook", "https://<{w6}.webhook.office.com/webhookb2/{h8}-{h4}>"},
    {"Telegram bot", "bot{d9}:<AA{a33}>"},
    {"Mattermost token", "mattermost <{a26}>"},
    {"Twilio SID", "SK<{h32}>"},
    {"Twilio token", "twilio_auth_token=<{h32}>"},
    {"SendGrid key", "SG.<{a22}.{a43}>"},
    {"Mailgun key", "key-<{h32}>"},
    {"Mailchimp key", "<{h32}-us12>"},
    {"Sendinblue key", "xkeysib-<{h64}-{a16}>"},
    {"Stripe secret", "sk_live_<{a24}>"},
    {"Stripe restricted", "rk_live_<{a24}>"},
    {"Stripe webhook", "whsec_<{a32}>"},
    {"Square token", "sq0atp-<{a22}>"},
    {"Square secret", "sq0csp-<{a43}>"},
    {"PayPal token", "access_token$production$<{a16}${h32}>"},
    {"Shopify token", "shpat_<{h32}>"},
    {"Shopify secret", "shpss_<{h32}>"},
    {"Plaid key", "plaid_secret=<{h30}>"},
    {"EasyPost key", "EZAK<{a54}>"},
    {"Facebook token", "EAACEdEose0cBA<{a40}>"},
    {"Twitter bearer", "AAAAAAAAAAAAAAAAAAAAA<{a50}>"},
    {"LinkedIn secret", "linkedin_client_secret=<{a16}>"},
    {"Dropbox token", "sl.<{a130}>"},
    {"Box token", "box_access_token: <{a32}>"},
    {"Asana token", "asana token=<1/{d16}:{h32}>"},
    {"Atlassian token", "ATATT3<xFfGF0{a60}>"},
    {"Jira token", "JIRA_API_TOKEN=<{a24}>"},
    {"Linear key", "lin_api_<{a40}>"},
    {"Notion key", "secret_<{a43}>"},
    {"Airtable token", "pat<{a14}.{h64}>"},
    {"Figma token", "figd_<{a40}>"},
    {"Postman key", "PMAK-<{h24}-{h34}>"},
    {"Okta token", "SSWS <00{a40}>"},
    {"Auth0 secret", "AUTH0_CLIENT_SECRET=<{a64}>"},
    {"1Password secret key", "A3-<{u6}-{u6}-{u5}-{u5}-{u5}-{u5}>"},
    {"Vault token", "hvs.<{a90}>"},
    {"Vault batch token", "hvb.<{a138}>"},
    {"Terraform token", "<{a14}.atlasv1.{a64}>"},
    {"Pulumi token", "pul-<{h40}>"},
    {"Databricks token", "dapi<{h32}>"},
    {"Snowflake password", "SNOWFLAKE_PASSWORD=<{a16}>"},
    {"MongoDB URI", "mongodb+srv://<{w6}:{a12}@{w8}.mongodb.net>/db"},
    {"PostgreSQL URI", "postgres://<{w6}:{a12}@{w8}:5432>/db"},
    {"MySQL URI", "mysql://<{w6}:{a12}@{w8}>/db"},
    {"Redis URI", "redis://<:{a20}@{w8}:6379/0>"},
    {"AMQP URI", "amqp://<{w6}:{a12}@{w8}>/vhost"},
    {"JDBC", "jdbc:sqlserver://<{w8}>:1433;user={w6};password=<{a12}>"},
    {"LDAP bind", "ldap://<{w8}>/ bindpw=<{a12}>"},
    {"Datadog key", "DD_API_KEY=<{h32}>"},
    {"New Relic key", "NRAK-<{u27}>"},
    {"Grafana token", "glsa_<{a32}_{h8}>"},
    {"Grafana cloud", "glc_<{b60}>"},
    {"Sentry DSN", "https://<{h32}@o{d6}.ingest.sentry.io/{d7}>"},
    {"Sentry token", "sntrys_<{b80}>"},
    {"PagerDuty key", "pagerduty routing key: <{h32}>"},
    {"Dynatrace token", "dt0c01.<{u24}.{u64}>"},
    {"Splunk HEC", "Authorization: Splunk <{h8}-{h4}-{h4}-{h4}-{h12}>"},
    {"Sumo Logic", "sumo access id <su{a12}>"},
    {"Honeycomb key", "X-Honeycomb-Team: <{a22}>"},
    {"PostHog key", "phc_<{a43}>"},
    {"Hugging Face token", "hf_<{a34}>"},
    {"Hugging Face org", "api_org_<{a34}>"},
    {"OpenAI key", "sk-<{a48}>"},
    {"OpenAI project key", "sk-proj-<{a40}>"},
    {"Anthropic key", "sk-ant-api03-<{a93}>"},
    {"Replicate token", "r8_<{a37}>"},
    {"Groq key", "gsk_<{a52}>"},
    {"Perplexity key", "pplx-<{h48}>"},
    {"Cohere key", "CO_API_KEY=<{a40}>"},
    {"NVIDIA NGC key", "nvapi-<{a64}>"},
    {"NGC legacy key", "NGC_API_KEY=<{b84}>"},
    {"Weights & Biases key", "WANDB_API_KEY=<{h40}>"},
    {"Weights & Biases, bare", "wandb: logged in with <{h40}>"},
    {"Comet key", "COMET_API_KEY=<{a25}>"},
    {"Neptune token", "NEPTUNE_API_TOKEN=<{b120}>"},
    {"ClearML key", "clearml access_key <{u20}>"},
    {"Kaggle key", "{\"username\":\"<{w8}>\",\"key\":\"<{h32}>\"}"},
    {"RunPod key", "RUNPOD_API_KEY=<{u40}>"},
    {"Tailscale key", "tskey-auth-<{a12}-{a32}>"},
    {"Doppler token", "dp.pt.<{a43}>"},
    {"Codecov token", "CODECOV_TOKEN=<{h8}-{h4}-{h4}-{h4}-{h12}>"},
    {"CircleCI token", "CCIPAT_<{a22}_{h40}>"},
    {"Jenkins crumb", "Jenkins-Crumb: <{h64}>"},
    {"Sonar token", "sqp_<{h40}>"},
    {"Snyk token", "SNYK_TOKEN=<{h8}-{h4}-{h4}-{h4}-{h12}>"},
    {"Kubernetes token", "token: <eyJhbGciOiJSUzI1NiIsImtpZCI6I{b20}.eyJ{b60}.{b80}>"},
    {"Munge credential", "MUNGE:<{b80}>:"},
    // Forms that hold any secret.
    {"JWT", "jwt eyJ<{b20}.eyJ{b40}.{b43}>"},
    {"PEM in a line", "-----BEGIN RSA PRIVATE KEY-----<{b64}>-----END RSA PRIVATE KEY-----"},
    {"PEM body", "<MIIEpAIBAAKCAQEA{b48}>"},
    {"ssh public key", "ssh-rsa <AAAAB3NzaC1yc2E{b80} {w6}@{w7}>"},
    {"ssh private body", "<b3BlbnNzaC1rZXktdjEA{b50}>"},
    {"ssh fingerprint", "SHA256:<{b43}>"},
    {"age key", "AGE-SECRET-KEY-1<{u58}>"},
    {"PGP block", "-----BEGIN PGP PRIVATE KEY BLOCK-----<{b40}>-----END PGP PRIVATE KEY BLOCK-----"},
    {"PuTTY key", "Private-MAC: <{h40}>"},
    {"Basic header", "Authorization: Basic <{b32}>"},
    {"Bearer header", "authorization: bearer <{a40}>"},
    {"Digest header", "Authorization: Digest username=\"<{w6}>\", response=\"<{h32}>\""},
    {"Cookie", "Cookie: sid=<{a20}; csrf={a16}; {w6}=1>"},
    {"Set-Cookie", "Set-Cookie: session=<{b40}>; HttpOnly"},
    {"--password x", "mysql --password <{a10}> -h db"},
    {"--password=x", "--db-password=<{a10}>"},
    {"-u user:pass", "curl -u <{w6}:{a12}> x"},
    {"--token x", "run --hf-token <{a16}>"},
    {"_PWD", "DB_PWD=<{a10}>"},
    {"quoted with blanks", "password=\"<{w5} {w6} {w7}>\""},
    {"single quotes with blanks", "secret: '<{w5} {w6}>'"},
    {"JSON password", "{\"password\": \"<{a12}>\"}"},
    {"escaped JSON password", "{\\\"password\\\": \\\"<{a12}>\\\"}"},
    {"YAML secret", "client_secret: <{a24}>"},
    {"Python dict", "{'api_key': '<{a20}>'}"},
    {"password is", "the password is <{a10}>"},
    {"passphrase", "passphrase=<{w6}-{w6}>"},
    {"OTP", "otp=<{w3}{d6}>"},
    {"hex secret", "secret <{h64}>"},
    {"base64 blob", "blob <{b44}>"},
    {"URL with token", "GET https://<{w6}.example.com/?access_token={a20}>"},
    {"connection string", "Server=<{w8}>;User Id=<{w6}>;Password=<{a12}>;"},
    {"license key", "license_key=<{u5}-{u5}-{u5}-{u5}>"},
    // What names a site.
    {"host, bare", "lost <gpu-{w4}{d2}>"},
    {"host that begins with lib", "lost <lib{w3}-{d2}>"},
    {"host, qualified", "<{w6}.{w5}.example.com> is down"},
    {"host, internal", "<{w6}-{d2}.cluster.internal>"},
    {"node list", "SLURM_JOB_NODELIST=<{w4}[01-16]>"},
    {"node list, bare", "on <{w4}[01-16,20],{w4}[3-4]>"},
    {"host key", "hostname=<{w8}>"},
    {"rendezvous", "--rdzv_endpoint=<{w8}>:29500"},
    {"MASTER_ADDR", "MASTER_ADDR=<{w7}{d1}>"},
    {"pod", "pod=<{w5}-worker-{w5}>"},
    {"pod path", "pod/<{w5}-{w4}-0>"},
    {"namespace", "namespace: <team-{w6}>"},
    {"namespace, JSON", "\"namespace\":\"<ml-{w6}>\",\"pod\":\"<{w5}-0>\""},
    {"container id", "docker://<{h64}>"},
    {"image", "image=<registry.{w5}.io/{w6}/{w5}:v3>"},
    {"job name", "job_name=<{w6}-pretrain-{w4}>"},
    {"run name", "run_name=\"<{w6} {w7} final>\""},
    {"file name of a host", "see <{w6}-{d3}>.log"},
    {"user", "user=<{w6}>"},
    {"user name, JSON", "\"user\": \"<{w6}>\""},
    {"uid form", "uid=1000(<{w6}>) gid=100(<{w6}>) groups=100(x),27(<{w7}>)"},
    {"tilde", "~<{w6}>/run.sh"},
    {"home", "/home/<{w6}/{w5}/train.py>"},
    {"home of macOS", "/Users/<{w6}/x.py>"},
    {"mail", "<{w5}.{w6}@{w6}.com>"},
    {"Windows path", "C:\\Users\\<{w6}\\{w5}\\x.py>"},
    {"UNC path", "\\\\<{w6}\\{w5}\\x>"},
    {"path", "/mnt/<{w6}/{w5}>"},
    {"path below /tmp", "/tmp/<{w6}-{w4}/x.log>"},
    {"path below /opt", "/opt/<{w6}/bin/x>"},
    {"relative path", "<{w6}/{w5}/run.yaml>"},
    {"virtual environment", "/data/<{w6}>/lib/python3.10/site-packages/torch/cuda/nccl.py"},
    {"git remote", "git@<{w6}.example:{w5}/{w6}.git>"},
    {"IPv4", "from <10.{d2}.13.7> now"},
    {"IPv4 in a name", "<ip-10-1-{d2}-9>"},
    {"IPv6", "at <fe80::{h4}:{h4}:fe{h2}:{h4}>"},
    {"IPv6, whole", "<2001:db8:{h4}:{h4}:{h4}:{h4}:{h4}:{h4}>"},
    {"GID", "<fe80:0000:0000:0000:{h4}:{h4}:{h4}:{h4}>"},
    {"GID pair", "GID 3 (<{H4}/{H16}>)"},
    {"GUID", "guid 0x<{h16}>"},
    {"GUID with colons", "<{h4}:{h4}:{h4}:{h4}>"},
    {"MAC", "<{h2}:{h2}:{h2}:{h2}:{h2}:{h2}>"},
    {"dashed MAC", "<{h2}-{h2}-{h2}-{h2}-{h2}-{h2}>"},
    {"dotted MAC", "<{h4}.{h4}.{h4}>"},
    {"GPU UUID", "<GPU-{h8}-{h4}-{h4}-{h4}-{h12}>"},
    {"MIG UUID", "<MIG-{h8}-{h4}-{h4}-{h4}-{h12}>"},
    {"MIG UUID, old", "<MIG-GPU-{h8}-{h4}-{h4}-{h4}-{h12}/1/0>"},
    {"serial", "serial: <{u13}>"},
    {"project name", "Loading <{w7}-{w5}-v2> config"},
    {"code name", "team <{w9}> run"},
    {"accented name", "from <{w3}\xc3\xa9{w4}>"},
    // Words that everybody uses and bare numbers, where the place says what they are.
    {"password, a word", "password: <hopper>"},
    {"secret, a word", "client_secret = '<hopper>'"},
    {"token, a word", "FOO_TOKEN=<hopper>"},
    {"namespace, a word", "secret in namespace \"<hopper>\" not found"},
    {"user, a word", "unknown user '<hopper>'"},
    {"srun's host, a word", "srun: error: <hopper>: task 2: Killed"},
    {"step's host, a word", "slurmstepd: error: *** STEP 77.0 ON <hopper> CANCELLED AT"},
    {"address, a word", "MASTER_ADDR=<hopper>"},
    {"folder of a user, a word", "https users/<hopper>/x"},
    {"DN", "bind <uid={w6},ou=people,dc={w5},dc=com> failed"},
    {"bare GUID", "switch 0x<b83fd2{h10}> down"},
    {"GUID of a port", "port 0x<043f7203{h8}> down"},
    {"GUID without its zero", "port 0x<c42a103{h8}> down"},
    {"GUID behind a word for addresses", "handle=0x<b83fd2{h10}>"},
    {"LID", "remote LID <4{d4}>"},
    {"serial number of digits", "Serial Number : <165{d10}>"},
    {"telephone", "call <+49 89 81{d3} {d4}> now"},
    {"telephone, American", "on call <(415) 555-{d4}>"},
    {"telephone, plain", "tel: <+1415555{d4}>"},
    {"card", "card <4111 1111 {d4} {d4}>"},
    {"SSN", "SSN <123-45-{d4}>"},
    {"one-time code", "OTP code <9{d5}>"},
    {"place", "lat <48.1{d5}, 11.5{d5}>"},
    {"Cyrillic name", "user <\xd0\xb8\xd0\xb2\xd0\xb0\xd0\xbd{w4}>"},
};

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  // Hexadecimal digits that happen to be decimal: one dotted MAC in 300 looks like a version.
  void OnlyDecimal() { hex_ = "0123456789"; }

  // `secrets`: what stood between < and >.
  std::string Make(std::string_view text, std::vector<std::string>* secrets) {
    std::string out;
    size_t open = std::string::npos;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '<') {
        open = out.size();
      } else if (text[i] == '>') {
        secrets->push_back(out.substr(open));
      } else if (text[i] == '{' && i + 2 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 2])) != 0) {
        size_t length = 0, at = i + 2;
        while (text[at] != '}') length = length * 10 + static_cast<size_t>(text[at++] - '0');
        out += Letters(text[i + 1], length);
        i = at;
      } else {
        out += text[i];
      }
    }
    return out;
  }

 private:
  std::string Letters(char kind, size_t length) {
    const std::string lower = "abcdefghijklmnopqrstuvwxyz", upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", digits = "0123456789";
    std::string set = kind == 'h'   ? hex_
                      : kind == 'H' ? (hex_ == digits ? digits : "0123456789ABCDEF")
                      : kind == 'd' ? digits
                      : kind == 'u' ? upper + digits
                      : kind == 'b' ? upper + lower + digits + "+/"
                      : kind == 'w' ? "bcdfghjklmnpqrstvwxz"
                                    : upper + lower + digits;
    std::string out;
    do {
      out.clear();
      while (out.size() < length) out += set[random_() % set.size()];
    } while (kind == 'w' && IsKnownWord(out));
    return out;
  }
  std::mt19937 random_;
  std::string hex_ = "0123456789abcdef";
};

// Hosts stay: a line that is one has an alias as a whole.
Report Everywhere(const std::string& line) {
  Report report = ncclwhy::testing::SeveralJobsReport();
  ForEachText(&report, [&](TextIs is, std::string* text) {
    if (is != TextIs::kOwn && is != TextIs::kHost) *text = line;
  });
  return report;
}

// Pieces of letters and digits outlive every escape of a format; what is in the report without the secret says nothing.
std::vector<std::string> Pieces(const std::string& secret) {
  std::vector<std::string> out;
  std::string piece;
  for (const char c : secret + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      piece += c;
      continue;
    }
    if (piece.size() >= 4 && !IsKnownWord(piece)) out.push_back(piece);
    piece.clear();
  }
  return out;
}

// Whether `piece` stands in `text` as a word: a hash may hold any four digits.
bool Stands(const std::string& text, const std::string& piece) {
  const auto letter = [&](size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  for (size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) {
    if (piece.size() > 7 || (!letter(at - 1) && !letter(at + piece.size()))) return true;
  }
  return false;
}

TEST_CASE("ideographs of a log are names, ours are not", "[hostile]") {
  for (const std::string name : {"王小明", "田中太郎", "ユーザー"}) {
    Report report = ncclwhy::testing::FailureReport();
    report.causes[0].evidence[0].text = "user " + name + " failed";
    CHECK(Redact(report, Language::kEnglish).causes[0].evidence[0].text.find(name) == std::string::npos);
  }
  Report chinese = ncclwhy::testing::FailureReport();
  chinese.causes[0].sure = "有一行直接显示故障";
  chinese.causes[0].evidence[0].text = "用户 王小明";
  const Report redacted = Redact(chinese, Language::kChinese);
  CHECK(redacted.causes[0].sure == chinese.causes[0].sure);
  CHECK(redacted.causes[0].evidence[0].text.find("王小明") == std::string::npos);
}

TEST_CASE("what looks like a secret and is NCCL's stays legible", "[hostile]") {
  for (const std::string line :
       {"comm 0x000055d0f1a2b3c4 rank 11 nranks 16 commId 0x6782fe585c992cf7 - Init START",
        "commHash 0x6782fe585c992cf7", "sendbuff 0x00007fc754200000 count 65536 datatype 7 op 0 root 0",
        "opCount 1a2b root 0 NCCL 2.28.9+cuda12.9",
        "failed to extend to 9637892 bytes, error: No space left on device (28)", "auth: failed", "token: expected",
        "password: missing", "Timeout(ms)=1800000 ran for 1800042 milliseconds", "exit code 137, signal 9"}) {
    Report report = ncclwhy::testing::FailureReport();
    report.causes[0].evidence[0].text = line;
    CHECK(Redact(report, Language::kEnglish).causes[0].evidence[0].text == line);
  }
}

TEST_CASE("no secret of any kind is left in any format of a redacted report", "[hostile]") {
  REQUIRE(std::size(kKinds) >= 150);
  Tally tally("redact");
  const char* asked = std::getenv("NCCLWHY_SEED");
  const unsigned seed = asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : std::random_device()();
  Maker maker(seed), decimal(seed);
  decimal.OnlyDecimal();
  const Report plain = ncclwhy::testing::SeveralJobsReport();
  size_t shown = 0;
  for (const Kind& kind : kKinds) {
    for (int round = 0; round < 4; ++round) {
      std::vector<std::string> secrets;
      const std::string line = (round == 3 ? decimal : maker).Make(kind.text, &secrets);
      REQUIRE(!secrets.empty());
      // The checker sees what is there to be seen.
      if (round == 0) {
        const std::string bare = RenderReport(Everywhere(line), "text", {Language::kEnglish, 100000, false}).take();
        shown += bare.find(secrets[0]) != std::string::npos ? 1 : 0;
      }
      const Report report =
          Redact(Everywhere(round == 0 ? line : "gpu-a17:1:1 [0] x.cc:1 NCCL WARN " + line), Language::kEnglish);
      for (const std::string& format : FormatNames()) {
        ReportFormat options;
        options.width = 100000;
        const std::string text = RenderReport(report, format, options).take();
        const std::string without = RenderReport(plain, format, options).take();
        for (const std::string& secret : secrets) {
          bool gone = text.find(secret) == std::string::npos;
          for (const std::string& piece : Pieces(secret)) {
            gone = gone && (!Stands(text, piece) || without.find(piece) != std::string::npos);
          }
          tally.Try(gone, std::string(kind.name) + " in " + format + ", seed " + std::to_string(seed) + ": " + line +
                              " became " + report.consequences.back().text);
        }
      }
    }
  }
  CHECK(shown * 10 > std::size(kKinds) * 9);
  std::printf("redact: %zu kinds\n", std::size(kKinds));
  CHECK(tally.failed() == 0);
}

}  // namespace
}  // namespace ncclwhy::hostile
