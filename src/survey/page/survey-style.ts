/** The style of the page of a survey, behind that of the gallery, whose colours it has. */

/** Content of a `<style>`. Texts have a contrast of at least 4.5 : 1 in both schemes. */
export const SURVEY_STYLE = `
:root { --good: #1c6b3a; --mark: #d4145a; }
@media (prefers-color-scheme: dark) { :root { --good: #6fcf97; } }
html { scroll-padding-top: 4.25rem; }
.page { max-width: 1400px; }
.page > header { display: block; }
.page > header p { max-width: 52rem; margin-top: .4rem; overflow-wrap: anywhere; }
.page > header ul { font-size: .9rem; }
summary { cursor: pointer; padding: .4rem 0; font-weight: 560; }
.answered-bar { position: sticky; top: 0; z-index: 5; display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; padding: .6rem 0; margin-top: .5rem; background: var(--page); }
.answered-bar b { margin-right: auto; }
.answered-bar button { border-color: var(--quiet); }
.answered-bar a { padding: .45rem .8rem; border: 1px solid var(--quiet); border-radius: 8px; color: inherit; text-decoration: none; }
.answered-bar a.main, button.main { background: var(--good); border-color: var(--good); color: var(--card); font-weight: 600; }
button.main:disabled { background: none; color: var(--quiet); }
#answers ol { list-style-position: inside; }
#answers b { white-space: nowrap; }
.sheet { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 1.1rem 1.25rem 1.25rem; margin-top: 1.1rem; min-width: 0; }
.sheet > h2 { font-size: 1.3rem; }
.sheet > p { max-width: 52rem; margin-top: .3rem; }
.number-of { display: block; font-size: .85rem; font-weight: 560; letter-spacing: 0; color: var(--quiet); }
.answered .number-of::after { content: " ✓ answered"; color: var(--good); }
.question h2:focus-visible { outline: 3px solid var(--link); outline-offset: 4px; }
.article { font-weight: 560; color: var(--quiet); margin: .9rem 0 .45rem; overflow-wrap: anywhere; }
.answers { display: grid; gap: 1rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
.answers.three { grid-template-columns: repeat(3, minmax(0, 1fr)); }
.answer, .own { display: flex; flex-direction: column; min-width: 0; border: 1px solid var(--line); border-radius: 12px; padding: .7rem; }
.answer.chosen { border-color: var(--good); box-shadow: 0 0 0 2px var(--good); }
.answer h3, .own h3 { margin: .6rem 0 .1rem; font-size: 1rem; }
.answer h4 { margin: 0 0 .5rem; font-size: 1rem; order: -1; }
.answer .right { margin-top: auto; align-self: start; border-color: var(--quiet); font-weight: 600; }
.answer p { margin-bottom: .6rem; }
.answer p.quiet { font-size: .88rem; }
.answer .right[aria-pressed="true"] { background: var(--good); border-color: var(--good); color: var(--card); }
.answer .right[aria-pressed="true"]::after { content: " ✓"; }
.pictures { display: grid; gap: .5rem; grid-template-columns: minmax(0, 2.2fr) minmax(0, 1fr); align-items: end; }
.sheet > .hint { margin: -.2rem 0 .5rem; font-size: .88rem; }
.three .pictures { grid-template-columns: minmax(0, 1fr); }
.three .whole { width: 55%; }
.moved .whole { order: -1; }
.moved .three .whole { width: 100%; }
.moved .three .detail { width: 55%; }
.picture { position: relative; display: block; padding: 0; min-height: 0; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; background: #fff; cursor: zoom-in; }
.picture.detail { border: 2px solid var(--mark); }
.picture:disabled { cursor: default; }
.picture img { display: block; width: 100%; height: auto; }
.picture svg { position: absolute; inset: 0; width: 100%; height: 100%; }
.picture rect { fill: none; stroke: var(--mark); stroke-width: 5; }
.own img { aspect-ratio: 4 / 3; object-fit: contain; }
.unsure { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .8rem; }
.sheet > .unsure { margin-top: 1rem; }
.unsure button { border-color: var(--quiet); }
.further { margin-top: .6rem; }
.further .quiet { font-size: .88rem; margin-top: .6rem; }
.changed { color: var(--warning); }
.wide { overflow-x: auto; margin-top: .7rem; border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .9rem .5rem 0; border-top: 1px solid var(--line); font-weight: 400; }
thead th { border-top: 0; color: var(--quiet); font-weight: 560; font-size: .85rem; white-space: nowrap; padding-top: .2rem; }
#decided table { min-width: 46rem; }
#decided th:first-child { width: 26%; } #decided td:nth-child(2) { width: 30%; }
#features table { max-width: 46rem; }
td.number { text-align: right; }
#features thead th:nth-child(n + 2) { text-align: right; }
tr.group th { font-weight: 640; padding-top: 1rem; }
td ul { display: grid; gap: .25rem; }
.lines li { padding: .4rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.lines { margin-top: .5rem; }
#unimportant .lines { columns: 22rem; column-gap: 2.5rem; }
#unimportant .lines li { break-inside: avoid; border: 0; padding: .2rem 0; }
pre { margin: .6rem 0; padding: .8rem 1rem; background: var(--soft); border-radius: 10px; font: .88rem/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-x: auto; }
.notice { border-color: var(--warning); }
.sheet.notice { max-width: none; }
dialog { width: min(1280px, calc(100vw - 2rem)); }
#large-name { margin: 0 .5rem; overflow-wrap: anywhere; min-width: 0; }
.bar .step { border: 1px solid var(--line); }
#large-picture { display: block; width: 100%; max-height: calc(100dvh - 7rem); object-fit: contain; background: #fff; }
/* Beside the marked place: the whole article, and what the answer means. */
@media (min-width: 1100px) {
  .two .answer:has(.pictures) { display: grid; grid-template-columns: minmax(0, 2.3fr) minmax(0, 1fr); grid-template-rows: auto auto auto auto 1fr; column-gap: .9rem; align-items: start; }
  .two .pictures { display: contents; }
  .two .detail { grid-row: 1 / -1; }
  .two .answer > :not(.pictures) { grid-column: 2; }
  .two .answer .right { margin-top: 0; }
}
@media (min-width: 1200px) {
  .answers.four { grid-template-columns: repeat(4, minmax(0, 1fr)); }
  .moved .two .whole { grid-row: 1 / -1; }
  .moved .two .detail { grid-row: auto; }
}
@media (max-width: 1099px) {
  .pictures { grid-template-columns: minmax(0, 1fr); }
  .whole, .moved .detail { width: 55%; }
  .moved .whole { width: 100%; }
}
@media (max-width: 720px) {
  .sheet { padding: .85rem .8rem 1rem; }
  .sheet > h2 { font-size: 1.15rem; }
  .answers, .answers.three { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .6rem; }
  .answer, .own { padding: .5rem; font-size: .92rem; }
  .pictures { grid-template-columns: minmax(0, 1fr); }
  .whole, .three .whole, .moved .detail, .moved .three .detail { width: 100%; }
  /* So that the pictures to choose from are side by side. */
  .own { grid-column: 1 / -1; }
  .own img { aspect-ratio: 2; }
  .answer .right { align-self: stretch; padding: .4rem .3rem; }
  .word { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
}
@media print { .answered-bar, .unsure, .actions, .right { display: none; } }
`;
