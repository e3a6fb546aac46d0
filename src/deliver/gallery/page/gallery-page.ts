/** The program of the gallery: cards, search and filters. Every value is inserted as text. */
import { visible } from '../../../support/visible.ts';
import { byId, element } from '../../pictures/page/elements.ts';
import { addressOf, type GalleryData, type GalleryItem, mainPicture } from '../gallery-data.ts';
import { openDetail } from './gallery-detail.ts';
import { priceText, sizeText } from './gallery-texts.ts';

const BATCH = 60;
/** Pixels below the screen at which the next cards are made. */
const AHEAD = '800px';
/** The value of a filter that accepts everything; no identifier is empty. */
const ALL = '';

const { galleryData: data } = globalThis as unknown as { galleryData: GalleryData };
const find = byId<HTMLInputElement>('find');
const manufacturer = byId<HTMLSelectElement>('manufacturer');
const program = byId<HTMLSelectElement>('program');
const cards = byId('cards');
const more = byId<HTMLButtonElement>('more');

/** A text without case and accents, for searching. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

const entries = data.items.map((item) => {
  const { number, configuration, name, variant, manufacturer, program } = item;
  const text = [number, configuration, name, variant, manufacturer, program].join('\n');
  return { item, text: plain(text) };
});
const byItemId = new Map(data.items.map((item) => [item.id, item]));

let found: readonly GalleryItem[] = [];
let shown = 0;

function search(): void {
  const words = plain(find.value)
    .split(/\s+/)
    .filter((word) => word !== '');
  const isIn = (item: GalleryItem) =>
    (manufacturer.value === ALL || item.manufacturer === manufacturer.value) &&
    (program.value === ALL || item.program === program.value);
  found = entries
    .filter(({ item, text }) => isIn(item) && words.every((word) => text.includes(word)))
    .map(({ item }) => item);
  cards.replaceChildren();
  shown = 0;
  showMore();
  byId('none').hidden = found.length > 0;
  const all = data.items.length.toLocaleString('en');
  const count = found.length.toLocaleString('en');
  byId('found').textContent =
    found.length === data.items.length ? `${all} configurations` : `${count} of ${all}`;
}

function showMore(): void {
  const next = found.slice(shown, shown + BATCH);
  cards.append(...next.map(cardOf));
  shown += next.length;
  more.hidden = shown >= found.length;
}

function cardOf(item: GalleryItem): HTMLElement {
  const { id, number, variant, program, name, price } = item;
  const picture = mainPicture(item);
  const image = picture
    ? element('img', {
        ...{ src: addressOf(picture.path), alt: '', loading: 'lazy', decoding: 'async' },
        ...{ width: '300', height: '300' },
      })
    : element('span', { class: 'missing' }, 'No picture');
  const facts = [sizeText(item), price === null ? '' : priceText(item)].filter((text) => text);
  return element(
    'li',
    {},
    element(
      'a',
      { class: 'card', href: `#${encodeURIComponent(id)}` },
      element('span', { class: 'shot' }, image),
      element('b', {}, visible(name || number, true)),
      element('span', { class: 'number' }, visible(`${number} · ${program}`, true)),
      variant && element('span', { class: 'variant' }, visible(variant.replace(/\n/g, ', '), true)),
      element('span', { class: 'facts' }, ...facts.map((text) => element('span', {}, text))),
    ),
  );
}

/** Fills a filter, and keeps the chosen value if it is still possible. */
function fill(select: HTMLSelectElement, all: string, values: readonly string[]): void {
  const { value } = select;
  const unique = [...new Set(values)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const option = (id: string, text: string) => element('option', { value: id }, text);
  select.replaceChildren(
    option(ALL, all),
    ...unique.map((id) => option(id, visible(id, true) || '–')),
  );
  select.value = unique.includes(value) ? value : ALL;
  select.disabled = unique.length < 2;
}

function fillPrograms(): void {
  const of = manufacturer.value;
  const some = data.items.filter((item) => of === ALL || item.manufacturer === of);
  fill(
    program,
    'All series',
    some.map((item) => item.program),
  );
}

/** Opens the article that the address names. */
function follow(): void {
  let id = '';
  try {
    id = decodeURIComponent(location.hash.slice(1));
  } catch {}
  const item = byItemId.get(id);
  if (item === undefined) return;
  const place = found.indexOf(item);
  const neighbour = (step: number) => (place < 0 ? undefined : found[place + step]);
  openDetail(item, {
    data,
    ...{ previous: neighbour(-1), next: neighbour(1) },
    position: place < 0 ? '' : `${place + 1} of ${found.length}`,
    onClose() {
      // Unlike a change of the hash, this does not jump to the top of the page.
      history.replaceState(null, '', location.pathname + location.search);
      const link = [...cards.querySelectorAll('a')].find(
        (a) => a.getAttribute('href') === `#${encodeURIComponent(id)}`,
      );
      // A fast typist may be in the search field by now.
      if (document.activeElement !== find) link?.focus();
    },
  });
}

let waiting: ReturnType<typeof setTimeout> | undefined;
find.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, 100);
});
find.form!.addEventListener('submit', (event) => {
  event.preventDefault();
  search();
});
manufacturer.addEventListener('change', () => {
  fillPrograms();
  search();
});
program.addEventListener('change', search);
more.addEventListener('click', () => {
  const first = shown;
  showMore();
  cards.children[first]?.querySelector('a')?.focus();
});
document.addEventListener('keydown', (event) => {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const isTyping = event.target instanceof Element && event.target.matches('input, select');
  if (
    event.key === '/' &&
    isPlain &&
    !isTyping &&
    document.querySelector('dialog[open]') === null
  ) {
    event.preventDefault();
    find.focus();
  }
  if (event.key === 'Escape' && event.target === find) {
    find.value = '';
    search();
  }
});
new IntersectionObserver(
  (seen) => {
    if (seen.some(({ isIntersecting }) => isIntersecting) && shown < found.length) showMore();
  },
  { rootMargin: AHEAD },
).observe(more.parentElement!);
addEventListener('hashchange', follow);

document.title = `${visible(data.title, true)} · Gallery`;
byId('title').textContent = visible(data.title, true);
byId('sheet').hidden = !data.hasContactSheet;
fill(
  manufacturer,
  'All manufacturers',
  data.items.map((item) => item.manufacturer),
);
fillPrograms();
search();
follow();
