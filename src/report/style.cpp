#include "style.h"

namespace gridcast::report {
namespace {

constexpr std::string_view sheet = R"css(
:root{color-scheme:light dark;--bg:#f6f7f8;--fg:#1b2026;--mute:#5c6670;--line:#d8dde2;--card:#fff;
--link:#0a5aa8;--head:#eaeef2;--prod:#e3f0f8;--lost:#fcebdc;--good:#0072b2;--mid:#e69f00;--poor:#d55e00;
--track:#dfe4e9;--warn:#fff4d6;--edge:#818b95;--dots:#0072b299}
@media (prefers-color-scheme:dark){:root{--bg:#121518;--fg:#e3e7eb;--mute:#98a3ae;--line:#323a42;
--card:#1b2025;--link:#7cbcf7;--head:#262d34;--prod:#15303f;--lost:#3d2918;--good:#4aa8dd;--mid:#e6a91e;
--poor:#ef7a2e;--track:#333c45;--warn:#3a3012;--edge:#76828d;--dots:#4aa8dd99}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:.5rem}
body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,
"Helvetica Neue",Arial,sans-serif}
main{max-width:70rem;margin:0 auto;padding:1rem 1.25rem 3rem}
h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0 .25rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;line-height:1.3;margin:0;overflow-wrap:anywhere}
h3{font-size:.95rem;margin:1.1rem 0 .4rem}
p{margin:.5rem 0;overflow-wrap:anywhere}
a{color:var(--link);text-decoration:none}
a:hover,a:focus{text-decoration:underline}
.mute{color:var(--mute)}
.num,td,.tr>.v{font-variant-numeric:tabular-nums}
.num{white-space:nowrap}
.sub{color:var(--mute);margin:0 0 1rem;overflow-wrap:anywhere}
.box,.iv{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem 1.15rem;margin:0 0 1rem}
.iv:target{border-color:var(--link);box-shadow:0 0 0 1px var(--link)}
.warn{background:var(--warn)}
.warn ul{margin:.3rem 0 0;padding-left:1.2rem}
.warn li,.why{overflow-wrap:anywhere}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.6rem;margin:0 0 1rem;padding:0}
.cards div{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.6rem .8rem;min-width:0}
.cards dt{color:var(--mute);font-size:.8rem}
.cards dd{margin:0;font-size:1.2rem;font-weight:600;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.cards dd small{display:block;font-size:.8rem;font-weight:400;color:var(--mute)}
.facts{display:grid;grid-template-columns:10.5rem minmax(0,1fr);gap:.3rem 1rem;margin:.3rem 0;align-items:baseline}
.facts dt{color:var(--mute)}
.copy{font-size:.8rem;padding:.05rem .5rem}
.facts dd{margin:0;grid-column:2;overflow-wrap:anywhere}
#decision>.facts:first-child>dd:nth-of-type(1) b{display:block;font-size:2.4rem;line-height:1.1;font-variant-numeric:tabular-nums}
code{font-size:.85rem}
#good-enough tbody th{white-space:nowrap}
.fold>summary::before{content:"▸ ";color:var(--mute)}
.fold[open]>summary::before{content:"▾ "}
.fold>summary h2{display:inline}
section>.fold>summary{color:var(--link);font-size:.9rem;margin-top:.6rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{padding:.28rem .5rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:baseline}
th:first-child,td.l,th.l,td.g:first-child{text-align:left}
td{white-space:nowrap}
thead th{background:var(--head);font-weight:600;vertical-align:bottom}
tbody th{font-weight:400}
td.z{color:var(--mute)}
td.l{white-space:normal;overflow-wrap:anywhere}
tr.g>*{font-weight:600}
tr.p>*{background:var(--prod)}
tr.x>*{background:var(--lost)}
th.i1{padding-left:1.5rem}th.i2{padding-left:2.5rem}
td.sh{color:var(--mute)}
.two{display:grid;grid-template-columns:minmax(0,5fr) minmax(0,6fr);gap:0 1.5rem;align-items:start}
.eb{position:relative;display:inline-block;height:.6rem;width:100%;min-width:2.5rem;background:var(--track);border-radius:3px;overflow:hidden;
vertical-align:baseline;-webkit-print-color-adjust:exact;print-color-adjust:exact}
.eb i{display:block;height:100%;background:var(--good)}
.eb u{position:absolute;top:40%;height:20%;background:var(--fg)}
.eb i.mid{background:var(--mid)}.eb i.poor{background:var(--poor)}
.stack{display:flex;height:1.9rem;border-radius:5px;overflow:hidden;background:var(--track);margin:.7rem 0 .5rem;gap:1px}
.stack i{flex:1 1 0;min-width:2px;font:600 .8rem/1.9rem system-ui,sans-serif;text-align:center;overflow:hidden}
.stack,.stack i,.key,thead th,tr.p>*,tr.x>*,.warn{-webkit-print-color-adjust:exact;print-color-adjust:exact}
.legend{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:.15rem 1rem;list-style:none;margin:0;
padding:0;font-size:.88rem}
.key{display:inline-block;min-width:1.45rem;padding:0 .2rem;border-radius:4px;text-align:center;font-size:.75rem;
line-height:1.25rem}
.c1{background:#0072b2;color:#fff}.c2{background:#56b4e9;color:#000}.c3{background:#009e73;color:#000}
.c4{background:#f0e442;color:#000}.c5{background:#7f4a12;color:#fff}.c6{background:#c84f00;color:#fff}
.c7{background:#f0a91a;color:#000}.c9{background:#cc79a7;color:#000}.c10{background:#6a2c91;color:#fff}
.c8{background:#f0a91a repeating-linear-gradient(45deg,#0000 0 4px,#0003 4px 6px);color:#000}
.c11{background:#8d959d repeating-linear-gradient(45deg,#0000 0 4px,#0003 4px 6px);color:#000}
.open{background:#c9b0dd repeating-linear-gradient(45deg,#0000 0 4px,#6a2c91 4px 7px);color:#000}
.out{background:#8888}.cond{background:radial-gradient(#888 1.2px,#0000 1.6px) 0 0/6px 6px}
.ice{position:relative;height:1.75rem;margin-bottom:1px}
.ice>*{position:absolute;top:0;bottom:0;overflow:hidden;white-space:nowrap;text-overflow:ellipsis;padding:0 .3rem;
font-size:.78rem;line-height:1.75rem;border-right:1px solid var(--card)}
.e1{background:#cfe6f5}.e2{background:#fae3ad}.e3{background:#f5c5a3}
.ice>*,.key.e1,.key.e2,.key.e3{color:#111;-webkit-print-color-adjust:exact;print-color-adjust:exact}
.losses td:first-child{white-space:nowrap}
.losses td.l+td.l{min-width:12rem}
#placement-map{margin-top:.8rem}
.d0{background:#0072b2}.d1{background:#56b4e9}.d2{background:#009e73}.d3{background:#c84f00}.d4{background:#f0a91a}
.d5{background:#cc79a7}.d6{background:#8d959d}
.nav{display:flex;flex-wrap:wrap;gap:.35rem;font-size:.85rem;margin:.5rem 0 .6rem}
.nav a,.nav span{padding:.2rem .6rem;border:1px solid var(--line);border-radius:6px}
.nav span{color:var(--mute)}
.path{font-size:.82rem;color:var(--mute);overflow-wrap:anywhere}
.meta{display:flex;flex-wrap:wrap;gap:.1rem 1.3rem;margin:.4rem 0;font-size:.9rem}
.meta div{display:flex;gap:.35rem;min-width:0}
.meta dt{color:var(--mute)}
.meta dd{margin:0;font-weight:600;overflow-wrap:anywhere;min-width:0}
.tree{font-size:.92rem}
.tr{display:grid;grid-template-columns:1rem minmax(0,1fr) 6rem 3.6rem 6rem 6.6rem;gap:0 .6rem;align-items:center;
padding:.22rem .3rem;border-bottom:1px solid var(--line)}
.tr .n{overflow-wrap:anywhere}
.tr>.v{text-align:right;white-space:nowrap}
.tr.th{background:var(--head);font-weight:600;font-size:.85rem;align-items:end}
.tr.th>*{white-space:normal}
summary{list-style:none;cursor:pointer}
summary::-webkit-details-marker{display:none}
.tr::before{content:""}
.node{position:relative}
.node>details>summary{position:absolute;left:0;top:.1rem;width:1.4rem;padding-left:.3rem;color:var(--mute)}
.node>details>summary::before{content:"▸"}
.node>details[open]>summary::before{content:"▾"}
.kids{padding-left:.95rem}
.pp>summary{color:var(--link);margin-top:.8rem;font-size:.9rem}
.charts{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:1rem;margin:0 0 1rem}
.charts .box{margin:0}
figure{margin:0}
figure .mute{font-size:.85rem;margin:.3rem 0 0}
figcaption{font-weight:600;font-size:.95rem;margin-bottom:.3rem}
canvas{display:block;max-width:100%;height:auto;margin:auto}
svg{display:block;width:100%;height:auto;-webkit-print-color-adjust:exact;print-color-adjust:exact}
svg text{fill:var(--fg);font:12px system-ui,sans-serif;font-variant-numeric:tabular-nums}
svg .tick{fill:var(--mute)}
svg .grid{stroke:var(--line);stroke-width:1}
svg .curve{fill:none;stroke:var(--good);stroke-width:1.6;stroke-linejoin:round}
svg .dot{fill:var(--good);fill-opacity:.75}
svg .bar{fill:var(--good)}svg .bar.chosen{fill:var(--poor)}svg .bar.mark{stroke:var(--fg);stroke-width:2}
svg .band{fill:var(--good);fill-opacity:.18}
svg .ideal{fill:none;stroke:var(--mute);stroke-width:1.3;stroke-dasharray:5 4}
svg .best{fill:none;stroke:var(--poor);stroke-width:2.5}
.tools{display:flex;flex-wrap:wrap;gap:.35rem .9rem;align-items:center;font-size:.88rem;margin:.4rem 0 .6rem}
.tools label{display:inline-flex;align-items:center;gap:.35rem}
button,input,select{font:inherit;color:var(--fg);background:var(--card);border:1px solid var(--edge);border-radius:6px}
button{padding:.2rem .6rem;color:var(--link);cursor:pointer}
button:disabled{color:var(--mute);cursor:default}
input,select{padding:.15rem .35rem}
input[type=number]{width:6.2em}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
th button{all:unset;cursor:pointer;font-weight:600}
th button:focus-visible{outline:2px solid var(--link)}
[aria-sort=ascending] button::after{content:" ▲"}[aria-sort=descending] button::after{content:" ▼"}
[role=status] a{text-decoration:underline}
#explore-note:empty,#runs-note:empty{display:none}
[role=status]{font-size:.9rem;min-height:1.4em;margin:.3rem 0}
#tip{position:absolute;z-index:9;max-width:22rem;padding:.3rem .55rem;border-radius:6px;background:var(--fg);color:var(--bg);
font-size:.82rem;pointer-events:none}
.plot{position:relative;max-width:1060px;touch-action:pan-y}
.plot canvas{position:absolute;inset:0;margin:0;max-width:none}
.plot svg{position:relative;touch-action:pan-y}
#heat{touch-action:pan-y}
.strip{position:absolute;top:0;bottom:0;width:24px;cursor:crosshair;touch-action:none}
.grip{position:absolute;left:4px;width:16px;height:8px;border:2px solid var(--good);border-radius:4px;background:var(--card);
pointer-events:none}
svg .axis text{fill:var(--mute);font:12px system-ui,sans-serif}
svg .axis line,svg .axis path{stroke:var(--line)}
svg .label{paint-order:stroke;stroke:var(--card);stroke-width:3px}
svg .mark{fill:var(--card);stroke:var(--good);stroke-width:2}
svg .chosen{fill:none;stroke:#c0399c;stroke-width:2.5}
.stack.thin{height:1.3rem;margin:.1rem 0}.stack.thin i{line-height:1.3rem}
td.bar{width:32%;min-width:9rem}
td.pair{min-width:7rem}td.pair .eb{display:block;height:.5rem;margin:.12rem 0}
.sortable td.l{min-width:6.5rem}#variants td.l{min-width:15rem}
tr:target>*{background:var(--prod)}
table.narrow{width:auto}
h2.part{font-size:1.6rem;margin:1.5rem 0 .5rem}
#over-figure{margin-top:1.2rem}#over-figure .scroll{margin-top:.6rem}
#heat-map,#parallel,#time-figure,#efficiency-figure{margin-bottom:1rem}
pre{white-space:pre-wrap;font-size:.8rem}
tr.chosen>*{background:var(--prod);font-weight:600}
.many .iv{content-visibility:auto;contain-intrinsic-size:auto 46rem}
@media (max-width:58rem){.two{grid-template-columns:minmax(0,1fr)}}
@media (max-width:44rem){
body{font-size:15px}
main{padding:.6rem .6rem 2rem}
h1{font-size:1.3rem}
.box,.iv{padding:.75rem .7rem;border-radius:8px}
.two,.charts,.facts{grid-template-columns:minmax(0,1fr)}
.facts dd{grid-column:1}.facts{gap:0 1rem}.facts dd+dt{margin-top:.4rem}
.cards{grid-template-columns:repeat(2,minmax(0,1fr));gap:.45rem}
.legend{grid-template-columns:minmax(0,1fr)}
.tr{grid-template-columns:.8rem minmax(0,1fr) 3rem 3.1rem 4.9rem;gap:0 .35rem}
.tr .w{display:none}
.kids{padding-left:.55rem}
table{font-size:.82rem}
th,td{padding:.28rem .3rem}
.ops{font-size:.75rem}
.ops th,.ops td{padding:.28rem .18rem}
.cards dd{font-size:1.05rem}
.nav a,.nav span{padding:.35rem .65rem}
}
@media screen{#line{max-width:none}}
@media print{
:root{color-scheme:light;--bg:#fff;--card:#fff;--fg:#000;--mute:#444;--line:#bbb;--link:#000;--head:#eaeef2;--prod:#e3f0f8;--lost:#fcebdc;
--track:#ddd;--warn:#fff4d6;--good:#0072b2;--mid:#e69f00;--poor:#d55e00;
--edge:#818b95;--dots:#0072b299}
html{font-size:10.5px}
body{font-size:1rem}
.two{grid-template-columns:minmax(0,5fr) minmax(0,6fr)}
.ops{font-size:.85rem}
main{max-width:none;padding:0}
.nav,.tools,.copy,#tip{display:none}
.iv,.box{break-inside:avoid;border-radius:0}
.box.tree{break-inside:auto}
.many .iv{content-visibility:visible}
details::details-content{content-visibility:visible;display:block}
.scroll{overflow:visible}
}
)css";

}  // namespace

std::string_view style_sheet() noexcept { return sheet; }

}  // namespace gridcast::report
