/** The program of the gallery: cards, search and the address. Every value is inserted as text. */
import { byId, element } from '../../pictures/page/elements.ts';
import { addressOf, type GalleryData } from '../gallery-data.ts';
import { addressOfPlace, EVERYTHING, readPlace } from '../gallery-query.ts';
import { type Found, openSearch, representativeOf, vocabularyOf } from '../gallery-search.ts';
import { openDetail, originOf } from './gallery-detail.ts';
import { Filters } from './gallery-filters.ts';
import { amountText, pricesText, shown, sizesText } from './gallery-texts.ts';
import { openSimilarWords } from './similar-words.ts';

const BATCH = 60;
/** Pixels below the screen at which the next cards are made. */
const AHEAD = '800px';
/** A screen of this width shows the filters beside the cards. */
const WIDE = matchMedia('(min-width: 1100px)');
/** Pictures of finishes on a card. */
const MOST_DOTS = 6;

const { galleryData: data } = globalThis as unknown as { galleryData: GalleryData };
const find = byId<HTMLInputElement>('find');
const cards = byId('cards');
const more = byId<HTMLButtonElement>('more');
const panel = byId('filters');
const dialog = byId<HTMLDialogElement>('detail');

const articles = new Map(
  data.articles.flatMap((article) =>
    article.configurations.map(({ id }) => [id, article] as const),
  ),
);
const words = openSimilarWords(() => vocabularyOf(data));
const search = openSearch(data, words.similar);
const filters = new Filters(data, changed);

/** The configuration that was opened last. */
let lastOpen = '';
let found: readonly Found[] = [];
let made = 0;
/** The query of the cards, as the address has it. */
let listed: string | undefined;

/** Shows the cards of the query that the controls have. */
function list(): void {
  const { query } = filters;
  const now = addressOfPlace({ query, open: '' });
  if (now === listed) return;
  listed = now;
  const result = search(query);
  ({ found } = result);
  cards.replaceChildren();
  made = 0;
  showMore();
  byId('none').hidden = found.length > 0;
  byId('reset').hidden = now === '' || (filters.count === 0 && query.search === '');
  byId('filter').textContent = filters.count > 0 ? `Filters (${filters.count})` : 'Filters';
  const configurations = found.reduce((sum, one) => sum + one.configurations.length, 0);
  const isAll = configurations === articles.size;
  const count = `${amountText(found.length, 'article')}, ${amountText(configurations, 'configuration')}`;
  const of = isAll ? '' : ` of ${articles.size.toLocaleString('en')}`;
  const replaced = Array.from(result.replaced, ([word, others]) => {
    return ` Nothing has “${shown(word)}”; this is ${others.map((other) => `“${shown(other)}”`).join(', ')}.`;
  });
  byId('found').textContent = `${count}${of}${replaced.length > 0 ? '.' : ''}${replaced.join('')}`;
}

function showMore(): void {
  const next = found.slice(made, made + BATCH);
  cards.append(...next.map(cardOf));
  made += next.length;
  more.hidden = made >= found.length;
}

/** The address of a configuration among those that were looked for. */
function hrefOf(open: string): string {
  return addressOfPlace({ query: filters.query, open });
}

function cardOf(one: Found): HTMLElement {
  const { article, configurations } = one;
  const { id, picture } = representativeOf(one);
  const image = picture
    ? element('img', {
        ...{ src: addressOf(picture), alt: '', loading: 'lazy', decoding: 'async' },
        ...{ width: '300', height: '300' },
      })
    : element('span', { class: 'missing' }, 'No picture');
  const facts = [sizesText(configurations), pricesText(configurations)].filter((text) => text);
  return element(
    'li',
    {},
    element(
      'a',
      { class: 'card', href: hrefOf(id), 'data-id': id },
      element('span', { class: 'shot' }, image),
      element('b', {}, shown(article.name || article.number)),
      element('span', { class: 'number separated' }, ...originOf(article)),
      ...finishesOf(one),
      element('span', { class: 'facts' }, ...facts.map((text) => element('span', {}, text))),
    ),
  );
}

/** How many configurations were found, where there is more than one. */
function finishesOf(one: Found): HTMLElement[] {
  const { length } = one.configurations;
  const all = one.article.configurations.length;
  if (all < 2) return [];
  const of = length < all ? `${length.toLocaleString('en')} of ` : '';
  const count = element('span', {}, `${of}${amountText(all, 'configuration')}`);
  return [element('span', { class: 'finishes' }, ...dotsOf(one), count)];
}

