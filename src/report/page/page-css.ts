import { chartCss } from '../overlay/chart-css.ts'
import { paletteCss } from '../palette.ts'

/** The style of a page: quiet type, both colour schemes, small screens and paper. */
export const pageCss = `${paletteCss(':root')}
${chartCss}
:root{color-scheme:light dark}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
main,header,footer{max-width:72rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:3.5rem}
header p{margin:.25rem 0;color:var(--muted)}
h1{margin:0;font-size:2rem;line-height:1.2;font-weight:650;letter-spacing:-.015em;overflow-wrap:anywhere}
h2{margin:0 0 1rem;font-size:1.25rem;font-weight:650;letter-spacing:-.005em}
h3{margin:1.75rem 0 .5rem;font-size:1rem;font-weight:650}
.pair h3{margin:0 0 .5rem;font-size:.9375rem;font-weight:600}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:1rem 0 0;padding:0;list-style:none;font-size:.875rem}
a{color:var(--link)}
nav a{text-decoration:none}nav a:hover{text-decoration:underline}
section{padding:2.25rem 0 0}
p{max-width:44rem;margin:.5rem 0}
.kicker{font-size:.8125rem;letter-spacing:.04em}
.about{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;align-items:center}
.about>*{overflow-wrap:anywhere}
header .summary{max-width:50rem;margin:1rem 0 0;color:var(--ink);font-size:1.0625rem;overflow-wrap:anywhere}
.badge{display:inline-block;padding:0 .55em;border:1px solid currentColor;border-radius:1em;font-size:.8125rem;line-height:1.5;white-space:nowrap;color:var(--muted)}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--ink);background:var(--mark);border-color:transparent}
.notice{max-width:none;margin:1.5rem 0 0;padding:.75rem 1rem;border-radius:.5rem;background:var(--mark)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(10.5rem,1fr));gap:.75rem;margin:0}
.tiles>div{padding:.9rem 1rem;border-radius:.5rem;background:var(--panel);min-width:0}
.tiles>div:first-child{box-shadow:inset 3px 0 0 var(--c1)}
dt{color:var(--muted);font-size:.875rem}
dd{margin:.1rem 0 0;font-size:1.375rem;line-height:1.3;font-weight:600;overflow-wrap:anywhere}
dd .words{font-size:1.0625rem}
dd small{display:block;margin-top:.15rem;font-size:.8125rem;font-weight:400;color:var(--muted)}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:0 2.5rem}
.entries{font-size:.875rem;color:var(--muted);overflow-wrap:anywhere}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1.5rem 2rem}
figure{margin:0;min-width:0}
figure>svg{display:block;overflow:visible;width:100%;height:auto}
figcaption{margin-top:.35rem;font-size:.875rem;color:var(--muted)}
.scroll{overflow-x:auto;margin:0 0 1.5rem;background:linear-gradient(to right,var(--paper) 40%,transparent) 0 0/2.5rem 100% no-repeat local,linear-gradient(to left,var(--paper) 40%,transparent) 100% 0/2.5rem 100% no-repeat local,linear-gradient(to right,var(--shade),transparent) 0 0/.8rem 100% no-repeat,linear-gradient(to left,var(--shade),transparent) 100% 0/.8rem 100% no-repeat}
.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;font-size:.9375rem}
.scroll table{width:100%;font-size:.875rem}
caption{padding:0 0 .5rem;text-align:left;font-size:.875rem;color:var(--muted)}
th,td{padding:.45rem .9rem .45rem 0;text-align:left;vertical-align:baseline;border-bottom:1px solid var(--rule)}
th:last-child,td:last-child{padding-right:0}
thead th{font-size:.8125rem;font-weight:600;color:var(--muted);border-bottom-color:var(--muted);vertical-align:bottom;line-height:1.3}
tbody th{font-weight:500}
.scroll th,.scroll td{padding-right:.7rem}
.scroll tbody th{min-width:5rem}
.badge{white-space:nowrap}
.num{text-align:right;white-space:nowrap}
.chart .num{white-space:normal}
.chart table{font-size:.8125rem}
td svg,th svg{vertical-align:middle}
.group{display:inline-flex;gap:.5rem;align-items:center}
.group svg{flex:none}
.point{font-size:.8125rem;color:var(--muted)}
.none{color:var(--muted)}
.cards{columns:3 18rem;column-gap:2.5rem}
.cards table{break-inside:avoid;margin-bottom:1.75rem}
.facts{width:100%}
.facts caption{padding-bottom:.25rem;font-size:.9375rem;font-weight:600;color:var(--ink)}
.facts th{width:45%;color:var(--muted);font-weight:400}
.facts td{overflow-wrap:anywhere}
.remark{font-size:.875rem;color:var(--muted)}
ul{margin:.5rem 0;padding-left:1.25rem}
li{overflow-wrap:anywhere}
mark{padding:0 .3em;border-radius:.25em;background:var(--mark);color:inherit}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
pre{margin:.5rem 0;padding:.75rem 1rem;border-radius:.5rem;background:var(--panel);white-space:pre-wrap;overflow-wrap:anywhere}
pre code{font-size:.8125rem}
.hash{overflow-wrap:anywhere;font-size:.75rem}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--link)}
footer{margin-top:3rem;padding-top:1rem;padding-bottom:2.5rem;font-size:.8125rem;color:var(--muted)}
.verdict{max-width:none;margin:1rem 0 0;padding:.75rem 1rem;border-radius:.5rem;background:var(--panel)}
.verdict .badge{margin-right:.5rem}
.figures>figure:only-child{max-width:31rem}
.gallery{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr));gap:1rem}
.gallery>figure{padding:.75rem;border-radius:.5rem;background:var(--panel)}
.gallery figcaption{margin-top:.6rem;line-height:1.45}
.gallery strong{display:block;font-weight:600;color:var(--ink);overflow-wrap:anywhere}
.shots{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.5rem}
.shots.two{grid-template-columns:repeat(2,minmax(0,1fr))}
.shot{min-width:0;font-size:.8125rem;line-height:1.35;text-align:center;overflow-wrap:anywhere;color:var(--muted)}
.shot b{display:block;font-weight:600;color:var(--ink)}
.picture{display:block;width:100%;height:auto;margin-bottom:.3rem;border-radius:.2rem}
.squares{image-rendering:pixelated}
.missing{display:grid;place-items:center;aspect-ratio:1;margin-bottom:.3rem;border:1px dashed var(--rule);border-radius:.2rem}
.row{display:grid;grid-template-columns:repeat(auto-fill,minmax(6.2rem,1fr));gap:1rem .6rem;margin:.25rem 0 1rem}
.compared{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:0 2rem}
.row .shot{text-align:left}.row .group{display:flex;min-height:1.35rem;margin-bottom:.2rem}
.solo{max-width:12rem;margin-bottom:1.5rem}
.wide{max-width:36rem}
details>.gallery{margin-top:1rem}
[data-pictures] .picture{cursor:zoom-in}
[data-pictures] button,dialog p button{min-height:1.5rem;padding:0 .6rem;border:1px solid var(--rule);border-radius:.25rem;background:var(--paper);color:var(--link);font:inherit;font-size:.8125rem;cursor:pointer}
.gallery figcaption button{float:right}
h3 button{margin-left:.5rem}
dialog{width:min(96vw,80rem);max-height:96vh;padding:1rem 1.5rem 1.5rem;border:1px solid var(--rule);border-radius:.5rem;background:var(--paper);color:var(--ink)}
dialog::backdrop{background:rgb(0 0 0/.6)}
dialog p{display:flex;gap:.5rem;max-width:none;margin:0 0 .75rem}
dialog p button:last-child{margin-left:auto}
dialog [data-pictures] button{display:none}
dialog .picture{cursor:auto;max-height:70vh;object-fit:contain}
dialog .shots{gap:1rem}
dialog .row{grid-template-columns:repeat(auto-fill,minmax(min(100%,14rem),1fr))}
dialog figcaption{margin-top:1rem}
dialog strong{display:block}
.reason{display:block;white-space:normal;min-width:14rem;overflow-wrap:anywhere}
@media (max-width:40rem){.scroll td,.scroll .group{white-space:nowrap}.scroll thead th:first-child,.scroll tbody th{position:sticky;left:0;background:var(--paper)}dialog .shots{grid-template-columns:1fr}dialog .picture{max-height:none}main,header,footer{padding-left:1rem;padding-right:1rem}header{padding-top:2rem}h1{font-size:1.5rem}.tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:.5rem}dd{font-size:1.125rem}.tiles>div:first-child{grid-column:1/-1}}
@media print{nav{display:none}@page{margin:16mm}html{font-size:75%}main,header,footer{max-width:none;padding-left:0;padding-right:0}header{padding-top:0}.scroll{overflow:visible;background:none}.scroll th,.scroll td,.scroll .num,.scroll tbody th,.group,.point{white-space:normal}.scroll td,.scroll tbody th{overflow-wrap:anywhere}.scroll td.num{overflow-wrap:normal}th,td{padding-right:.5rem}tr,figure,.tiles>div,pre{break-inside:avoid}h2,h3,caption{break-after:avoid}.figures{grid-template-columns:1fr 1fr;gap:1rem}.tiles>div,pre{border:1px solid var(--rule)}details:not([open]){display:none}}
@media print{.methods table,.methods thead th{font-size:.6875rem}.methods .scroll td,.methods .scroll tbody th,.methods .group{overflow-wrap:normal;white-space:nowrap}.methods th,.methods td{padding-right:.35rem}.gallery{grid-template-columns:repeat(3,1fr)}.gallery>figure{border:1px solid var(--rule)}.picture{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`
