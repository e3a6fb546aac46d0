/** The style of the page of an inspected model, behind that of the gallery, whose colours it has. */

/** Content of a `<style>`. Texts have a contrast of at least 4.5 : 1 in both schemes. */
export const INSPECTION_STYLE = `
:root { --good: #1c6b3a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --good: #6fcf97; --bad: #ff8a80; } }
.page { max-width: 1320px; }
.page > header { display: block; }
.page > header p { color: var(--quiet); margin-top: .3rem; overflow-wrap: anywhere; }
.top { display: grid; grid-template-columns: minmax(0, 1.25fr) minmax(0, 1fr); gap: 1.25rem; margin-top: 1.25rem; align-items: start; }
.sheet { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 1rem 1.15rem 1.15rem; min-width: 0; }
section.sheet { margin-top: 1.25rem; }
.sheet h2 { font-size: 1.1rem; }
.sheet > p { color: var(--quiet); font-size: .9rem; max-width: 46rem; margin-top: .3rem; }
.view .stage { aspect-ratio: 4 / 3; height: auto; }
.loading { color: var(--on-stage); padding: 1rem; text-align: center; max-width: 26rem; position: relative; z-index: 1; }
.hint { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .3rem 1rem; font-size: .85rem; color: var(--quiet); margin-top: .5rem; min-height: 2.4rem; }
.hint strong { color: var(--ink); }
dl { margin-top: .6rem; }
.answers { display: grid; gap: .5rem; margin-top: .9rem; padding-top: .9rem; border-top: 1px solid var(--line); }
.answers li { display: flex; gap: .6rem; align-items: baseline; }
.mark { flex: 0 0 1.3rem; font-weight: 700; text-align: center; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.fair { color: var(--warning); }
.jump { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin-top: 1.25rem; font-size: .92rem; }
.jump a { padding: .35rem 0; }
.wide { overflow-x: auto; margin-top: .7rem; border-radius: 8px; }
.wide.long { max-height: 30rem; overflow-y: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .8rem .45rem 0; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--quiet); font-weight: 560; font-size: .82rem; white-space: nowrap; padding-top: .2rem; }
.long thead th { position: sticky; top: 0; background: var(--card); z-index: 1; }
tbody th { font-weight: 600; }
td.number, th.number { text-align: right; white-space: nowrap; }
td ul { display: grid; gap: .2rem; }
td, tbody th { overflow-wrap: anywhere; }
.profiles { min-width: 54rem; }
.profiles tbody th, .profiles td:nth-child(2), .messages td:first-child { white-space: nowrap; }
.profiles td:last-child { width: 50%; }
.parts { min-width: 40rem; }
.messages { min-width: 46rem; }
.messages td:nth-child(2), .messages td:nth-child(4) { width: 24%; }
.densities { min-width: 38rem; }
.parts button { font-size: .88rem; padding: .15rem .6rem; min-height: 1.9rem; text-align: left; border-radius: 8px; overflow-wrap: anywhere; }
.parts button:disabled { cursor: default; background: none; border-color: transparent; opacity: 1; }
${Array.from({ length: 12 }, (_, depth) => `.d${depth + 1} { padding-left: ${(depth + 1) * 1.1}rem; }`).join('\n')}
.items { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: .8rem; margin-top: .8rem; }
.items > li { border: 1px solid var(--line); border-radius: 12px; padding: .8rem; min-width: 0; overflow-wrap: anywhere; font-size: .9rem; }
.items h3 { margin: 0; display: flex; gap: .6rem; align-items: center; }
.items dl { font-size: .86rem; gap: .15rem .8rem; }
.swatch { width: 1.9rem; height: 1.9rem; border-radius: 50%; object-fit: cover; border: 1px solid var(--quiet); flex: none; }
.textures > li { display: grid; grid-template-columns: 6rem minmax(0, 1fr); gap: .8rem; align-items: start; }
.small { display: flex; align-items: center; justify-content: center; width: 6rem; height: 6rem; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; background: #fff; }
.small img { display: block; max-width: 100%; max-height: 100%; }
.small span { color: #5a636e; font-size: .75rem; text-align: center; padding: .3rem; }
.textures p { color: var(--quiet); margin-top: .2rem; }
@media (max-width: 820px) {
  .top { grid-template-columns: minmax(0, 1fr); gap: .9rem; margin-top: .9rem; }
  .sheet { padding: .8rem .85rem .9rem; }
  section.sheet { margin-top: .9rem; }
  .items { grid-template-columns: minmax(0, 1fr); }
  .profiles { min-width: 0; }
  .profiles thead { display: none; }
  .profiles tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; border-top: 1px solid var(--line); padding: .4rem 0; }
  .profiles th, .profiles td { border: 0; padding: .15rem 0; text-align: left; }
  .profiles td:last-child { grid-column: 1 / -1; width: auto; font-size: .85rem; }
  .profiles td.number:nth-child(4)::before { content: "triangles "; color: var(--quiet); }
  .profiles td.number:nth-child(5)::before { content: "largest texture "; color: var(--quiet); }
}
@media print { .stage, .hint, .jump { display: none; } .wide.long { max-height: none; } }
`;
