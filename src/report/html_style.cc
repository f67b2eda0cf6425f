#include "report/html_parts.h"

namespace ncclwhy {

std::string_view HtmlStyle() {
  return R"css(
:root{--bg:#fff;--fg:#1b1f24;--dim:#5c6670;--line:#d5dae0;--box:#f5f7f9;--bad:#c62828;--ok:#2e7d32;--warn:#b26a00;--bar:#90a4ae;--link:#0b57d0;--hit:#ffe0b2}
@media(prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e4e7ea;--dim:#9aa4ae;--line:#363c44;--box:#1e2329;--bad:#ff6b6b;--ok:#66bb6a;--warn:#ffb74d;--bar:#546e7a;--link:#8ab4f8;--hit:#5d4037}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1200px;padding:16px 24px;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:24px 0 8px;border-bottom:1px solid var(--line)}
p{margin:4px 0}pre,code{font:13px/1.45 ui-monospace,monospace}
pre{background:var(--box);border:1px solid var(--line);border-radius:4px;padding:6px 10px;margin:4px 0;white-space:pre-wrap;overflow-wrap:anywhere}
.verdict{display:inline-block;border-radius:4px;padding:0 8px;color:#fff;font-weight:600}
.failure{background:#b71c1c}.healthy{background:#2e7d32}.undetermined,.degraded,.no-nccl{background:#8a5200}
.strip{list-style:none;display:flex;flex-wrap:wrap;gap:6px;padding:0;margin:8px 0}.strip li{flex:1 1 180px;margin:0;padding:6px 10px;border:1px solid var(--line);border-top:3px solid var(--bar);border-radius:4px;background:var(--box);font-size:13px}
.strip .root{border-top-color:var(--bad)}
.dim{color:var(--dim)}.where{font-weight:600}.top .where{font-size:17px;color:var(--bad)}
.role{color:var(--dim);border:1px solid var(--line);border-radius:9px;padding:0 8px;font-size:13px}
a{color:var(--link)}summary{cursor:pointer;color:var(--dim)}li:target{outline:2px solid var(--link);outline-offset:4px}
.near .n{color:var(--dim);user-select:none}mark{background:var(--hit);color:inherit}
.top{border:1px solid var(--line);border-left:6px solid var(--warn);border-radius:4px;padding:12px 16px}
.top.failure-box{border-left-color:var(--bad)}.top.healthy-box{border-left-color:var(--ok)}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:3px 8px;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
ul,ol{margin:4px 0;padding-left:24px}li{margin:4px 0}
.scroll{overflow-x:auto}input{width:100%;padding:6px 10px;font:inherit;color:inherit;background:var(--box);border:1px solid var(--line);border-radius:4px}
svg text{font:12px ui-monospace,monospace;fill:var(--fg)}svg .head{fill:var(--dim)}
.legend span{white-space:nowrap;margin-right:14px}.legend svg{vertical-align:middle}.strip time{font-weight:600}
.bar,.log{fill:var(--bar)}.wait{fill:var(--warn);opacity:.45}.bad{fill:var(--bad)}.none{fill:none;stroke:var(--dim);stroke-dasharray:4 3}.grid{stroke:var(--line)}svg text.mark{fill:var(--bad);font-weight:700}
.t0{fill:#4caf50}.t1{fill:#1e88e5}.t2{fill:#fb8c00}.t3{fill:#8e24aa}.t4{fill:#00897b}.t5{fill:#6d4c41}.t6{fill:#c0ca33}.t7{fill:#546e7a}.mix{stroke:var(--fg);stroke-width:2}
button{font:13px system-ui,sans-serif;color:inherit;background:var(--box);border:1px solid var(--line);border-radius:4px;padding:2px 10px;cursor:pointer}.zoom{float:right}
@media(max-width:600px){body{padding:8px 10px}h1{font-size:19px}}
[hidden]{display:none}
)css";
}

std::string_view HtmlScript() {
  return R"js(
(function () {
  var input = document.getElementById('q');
  if (!input) return;
  var none = document.getElementById('none');
  var items = Array.prototype.slice.call(document.querySelectorAll('[data-item]'));
  var texts = items.map(function (item) { return item.textContent.toLowerCase(); });
  input.addEventListener('input', function () {
    var wanted = input.value.toLowerCase();
    var shown = 0;
    var opened = document.querySelectorAll('details[data-opened]');
    if (wanted === '') opened.forEach(function (box) { box.open = false; box.removeAttribute('data-opened'); });
    items.forEach(function (item, i) {
      var gone = wanted !== '' && texts[i].indexOf(wanted) < 0;
      item.toggleAttribute('hidden', gone);  // SVG elements have no property of that name
      if (!gone) {
        shown += 1;
        var box = item.closest('details');
        if (box && wanted !== '' && !box.open) {
          box.open = true;
          box.setAttribute('data-opened', '');
        }
      }
    });
    none.hidden = shown > 0;
  });
  document.querySelectorAll('[data-copy]').forEach(function (button) {
    button.addEventListener('click', function () {
      var box = document.createElement('textarea');
      box.value = button.getAttribute('data-copy');
      document.body.appendChild(box);
      box.select();
      var done = document.execCommand('copy');
      box.remove();
      if (done) button.classList.add('healthy');
    });
  });
  document.querySelectorAll('.scroll').forEach(function (frame) {
    var picture = frame.querySelector('svg');
    if (!picture) return;
    var width = +picture.getAttribute('width'), height = +picture.getAttribute('height'), zoom = 1;
    var buttons = document.createElement('span');
    buttons.className = 'zoom';
    [['+', 1.5], ['\u2212', 1 / 1.5]].forEach(function (kind) {
      var button = document.createElement('button');
      button.type = 'button';
      button.textContent = kind[0];
      button.setAttribute('aria-label', 'zoom ' + kind[0]);
      button.addEventListener('click', function () {
        zoom = Math.min(8, Math.max(0.3, zoom * kind[1]));
        picture.setAttribute('width', width * zoom);
        picture.setAttribute('height', height * zoom);
      });
      buttons.appendChild(button);
    });
    frame.parentNode.insertBefore(buttons, frame);
  });
  function reveal() {  // the lines around what a link points at
    var item = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    var box = item && item.querySelector('details');
    if (box) box.open = true;
  }
  window.addEventListener('hashchange', reveal);
  reveal();
})();
)js";
}

}  // namespace ncclwhy
