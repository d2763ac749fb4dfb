/** The style of what only reports on attacks have: pictures and verdicts. */
export const attackCss = `.verdict{max-width:none;margin:1rem 0 0;padding:.75rem 1rem;border-radius:.5rem;background:var(--panel)}
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
.row .shot{text-align:left}.row .group{display:flex;min-height:1.35rem;margin-bottom:.2rem}
.methods thead th{white-space:normal;vertical-align:bottom;line-height:1.3}
.command{white-space:pre-wrap;overflow-wrap:anywhere}
.solo{max-width:12rem;margin-bottom:1.5rem}
.wide{max-width:36rem}
details>.gallery{margin-top:1rem}
.reason{display:block;white-space:normal;min-width:14rem;overflow-wrap:anywhere}
@media print{.methods table,.methods thead th{font-size:.6875rem}.methods .scroll td,.methods .scroll tbody th,.methods .group{overflow-wrap:normal;white-space:nowrap}.methods th,.methods td{padding-right:.35rem}.gallery{grid-template-columns:repeat(3,1fr)}.gallery>figure{border:1px solid var(--rule)}.picture{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`
