/** Pictures on the page of a report: what is new, and what has changed before and now; with their style and script. */
import { card, outputLink, type Section } from './html-elements.ts';
import { type Html, html } from './markup.ts';
import type { ArticlePictures, AssetRow, RunReport } from './run-report.ts';
import { amount, integer } from './text.ts';

/** What follows is behind a button. */
const FIRST = { changed: 4, new: 10 } as const;

/** Makes the section; undefined without pictures. @param pictures - JPEGs, of the first rows of the lists of changes. */
export function picturesSection(
  { changes }: RunReport,
  pictures: readonly ArticlePictures[],
): Section | undefined {
  if (pictures.length === 0) return undefined;
  const groups = (['changed', 'new'] as const).flatMap((kind) => {
    const shown = pictures.filter((one) => one.kind === kind);
    return shown.length === 0 ? [] : [group(kind, shown, changes[kind].count)];
  });
  const title = 'Pictures';
  const total = changes.new.count + changes.changed.count;
  const count = html`<span class="count">${integer(pictures.length)} of ${amount(total, 'new or changed configuration')}</span>`;
  return { id: 'pictures', title, ...card('looks', 'pictures', title, count, groups) };
}

function group(
  kind: ArticlePictures['kind'],
  shown: readonly ArticlePictures[],
  total: number,
): Html {
  const items = shown.map(pictureItem);
  const hasPair = shown.some(({ before }) => before !== undefined);
  const list = (some: readonly Html[]) => html`<ul class="${kind}">${some}</ul>`;
  const more = items.slice(FIRST[kind]);
  const rest = html`<details><summary class="more">Show ${integer(more.length)} more</summary>${list(more)}</details>`;
  const others =
    total > shown.length
      ? html`<p class="note">The table below lists the other ${integer(total - shown.length)}.</p>`
      : undefined;
  return html`<h3>${kind === 'new' ? 'New' : 'Changed'}</h3>
${hasPair ? html`<p class="note">Drag across a picture, or use the arrow keys, to see it before and now.</p>` : undefined}
${list(items.slice(0, FIRST[kind]))}${more.length > 0 ? rest : undefined}${others}`;
}

function pictureItem(pictures: ArticlePictures): Html {
  const { row, now, before, difference, width, height } = pictures;
  const name = row.name ?? (row.finalarticlenumber || row.basearticlenumber);
  const image = (bytes: Uint8Array, kind: string, alternative: string) =>
    html`<img class="${kind}" src="data:image/jpeg;base64,${base64(bytes)}" alt="${alternative}" width="${width}" height="${height}" decoding="async">`;
  const shown =
    before === undefined
      ? image(now, 'now', name)
      : html`<div class="compare">${image(now, 'now', `${name}, now`)}${image(before, 'before', `${name}, before`)}<span class="was">Before</span><span class="is">Now</span><input type="range" min="0" max="100" value="50" aria-label="${name}: share of the picture from before"></div>`;
  return html`<li><figure>${shown}<figcaption>${caption(row)}${difference && html`<small>${differenceText(difference)}</small>`}</figcaption></figure></li>
`;
}

