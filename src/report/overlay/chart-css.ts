/** The style of charts that can be read and zoomed; colours are those of the palette. */
export const chartCss = `.chart,.plot{position:relative}
.drawing{touch-action:pan-y;cursor:crosshair}
.drawing:focus-visible{outline:2px solid var(--link);outline-offset:4px;border-radius:.25rem}
.drawing>svg{display:block;overflow:visible;width:100%;height:auto;user-select:none}
.marks *{vector-effect:non-scaling-stroke}
.zoomed .marks{overflow:hidden}
.zoomed .marks [data-mark=text]{display:none}
.cursor{pointer-events:none}
.cursor path{fill:none;stroke:var(--muted)}
.cursor .dragged{stroke:none;fill:var(--c1);fill-opacity:.15}
.cursor circle{stroke:var(--paper)}
.readout{position:absolute;z-index:1;top:1.9rem;left:.25rem;max-width:95%;padding:.3rem .5rem;border:1px solid var(--rule);border-radius:.375rem;background:var(--paper);color:var(--ink);font-size:.75rem;line-height:1.5;pointer-events:none;opacity:.94}
.readout.right{left:auto;right:.25rem}
.readout div{display:flex;gap:.5em;align-items:center;color:var(--muted);white-space:nowrap;overflow:hidden}
.readout i{flex:none;width:.9em;height:.25em;border-radius:.1em}
.readout b{margin-left:auto;padding-left:.5em;font-weight:600;color:var(--ink);white-space:nowrap}
.tools{position:absolute;z-index:2;top:0;right:0;display:none;gap:.25rem}
.plot:hover .tools,.plot:focus-within .tools,.zoomed .tools{display:flex}
.tools button{min-height:1.5rem;padding:0 .5rem;border:1px solid var(--rule);border-radius:.25rem;background:var(--paper);color:var(--muted);font:inherit;font-size:.75rem;cursor:pointer}
.tools button:hover{color:var(--ink)}
@media print{.readout,.tools{display:none!important}}`
