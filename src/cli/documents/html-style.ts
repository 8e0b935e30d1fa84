// The look of an exported page: system fonts, readable measure, contrast of at least 4.5 to 1 in both schemes.

export const pageStyle = `
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--soft:#57606a;--line:#d0d7de;--mark:#0550ae;--bad:#a40e26;--shade:#f6f8fa}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--soft:#9da7b3;--line:#30363d;--mark:#79c0ff;--bad:#ff9492;--shade:#161b22}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:56rem;padding:1.5rem 1rem 4rem;color:var(--ink);background:var(--paper);font:1rem/1.55 system-ui,sans-serif}
a{color:var(--mark)}
:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
.skip{position:absolute;left:-999rem}
.skip:focus{position:static}
h1{font-size:1.5rem;line-height:1.3;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:2.5rem 0 1rem;padding-top:.75rem;border-top:1px solid var(--line)}
h2 time,small{font-weight:normal;color:var(--soft)}
h3{font-size:.85rem;margin:0 0 .25rem;color:var(--soft)}
h4{font-size:.8rem;margin:.75rem 0 .25rem;color:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;color:var(--soft);font-size:.9rem}
dd{margin:0;overflow-wrap:anywhere}
article{margin:0 0 1rem}
article.user{border-left:.25rem solid var(--mark);padding:.5rem 0 .5rem .9rem;background:var(--shade)}
article.error .text{color:var(--bad)}
.text,pre{white-space:pre-wrap;overflow-wrap:anywhere}
pre,code{font:.85rem/1.45 ui-monospace,monospace}
pre{margin:.25rem 0;padding:.75rem;background:var(--shade);border:1px solid var(--line);max-height:30rem;overflow:auto}
details{margin:0 0 .75rem}
summary{cursor:pointer;overflow-wrap:anywhere}
.thinking,.thinking pre{color:var(--soft)}
.failed summary small{color:var(--bad)}
.compaction{border-block:1px dashed var(--soft);padding:.5rem 0;color:var(--soft);text-align:center}
@media print{details>*{display:block}pre{max-height:none}}
`
