/** The look of pictures, light and dark. Colours of state come with a shape, and words in the legend. */
export const svgStyle = `
svg{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
--page:#fff;--ink:#1f2328;--soft:#57606a;--line:#8c959f;--quiet:#eef1f4;
--router:#ddf4ff;--router-edge:#0969da;--host:#f6f8fa;--host-edge:#6e7781;--bridge:#fbefff;--bridge-edge:#8250df;
--other:#fff8c5;--other-edge:#9a6700;--up:#1a7f37;--down:#cf222e;--unknown:#6e7781;--late:#9a6700}
@media(prefers-color-scheme:dark){svg{--page:#0d1117;--ink:#e6edf3;--soft:#9198a1;--line:#6e7681;--quiet:#21262d;
--router:#0c2d4f;--router-edge:#4493f8;--host:#161b22;--host-edge:#8b949e;--bridge:#271a45;--bridge-edge:#ab7df8;
--other:#332a0b;--other-edge:#d29922;--up:#3fb950;--down:#f85149;--unknown:#8b949e;--late:#d29922}}
.page{fill:var(--page)}
.link{fill:none;stroke:var(--line);stroke-width:1.5;stroke-linejoin:round}
.link.fault{stroke:var(--down);stroke-width:2.5;stroke-dasharray:6 4}
.net rect{fill:var(--quiet);stroke:var(--line)}
.net.fault rect{stroke:var(--down);stroke-dasharray:6 4}
.net text,.end{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:9.5px}
.net text{fill:var(--soft);text-anchor:middle}
.end{fill:var(--soft);text-anchor:middle;paint-order:stroke;stroke:var(--page);stroke-width:3px;stroke-linejoin:round}
.end .if{fill:var(--ink)}
.node .shape{stroke-width:1.5}
.node .name{font-size:13px;font-weight:600;fill:var(--ink);text-anchor:middle}
.node .device{font-size:10.5px;fill:var(--soft);text-anchor:middle}
.router .shape{fill:var(--router);stroke:var(--router-edge)}
.host .shape{fill:var(--host);stroke:var(--host-edge)}
.bridge .shape{fill:var(--bridge);stroke:var(--bridge-edge)}
.other .shape{fill:var(--other);stroke:var(--other-edge)}
.up .shape{stroke:var(--up);stroke-width:2}
.late .shape{stroke:var(--late);stroke-width:2;stroke-dasharray:8 2}
.down .shape{stroke:var(--down);stroke-width:2;stroke-dasharray:5 3}
.unknown .shape{stroke:var(--unknown);stroke-dasharray:2 3}
.fault .name{text-decoration:line-through}
.mark{stroke:var(--page);stroke-width:2}
.mark.up{fill:var(--up)}
.mark.down{fill:var(--down)}
.mark.late{fill:var(--page);stroke:var(--late)}
.mark.unknown{fill:var(--page);stroke:var(--unknown);stroke-width:1.5}
.sign{fill:none;stroke:var(--page);stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.sign.late{stroke:var(--late)}
.sign.unknown{stroke:var(--unknown)}
.legend{font-size:11px;fill:var(--soft)}
`;
