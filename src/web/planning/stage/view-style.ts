/** The style of the 3D view: its colours follow the page's `color-scheme`. */
export const VIEW_STYLE = `
:host { position: absolute; inset: 0; display: block; overflow: hidden; color: CanvasText;
  background: radial-gradient(farthest-side at 50% 45%, light-dark(#fff, #4a525f), light-dark(#eceff3, #272d36)); }
[hidden] { display: none !important; }
canvas { display: block; width: 100%; height: 100%; outline-offset: -3px; cursor: grab; }
canvas:active { cursor: grabbing; }
canvas:focus-visible { outline: 3px solid Highlight; outline: 3px solid var(--view-accent); }
:host { --view-accent: light-dark(#1f5fbf, #8ab8ff); --view-line: light-dark(#303a48, #e6ebf2); --view-halo: light-dark(#ffffffb0, #10141ab0); }
.over { position: absolute; inset: 0; pointer-events: none; font: 500 13px/1.35 system-ui, sans-serif; }
.lines { position: absolute; inset: 0; width: 100%; height: 100%; fill: none; }
.line { stroke: var(--view-line); stroke-width: 1.25; }
.halo { stroke: var(--view-halo); stroke-width: 3.5; }
.length, .part-name { position: absolute; left: 0; top: 0; white-space: nowrap; border-radius: 999px; padding: 2px 9px;
  font-variant-numeric: tabular-nums; background: light-dark(#ffffffe6, #1b2129e6); color: light-dark(#1c2430, #f0f3f7);
  box-shadow: 0 0 0 1px light-dark(#1c243026, #ffffff30); }
.part-name { display: flex; align-items: center; gap: 8px; max-width: 80%; background: light-dark(#1f5fbf, #8ab8ff); color: light-dark(#fff, #0d1826); }
.name { overflow: hidden; text-overflow: ellipsis; padding: 2px 0; }
.order { opacity: 0.8; }
.order:empty { display: none; }
.kinds { display: flex; margin: 2px -6px 2px 0; pointer-events: auto; border-radius: 999px; background: light-dark(#123f85, #c6dcff); }
.kinds button { min-width: 44px; min-height: 32px; padding: 0 11px; border: 0; border-radius: 999px; font: inherit; color: inherit; background: none; cursor: pointer; }
.kinds button[aria-pressed=true] { background: light-dark(#fff, #0d1826); color: light-dark(#123f85, #d5e5ff); }
.kinds button:focus-visible { outline: 3px solid light-dark(#14181d, #fff); outline-offset: 1px; }
@media (pointer: coarse) { .kinds button { min-height: 40px; padding: 0 15px; } }
.part { position: absolute; left: 0; top: 0; width: 28px; height: 28px; margin: -14px 0 0 -14px; border-radius: 50%; outline: none; }
.part.by-keys { box-shadow: 0 0 0 3px var(--view-accent), 0 0 0 6px light-dark(#fff, #10141a); }
@media (forced-colors: active) {
  .line { stroke: CanvasText; } .halo { stroke: Canvas; }
  .length, .part-name { background: Canvas; color: CanvasText; border: 1px solid CanvasText; }
}
`;