/** What a person knows it by, then number, size and series. */
function caption(row: AssetRow): Html {
  const { manufacturer, program, basearticlenumber, finalarticlenumber, name, glb } = row;
  const number = html`<bdi>${finalarticlenumber || basearticlenumber}</bdi>`;
  const linked = glb === undefined ? number : html`<a href="${outputLink(glb)}">${number}</a>`;
  const { width = 0, depth = 0, height = 0 } = row.sizeMillimetres ?? {};
  const size =
    row.sizeMillimetres && `Model: ${integer(width)} × ${integer(depth)} × ${integer(height)} mm`;
  return html`${name && html`<b class="wrap"><bdi>${name}</bdi></b>`}<span class="wrap">${linked}</span>${size && html`<small>${size}</small>`}<small class="wrap"><bdi>${manufacturer}</bdi> / <bdi>${program}</bdi></small>`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** The noise of two JPEGs, which no person sees. */
const NOISE = { tone: 0.01, edges: 0.002 };

function differenceText({ tone, edges }: NonNullable<ArticlePictures['difference']>): string {
  if (edges > NOISE.edges)
    return `differs over ${Math.max(1, Math.round(100 * edges))} % of its area`;
  return tone > NOISE.tone ? 'differs slightly in tone' : 'looks the same';
}

/** The style of the section; names of colours as in the style of the page. */
export const PICTURES_STYLE = `
.looks h3 { font-size: .95rem; font-weight: 600; margin: .9rem 0 0; }
.looks ul { display: grid; gap: 1.1rem .9rem; margin-top: .6rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 16rem), 1fr)); }
.looks ul.new { grid-template-columns: repeat(auto-fill, minmax(min(44%, 11rem), 1fr)); }
.looks figure { margin: 0; }
.looks img { display: block; width: 100%; height: auto; border-radius: 10px; background: #fff; }
.looks figure > img, .compare { border: 1px solid var(--line); border-radius: 10px; }
.looks figcaption { margin-top: .4rem; line-height: 1.35; }
.looks figcaption > * { display: block; }
.looks figcaption > .wrap { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.looks figcaption b { font-weight: 580; }
.looks details { margin-top: .9rem; }
.looks summary { display: inline-block; list-style: none; }
.looks summary::-webkit-details-marker { display: none; }
.compare { --at: 50%; position: relative; touch-action: pan-y; overflow: hidden; }
.compare .before { position: absolute; inset: 0; clip-path: inset(0 calc(100% - var(--at)) 0 0); }
.compare::before, .compare::after { box-sizing: border-box; content: ""; position: absolute; left: var(--at); z-index: 1; pointer-events: none; transform: translate(-50%, -50%); top: 50%; }
.compare::before { width: 2px; height: 100%; background: #15181c; box-shadow: 0 0 0 1px #fff; }
.compare::after { box-sizing: border-box; content: "\\2039\\2009\\203a"; display: grid; place-items: center; width: 1.9rem; height: 1.9rem; padding-bottom: .15rem; border-radius: 50%; border: 2px solid #fff; background: #15181c; color: #fff; font-size: 1.15rem; line-height: 1; box-shadow: 0 1px 4px rgb(0 0 0 / .4); }
.compare:focus-within { outline: 3px solid var(--link); outline-offset: 2px; }
.compare input { position: absolute; inset: 0; z-index: 2; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: ew-resize; appearance: none; touch-action: pan-y; }
.compare input::-webkit-slider-thumb { appearance: none; width: 2px; height: 100%; }
.compare input::-moz-range-thumb { width: 2px; height: 100%; border: 0; }
.compare span { position: absolute; top: .5rem; padding: .1rem .5rem; border-radius: 99px; font-size: .75rem; background: #15181c; color: #fff; pointer-events: none; }
.compare .was { left: .5rem; }
.compare .is { right: .5rem; }
@media print { .looks details { display: none; } }
`;

/** Moves the line of each pair, and finds pictures with the search of the page. Without it the line is in the middle. */
export const PICTURES_SCRIPT = `
{
  for (const input of document.querySelectorAll('.compare input')) {
    const show = () => {
      input.parentElement.style.setProperty('--at', input.value + '%');
      input.setAttribute('aria-valuetext', input.value + ' % before');
    };
    input.addEventListener('input', show);
    show();
  }
  const looks = document.querySelector('.looks');
  const find = document.getElementById('find');
  const items = looks === null ? [] : [...looks.querySelectorAll('li')];
  const search = () => {
    const words = find.value.toLowerCase().split(/\\s+/).filter((word) => word !== '');
    for (const item of items) {
      const text = item.textContent.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
    looks.hidden = items.every((item) => item.hidden);
    if (words.length > 0) for (const details of looks.querySelectorAll('details')) details.open = true;
  };
  // The key Escape empties the field of the search.
  if (looks !== null) for (const name of ['input', 'keyup']) find.addEventListener(name, search);
}
`;
