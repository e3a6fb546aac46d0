/** The style of the gallery. Texts have a contrast of at least 4.5 : 1 in both schemes. */

/** The content of `gallery.css`. Pictures have a white background, so that their frame is white in both schemes. */
export const GALLERY_STYLE = `:root {
  color-scheme: light dark;
  --page: #f5f6f7; --card: #ffffff; --ink: #15181c; --quiet: #5a636e; --line: #dfe3e8; --soft: #eef1f4;
  --link: #1b55b5; --edge: rgb(0 0 0 / .22); --warning: #a94c00; --stage: #ffffff; --on-stage: #5a636e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1013; --card: #16191e; --ink: #e9ecf0; --quiet: #9aa4b1; --line: #2a3038; --soft: #1f242b;
    --link: #8ab4ff; --edge: rgb(255 255 255 / .3); --warning: #e08a3c;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 5rem; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; font-variant-numeric: tabular-nums; }
.page { max-width: 1960px; margin: 0 auto; padding: 1.25rem 1.25rem 4rem; }
h1, h2, h3, p, ul, dl, dd { margin: 0; padding: 0; }
ul { list-style: none; }
h1 { font-size: 1.7rem; line-height: 1.2; letter-spacing: -.015em; font-weight: 680; overflow-wrap: anywhere; }
h2 { font-size: 1.4rem; line-height: 1.25; letter-spacing: -.01em; font-weight: 660; overflow-wrap: anywhere; }
h2:focus { outline: none; }
h3 { font-size: .95rem; font-weight: 640; margin: 1.25rem 0 .35rem; }
a { color: var(--link); text-underline-offset: .18em; text-decoration-thickness: 1px; }
code { font: .85em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 8px; }
[hidden] { display: none !important; }
.away, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: absolute; top: .5rem; left: .5rem; padding: .5rem 1rem; background: var(--card); z-index: 9; }
.quiet { color: var(--quiet); }
input, select, button, textarea { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
input, select { border-color: var(--quiet); padding: .5rem .7rem; min-height: 2.6rem; }
select:disabled { border-color: var(--line); color: var(--quiet); opacity: 1; }
button { cursor: pointer; padding: .4rem .9rem; min-height: 2.4rem; }
button:hover { background: var(--soft); }
button[aria-pressed="true"] { background: var(--ink); border-color: var(--ink); color: var(--card); }

header { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .25rem 1rem; }
.find { position: sticky; top: 0; z-index: 5; display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; background: var(--page); padding: .75rem 0; }
.find input { flex: 1 1 12rem; min-width: 0; max-width: 48rem; }
.find select { flex: 0 1 auto; min-width: 0; margin-left: auto; text-overflow: ellipsis; }
.find button { min-height: 2.6rem; border-color: var(--quiet); }
.layout { display: flex; gap: 1.75rem; align-items: flex-start; }
.layout main { flex: 1 1 0; min-width: 0; }
.result { display: flex; flex-wrap: wrap; gap: .25rem .9rem; align-items: baseline; min-height: 1.5rem; margin-bottom: .7rem; color: var(--quiet); font-size: .9rem; overflow-wrap: anywhere; }
.plain { border: 0; padding: 0; min-height: 0; background: none; color: var(--link); text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: .18em; }
.plain:hover { background: none; }
.filters { position: sticky; top: 4.1rem; flex: 0 0 15rem; display: grid; gap: 1.1rem; max-height: calc(100dvh - 5rem); overflow: auto; padding: 3px 3px 1rem; margin-left: -3px; }
.filters label, legend { font-size: .85rem; font-weight: 620; padding: 0; margin-bottom: .3rem; }
.filters label { display: block; }
.filters select, .filters input { width: 100%; min-width: 0; text-overflow: ellipsis; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.ends { display: flex; align-items: center; gap: .4rem; color: var(--quiet); }
.ends input { flex: 1 1 0; padding: .4rem .55rem; appearance: textfield; color: var(--ink); }
.ends input::-webkit-inner-spin-button { display: none; }
::placeholder { color: var(--quiet); opacity: 1; }
.colours { display: flex; flex-wrap: wrap; gap: .35rem; }
.colour { display: inline-flex; align-items: center; gap: .4rem; padding: .15rem .6rem .15rem .35rem; min-height: 2.1rem; border-radius: 2rem; font-size: .85rem; }
.dot { flex: none; width: 1.35rem; height: 1.35rem; border-radius: 50%; border: 1px solid var(--edge); background: #fff; object-fit: cover; }
.white { background: #fbfaf7; } .grey { background: #8e9297; } .black { background: #1c1d1f; } .beige { background: #d8c09a; }
.brown { background: #7c4f2d; } .yellow { background: #e6b91e; } .orange { background: #e07b26; } .red { background: #c0322b; }
.pink { background: #e39bb0; } .purple { background: #74468f; } .blue { background: #2b5f9e; } .green { background: #4c7a3d; }

.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(14.5rem, 1fr)); gap: .9rem; }
.cards:focus { outline: none; }
.cards li { display: flex; content-visibility: auto; contain-intrinsic-size: auto 20rem; min-width: 0; }
.card { display: flex; flex-direction: column; width: 100%; min-width: 0; background: var(--card); border: 1px solid var(--line); border-radius: 14px; overflow: hidden; color: inherit; text-decoration: none; padding-bottom: .8rem; }
.card:hover { border-color: var(--quiet); }
.card:focus-visible { outline-offset: -3px; border-radius: 14px; }
.shot { display: flex; aspect-ratio: 1; background: var(--stage); align-items: center; justify-content: center; padding: .5rem; }
.shot img { display: block; width: 100%; height: 100%; object-fit: contain; }
.missing { color: var(--on-stage); font-size: .9rem; padding: 1rem; text-align: center; }
.card > :not(.shot) { padding: 0 .9rem; overflow-wrap: anywhere; }
.card > b:not(.shot) { font-weight: 620; padding-top: .7rem; line-height: 1.3; }
.card .number, .card .finishes, .card .facts { font-size: .85rem; color: var(--quiet); }
.card > .finishes { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem; padding-top: .5rem; }
/* A point before a text separates it from the one before, and is not seen at the beginning of a line. */
.separated { display: flex; flex-wrap: wrap; gap: 0 .9rem; clip-path: inset(0); }
.separated span { position: relative; min-width: 0; max-width: 100%; }
.separated span::before { content: "·"; position: absolute; left: -.6rem; }
.card > .number:not(.shot) { margin: .1rem .9rem 0; padding: 0; }
.card .finishes .dot:last-of-type { margin-right: .25rem; }
.card > .facts:not(.shot) { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 .75rem; margin-top: auto; padding-top: .5rem; }
.card .facts span:nth-child(2) { color: var(--ink); font-weight: 560; }
.gone { margin-bottom: .7rem; }
.none { color: var(--quiet); padding: 3rem 0; text-align: center; }
.rest { text-align: center; margin-top: 1rem; min-height: 1px; }

dialog { width: min(clamp(1120px, 60vw, 1440px), calc(100vw - 2rem)); max-height: calc(100dvh - 2rem); padding: 0; border: 1px solid var(--line); border-radius: 16px; background: var(--card); color: var(--ink); overflow: auto; overscroll-behavior: contain; scroll-padding-top: 4.5rem; }
dialog::backdrop { background: rgb(0 0 0 / .55); }
.bar { position: sticky; top: 0; z-index: 2; display: flex; align-items: center; gap: .35rem; padding: .5rem .75rem; background: var(--card); border-bottom: 1px solid var(--line); }
.position { color: var(--quiet); font-size: .88rem; min-width: 5rem; text-align: center; }
.step, .close { display: inline-flex; align-items: center; justify-content: center; width: 2.6rem; height: 2.6rem; border-radius: 10px; font-size: 1.5rem; line-height: 1; text-decoration: none; color: inherit; padding: 0; border: 0; background: none; }
a.step:hover { background: var(--soft); }
.close { margin-left: auto; }
.columns { display: grid; grid-template: auto 1fr / minmax(0, 1.15fr) minmax(0, 1fr); gap: 0 1.5rem; padding: 1.25rem; align-items: start; }
.chooser { display: contents; }
.views-of { grid-area: 1 / 1 / span 2 / 1; }
.choose, .columns > .facts { grid-column: 2; }
.stage { position: relative; display: flex; align-items: center; justify-content: center; aspect-ratio: 1; background: var(--stage); border: 1px solid var(--line); border-radius: 12px; overflow: hidden; }
.stage img { display: block; width: 100%; height: 100%; object-fit: contain; }
.stage canvas { position: absolute; inset: 0; width: 100%; height: 100%; cursor: grab; touch-action: none; }
.stage canvas:active { cursor: grabbing; }
.stage canvas:focus-visible { outline-offset: -3px; border-radius: 12px; }
.views { display: flex; flex-wrap: wrap; gap: .4rem; margin-top: .6rem; align-items: center; }
.price { margin-top: .6rem; }
.price b { font-size: 1.15rem; font-weight: 660; margin-right: .6rem; }
.price span { display: inline-block; }
.choice { margin-top: 1rem; }
.note { margin-top: .5rem; font-size: .88rem; }
.choice { display: flex; flex-wrap: wrap; gap: .4rem; }
.choice select { max-width: 100%; }
.value { display: inline-flex; align-items: center; gap: .45rem; text-align: left; overflow-wrap: anywhere; }
.value[aria-pressed="true"] .dot { border-color: var(--card); }
.value.far { border-style: dashed; border-color: var(--quiet); color: var(--quiet); }
.text { white-space: pre-line; margin-top: .75rem; overflow-wrap: anywhere; }
.warning { color: var(--warning); margin-top: .4rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: .25rem .75rem; margin-top: 1.1rem; font-size: .92rem; }
dt { color: var(--quiet); }
dd { overflow-wrap: anywhere; }
.files li { display: flex; flex-wrap: wrap; gap: 0 .75rem; padding: .35rem 0; border-top: 1px solid var(--line); font-size: .92rem; }
.files li > :first-child { flex: 0 0 8.5rem; overflow-wrap: anywhere; }
.files a { flex: 1 1 6rem; overflow-wrap: anywhere; }
textarea { width: 100%; margin-top: .4rem; padding: .6rem .7rem; background: var(--soft); font: .8rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; resize: vertical; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; margin-top: .5rem; }
.actions button:disabled { color: var(--quiet); cursor: progress; }
.exact, .more { margin-top: 1.25rem; font-size: .92rem; }
.more summary { cursor: pointer; font-weight: 620; padding: .3rem 0; }
.losses li { padding: .3rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.listed { max-height: 24rem; overflow: auto; border-top: 1px solid var(--line); }
.listed a { display: flex; gap: .7rem; align-items: center; padding: .3rem .4rem; border-bottom: 1px solid var(--line); color: inherit; text-decoration: none; }
.listed a:hover, .listed [aria-current] { background: var(--soft); }
.listed a:focus-visible { outline-offset: -3px; }
.listed img, .no-shot { flex: none; width: 2.75rem; height: 2.75rem; object-fit: contain; background: var(--stage); border-radius: 6px; }
.listed a > span:last-child { display: grid; min-width: 0; overflow-wrap: anywhere; }
.listed-number { font-weight: 560; }

@media (max-width: 720px) {
  .page { padding: 1rem .8rem 3rem; }
  h1 { font-size: 1.4rem; }
  .find input { flex-basis: 100%; max-width: none; }
  .find select { flex: 1 1 8rem; margin-left: 0; }
  .cards { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .6rem; }
  .card > :not(.shot) { padding-inline: .65rem; }
  .card > .number:not(.shot) { margin-inline: .65rem; }
  .card > b:not(.shot) { padding-top: .55rem; }
  .card .facts { font-size: .8rem; }
  dialog { width: 100vw; max-width: 100vw; height: 100dvh; max-height: 100dvh; border: 0; border-radius: 0; }
  .columns, .chooser { display: block; }
  .columns { padding: .9rem; }
  .stage { aspect-ratio: auto; height: min(100vw - 1.8rem, 40dvh); }
  .choose { margin-top: .9rem; }
}
/* The picture stays in sight while values are chosen. */
@media (min-width: 721px) and (min-height: 760px) { .views-of { position: sticky; top: 5rem; } }
@media (max-width: 720px) and (min-height: 600px) {
  .views-of { position: sticky; top: 3.6rem; z-index: 1; margin: -.9rem -.9rem 0; padding: .9rem .9rem .6rem; background: var(--card); }
  .choose :is(button, select) { scroll-margin-top: calc(40dvh + 5rem); }
}
/* A finger needs 44 pixels, and iPhones zoom into fields with smaller letters. */
@media (pointer: coarse) {
  html:has(dialog[open]) { overflow: hidden; }
  input, select { font-size: 16px; }
  input, select, button:not(.plain), .find button { min-height: 44px; }
  .step, .close { width: 44px; height: 44px; }
  .plain, #sheet, .files a, .actions a, .more summary { padding-block: .9rem; }
  .plain, #sheet { margin-block: -.9rem; }
  .files li { align-items: center; padding-block: 0; }
}
@media (max-width: 899px) {
  .layout { display: block; }
  .filters { position: static; max-height: none; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); padding-bottom: 1.25rem; }
  .filters fieldset:has(.colours) { grid-column: 1 / -1; }
}
@media (min-width: 721px) and (max-width: 899px) { .filters .field { grid-column: span 2; } }
@media (prefers-reduced-motion: no-preference) { .card { transition: border-color .15s; } }
@media print {
  .find, .rest, .filters, .skip { display: none; }
  .cards { grid-template-columns: repeat(4, minmax(0, 1fr)); }
  .cards li { break-inside: avoid; content-visibility: visible; }
}
`;
