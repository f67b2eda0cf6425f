#include "hostile/payloads.h"

namespace ncclwhy::hostile {

std::vector<Payload> Payloads() {
  std::vector<Payload> out = {
      {"colour and title", "\x1b[31;1mred\x1b[0m\x1b]0;title\x07\x1b[2J\x1b[1A"},
      {"C1 controls",
       "\xc2\x9b"
       "31m\xc2\x9d"
       "0;x\xc2\x9c"},
      {"backspaces", "failed\b\b\b\b\b\bworked\r ok"},
      {"bidi override", "\xe2\x80\xaegpj.exe\xe2\x80\xac \xe2\x81\xa6x\xe2\x81\xa9"},
      {"zero width", "NC\xe2\x80\x8b\xe2\x80\x8d\xef\xbb\xbfL \xc2\xad\xe1\xa0\x8e"},
      {"tags and private use", "\xf3\xa0\x81\x81\xf3\xa0\x80\xa0 \xee\x80\x80"},
      {"invalid UTF-8", "\xff\xfe\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80"},
      {"script", "<script>alert(1)</script><img src=x onerror=alert(1)>"},
      {"attribute", "\" onmouseover=\"alert(1)\" x='y' `z`"},
      {"closing everything", "--></style></pre></code></td>]]><!-- <![CDATA["},
      {"XML", "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]>&b;&#0;"},
      {"Markdown", "[x](javascript:alert(1)) ![y](http://evil/z.png) **b** <a href=//evil>c</a> @someone #1 |d|"},
      {"code fence", "``` ```` ~~~ `x` <img src=x>"},
      {"workflow command", "::set-env name=PATH::/evil ::error file=x::y ::stop-commands::z"},
      {"pipeline command", "##[group]x ##vso[task.setvariable variable=a]b"},
      {"commands on lines",
       "x\n::error file=a::b\n  ::add-mask::c\n##vso[task.x]y\n##teamcity[message text='a']\n##section[a]"},
      {"command in a long word", std::string(92, 'a') + "::error file=a::b"},
      {"references", "GH-123 a/b#1 !5 $6 %7 ~bug &8 PROJ-9 @someone"},
      {"invisible by property",
       "a\xef\xb8\x8f"
       "b\xf0\x9b\xb2\xa0"
       "c\xf0\x93\x90\xb0"
       "d\xf0\x91\x82\xbd"
       "e\xf3\xa0\x84\x80"},
      {"properties", "a,file=/etc/passwd,line=1::b%0A::error::c"},
      {"CSV", "=cmd|' /C calc'!A0,+1,-1,@SUM(1)"},
      {"SQL", "'; DROP TABLE _event; -- \" OR 1=1"},
      {"shell", "$(touch /tmp/x) `id` ; rm -rf / & | > < \\ ' \" ${HOME}"},
      {"format string", "%s%s%n%x%99999d {} {0} {rank} {host|x} [[ {x} ]]"},
      {"JSON", "\",\"verdict\":\"healthy\",\"x\":{\"a\":[1]} \\u0000 \\"},
      {"template", "{{7*7}} ${7*7} #{7*7} <%= 7*7 %>"},
      {"number", "99999999999999999999999999999999 -1 1e999 nan 0x" + std::string(100, 'f')},
      {"long", std::string(60000, 'A')},
      // What browsers are fooled by.
      {"tag without end", "<img src=x onerror=stolen=1 a="},
      {"slashes in a tag", "<svg/onload=stolen=2><math><mtext><script>stolen=3</script>"},
      {"inside other tags",
       "</title></textarea></style></noscript></template></select></svg></summary></details><script>stolen=4</script>"},
      {"character references", "&lt;script&gt;stolen=5&lt;/script&gt; &#60;img src=x onerror=stolen=6&#62; &amp;lt;"},
      {"half a reference", "&lt &#x3c;script &#0; &#xD800; &NotEqualTilde; &amp"},
      {"scheme", "javascript:stolen=7 JaVa\tScript:stolen=8 data:text/html,<script>stolen=9</script> vbscript:x"},
      {"attribute with a quote of its own", "' autofocus onfocus='stolen=10' x='\" autofocus onfocus=\"stolen=11"},
      {"attribute by a backtick", "`onmouseover=stolen=12 x=`"},
      {"style", "color:red;background:url(http://192.0.2.1/x);} body{display:none} @import 'http://192.0.2.1/y';"},
      {"frame and base", "<base href=http://192.0.2.1/><iframe srcdoc='<script>parent.stolen=13</script>'></iframe>"},
      {"form and meta",
       "<form action=http://192.0.2.1/><input type=submit autofocus><meta http-equiv=refresh content=0>"},
      {"clobbering", "<a id=q name=q></a><img name=querySelectorAll><form id=none><input name=hidden>"},
      {"template of a script", "${stolen=14} {{constructor.constructor('stolen=15')()}} \\u003cscript\\u003e"},
      {"end of a script", "</script><script>stolen=16</script><!--<script>"},
      {"comment", "--!><script>stolen=17</script><!-- --> <![CDATA[<script>stolen=18</script>]]> <?php stolen ?>"},
      {"other encodings", "+ADw-script+AD4-stolen=19+ADw-/script+AD4- \xc0\xbcscript\xc0\xbe \x1b$B<script>\x1b(B"},
      {"line ends of JavaScript", "a\xe2\x80\xa8stolen=20\xe2\x80\xa9stolen=21"},
      {"drawing", "</text></g></svg><image href=http://192.0.2.1/z /><use href=#e0 /><animate onbegin=stolen=22>"},
      {"combining marks", "z" + std::string()},
  };
  for (int i = 0; i < 500; ++i) out.back().text += "\xcc\x81";
  return out;
}

}  // namespace ncclwhy::hostile