/** Small pictures of the finishes of an article; of its configurations, where there is none of a finish. */
function dotsOf({ article: { swatches }, configurations }: Found): HTMLElement[] {
  if (configurations.length < 2) return [];
  const pictures = configurations.flatMap(({ picture }) => picture ?? []);
  const paths = swatches.length > 0 ? swatches : [...new Set(pictures)];
  if (paths.length < 2) return [];
  return paths.slice(0, MOST_DOTS).map((path) =>
    element('img', {
      ...{ class: 'dot', src: addressOf(path), alt: '', loading: 'lazy', decoding: 'async' },
      ...{ width: '22', height: '22' },
    }),
  );
}

/** Writes the address without a new entry of the history. */
function write(address: string): void {
  // An empty address would jump to the top of the page.
  history.replaceState(history.state, '', address || location.pathname + location.search);
}

let waiting: ReturnType<typeof setTimeout> | undefined;
/** A control has another value. */
function changed(): void {
  clearTimeout(waiting);
  waiting = setTimeout(apply, document.activeElement === find ? 100 : 0);
}

function apply(): void {
  clearTimeout(waiting);
  byId('gone').hidden = true;
  list();
  write(hrefOf(''));
}

/** Shows what the address says. */
function follow(): void {
  clearTimeout(waiting);
  const { query, open } = readPlace(location.hash);
  filters.query = query;
  list();
  const article = articles.get(open);
  byId('gone').hidden = open === '' || article !== undefined;
  document.title = `${shown(article ? article.name || article.number : data.title)} · ${article ? shown(data.title) : 'Gallery'}`;
  if (article === undefined) {
    if (dialog.open) dialog.close();
    return;
  }
  const place = found.findIndex((one) => one.article === article);
  const neighbour = (step: number) => {
    const one = place < 0 ? undefined : found[place + step];
    return one && representativeOf(one).id;
  };
  lastOpen = open;
  void openDetail(article, open, {
    ...{ assetsUrl: data.assetsUrl, hrefOf },
    ...{ previous: neighbour(-1), next: neighbour(1) },
    position: place < 0 ? '' : `${place + 1} of ${found.length}`,
    replace(id) {
      write(hrefOf(id));
      follow();
    },
  });
}

function focusCard(id: string): void {
  const article = articles.get(id);
  const link = [...cards.querySelectorAll<HTMLAnchorElement>('.card')].find(
    ({ dataset }) => articles.get(dataset.id!) === article,
  );
  // A fast typist may be in the search field by now.
  if (document.activeElement !== find) link?.focus();
}

dialog.addEventListener('close', () => {
  const { open } = readPlace(location.hash);
  // Back, or a link to an article that is gone, has changed the address already.
  if (articles.has(open)) {
    if (history.state?.isOpenedHere === true) history.back();
    else apply();
  }
  focusCard(lastOpen);
  document.title = `${shown(data.title)} · Gallery`;
});
cards.addEventListener('click', (event) => {
  const card = event.target instanceof Element ? event.target.closest<HTMLElement>('.card') : null;
  if (card === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  // Back closes what was opened.
  history.pushState({ isOpenedHere: true }, '', hrefOf(card.dataset.id!));
  follow();
});

byId('skip').addEventListener('click', (event) => {
  // The address is that of the query.
  event.preventDefault();
  cards.focus();
});
find.form!.addEventListener('submit', (event) => {
  event.preventDefault();
  apply();
});
byId('reset').addEventListener('click', () => {
  filters.query = { ...EVERYTHING, sort: filters.query.sort };
  apply();
  find.focus();
});
byId('filter').addEventListener('click', () => showFilters(panel.hidden !== false));
function showFilters(isShown: boolean): void {
  panel.hidden = !isShown;
  byId('filter').ariaExpanded = String(isShown);
}
more.addEventListener('click', () => {
  const first = made;
  showMore();
  cards.children[first]?.querySelector('a')?.focus();
});
document.addEventListener('keydown', (event) => {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const isTyping = event.target instanceof Element && event.target.matches('input, select');
  if (event.key === '/' && isPlain && !isTyping && !dialog.open) {
    event.preventDefault();
    find.focus();
  }
  if (event.key === 'Escape' && event.target === find) {
    find.value = '';
    apply();
  }
});
new IntersectionObserver(
  (seen) => {
    if (seen.some(({ isIntersecting }) => isIntersecting) && made < found.length) showMore();
  },
  { rootMargin: AHEAD },
).observe(more.parentElement!);
// Back and Forward, and links to this page.
addEventListener('hashchange', follow);

byId('title').textContent = shown(data.title);
byId('sheet').hidden = !data.hasContactSheet;
showFilters(WIDE.matches);
follow();

/** Calls back while nothing else is to do; Safari has no such call. */
const whenIdle: (work: () => void) => unknown = globalThis.requestIdleCallback ?? setTimeout;
// The first mistake is then found as fast as the next one.
const prepare = () => void (words.add() || whenIdle(prepare));
whenIdle(prepare);
