/** The dialog of one article: its configurations, pictures, 3D view, figures, downloads and the snippet for a shop. */
import { visible } from '../../../support/visible.ts';
import { button, byId, element } from '../../pictures/page/elements.ts';
import { type Choice, type ChoiceValue, choicesOf } from '../gallery-choices.ts';
import {
  addressOf,
  type GalleryArticle,
  type GalleryDetails,
  type ListedConfiguration,
} from '../gallery-data.ts';
import { filesOf, shopOf } from './gallery-downloads.ts';
import { type LoadedDetails, loadDetails } from './gallery-parts.ts';
import { Stage } from './gallery-stage.ts';
import { amountText, originText, pricesText, priceText, shown, sizeText } from './gallery-texts.ts';

/** Where a configuration is opened. */
export interface Surroundings {
  assetsUrl: string | undefined;
  /** Ids of the configurations that are opened by the buttons of the bar. */
  previous: string | undefined;
  next: string | undefined;
  /** `3 of 107` */
  position: string;
  /** Address of a configuration. */
  hrefOf(id: string): string;
  /** Shows another configuration in place of this one. */
  replace(id: string): void;
}

/** More values of a property are a list. */
const MOST_BUTTONS = 16;
/** Configurations that are listed at once. */
const MOST_LISTED = 60;

const dialog = byId<HTMLDialogElement>('detail');
const stage = new Stage();
/** Number of what is open: details that were loaded late do not belong to it. */
let opened = 0;

dialog.addEventListener('close', () => {
  stage.close();
  opened++;
});
dialog.addEventListener('click', (event) => {
  // The click was beside the dialog.
  if (event.target === dialog) dialog.close();
});
dialog.addEventListener(
  'click',
  ({ target }) => {
    // Safari gives the focus to nothing that is clicked, so that the dialog would start again at its top.
    if (target instanceof Element) target.closest<HTMLElement>('[data-key]')?.focus();
  },
  { capture: true },
);
dialog.addEventListener('keydown', (event) => {
  const isModel = event.target instanceof HTMLCanvasElement;
  const isField = event.target instanceof Element && event.target.matches('select, textarea');
  if (isModel || isField || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = { ArrowLeft: '.previous', ArrowRight: '.next' }[event.key];
  if (target !== undefined) dialog.querySelector<HTMLAnchorElement>(target)?.click();
});

/** Shows a configuration of an article in the dialog of the page. */
export async function openDetail(
  article: GalleryArticle,
  id: string,
  around: Surroundings,
): Promise<void> {
  const mine = ++opened;
  const isOpen = dialog.open;
  if (!isOpen) {
    dialog.replaceChildren(
      barOf(around),
      element('p', { class: 'missing', role: 'status' }, 'Loading …'),
    );
    dialog.showModal();
  }
  let loaded: ReadonlyMap<string, LoadedDetails>;
  try {
    loaded = await loadDetails(article.part);
  } catch (error) {
    if (mine === opened) fail(around, (error as Error).message);
    return;
  }
  if (mine !== opened) return;
  const current = loaded.get(id);
  if (current === undefined) return fail(around, 'This article was published again');
  const all = article.configurations.flatMap((one) => loaded.get(one.id)?.details ?? []);
  const focused = focusOf(dialog);
  const isListOpen = dialog.querySelector<HTMLDetailsElement>('.listing')?.open === true;
  const name = element(
    'h2',
    { id: 'detail-name', tabindex: '-1' },
    shown(article.name || article.number),
  );
  const choices = choicesOf(all, current.details);
  dialog.replaceChildren(
    barOf(around),
    element(
      'div',
      { class: 'columns' },
      element(
        'div',
        { class: 'chooser' },
        stage.element,
        element('div', { class: 'choose' }, name, ...offerOf(article, current, choices, around)),
      ),
      element('div', { class: 'facts' }, ...factsOf(article, all, current, choices, around)),
    ),
  );
  const list = dialog.querySelector<HTMLDetailsElement>('.listing');
  if (list !== null && isListOpen) list.open = true;
  stage.show(current.details);
  const again = isOpen && focused ? dialog.querySelector<HTMLElement>(focused) : undefined;
  if (!again) dialog.scrollTop = 0;
  (again ?? name).focus();
}

/** A selector of the control that has the focus, which a configuration after this one has, too. */
function focusOf(parent: HTMLElement): string | undefined {
  const { activeElement } = document;
  const key = parent.contains(activeElement) && (activeElement as HTMLElement).dataset.key;
  return key ? `[data-key="${CSS.escape(key)}"]` : undefined;
}

function fail(around: Surroundings, reason: string): void {
  const sentence = `${reason}. Reload the page.`;
  dialog.replaceChildren(
    barOf(around),
    element('p', { class: 'missing', role: 'alert' }, sentence),
  );
}

function barOf(around: Surroundings): HTMLElement {
  const { previous, next, position } = around;
  const close = button('×', { class: 'close', 'aria-label': 'Close' }, () => dialog.close());
  return element(
    'div',
    { class: 'bar' },
    step('previous', '‹', 'Previous article', previous, around),
    element('span', { class: 'position' }, position),
    step('next', '›', 'Next article', next, around),
    close,
  );
}

function step(
  kind: string,
  sign: string,
  label: string,
  id: string | undefined,
  around: Surroundings,
): HTMLElement {
  if (id === undefined) return element('span', { class: `step ${kind}`, 'aria-hidden': 'true' });
  return linkTo(id, around, { class: `step ${kind}`, 'aria-label': label, 'data-key': kind }, sign);
}

/** A link to another configuration, which Back passes over. */
function linkTo(
  id: string,
  { hrefOf, replace }: Surroundings,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly (Node | string)[]
): HTMLElement {
  const link = element('a', { ...attributes, href: hrefOf(id) }, ...children);
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    replace(id);
  });
  return link;
}

/** The texts of {@link originText}: the style separates those that are on one line. */
export function originOf(article: GalleryArticle): (HTMLElement | string)[] {
  return originText(article)
    .split(' · ')
    .flatMap((text, at) => [...(at > 0 ? [' '] : []), element('span', {}, text)]);
}

/** What is next to the picture: prices, and the choices. */
function offerOf(
  article: GalleryArticle,
  { details }: LoadedDetails,
  choices: readonly Choice[],
  around: Surroundings,
): HTMLElement[] {
  const { error } = details;
  const hasFar = choices.some(({ values }) => values.some(({ changes }) => changes.length > 0));
  const parts = [
    element('p', { class: 'quiet separated' }, ...originOf(article)),
    priceOf(article, details),
    error === undefined
      ? undefined
      : element('p', { class: 'warning' }, `These are the last good files: ${shown(error)}`),
    ...choices.map((choice) => choiceOf(choice, around)),
    hasFar
      ? element('p', { class: 'note quiet' }, 'A value with a dashed frame also changes others.')
      : undefined,
  ];
  return parts.filter((part) => part !== undefined);
}

function factsOf(
  article: GalleryArticle,
  all: readonly GalleryDetails[],
  { details, losses }: LoadedDetails,
  choices: readonly Choice[],
  around: Surroundings,
): HTMLElement[] {
  const { variant, text } = details;
  // Most texts begin with the name.
  const more = text.startsWith(details.name) ? text.slice(details.name.length).trim() : text;
  const parts = [
    more ? element('p', { class: 'text' }, visible(more)) : undefined,
    figuresOf(article, details),
    choices.length === 0 && variant
      ? element('p', { class: 'text quiet' }, visible(variant))
      : undefined,
    ...filesOf(article, all, details),
    ...shopOf(article, all, details, around.assetsUrl),
    ...configurationsOf(article, details, choices.length === 0, around),
    lossesOf(details, losses),
  ];
  return parts.filter((part) => part !== undefined);
}

function priceOf({ configurations }: GalleryArticle, details: GalleryDetails) {
  const own = priceText(details);
  const range = pricesText(configurations);
  if (own === '' && range === '') return undefined;
  const hasRange = range !== '' && range !== own;
  return element(
    'p',
    { class: 'price' },
    element('b', {}, own || 'No price'),
    hasRange
      ? element(
          'span',
          { class: 'quiet' },
          `${amountText(configurations.length, 'configuration')}: ${range}`,
        )
      : undefined,
  );
}

function choiceOf({ id, text, values }: Choice, around: Surroundings): HTMLElement {
  const chooser =
    values.length > MOST_BUTTONS
      ? selectOf(id, values, around)
      : values.map((value) => valueButton(id, value, around));
  return element(
    'fieldset',
    { class: 'choice' },
    element('legend', {}, shown(text)),
    ...[chooser].flat(),
  );
}

function valueButton(id: string, own: ChoiceValue, { replace }: Surroundings): HTMLElement {
  const { value, text, isChosen, swatch, configuration, changes } = own;
  const isFar = changes.length > 0;
  const made = button(
    '',
    {
      ...{ class: isFar ? 'value far' : 'value', 'aria-pressed': String(isChosen) },
      'data-key': `${id}=${value}`,
      ...(isFar && { title: `Also changes ${shown(changes.join(', '))}` }),
    },
    () => replace(configuration.id),
  );
  if (swatch !== undefined)
    made.append(
      element('img', { class: 'dot', src: addressOf(swatch), alt: '', width: '22', height: '22' }),
    );
  made.append(shown(text));
  return made;
}

function selectOf(id: string, values: readonly ChoiceValue[], { replace }: Surroundings) {
  const options = values.map(({ value, text }) => element('option', { value }, shown(text)));
  const select = element('select', { 'data-key': id }, ...options);
  select.value = values.find(({ isChosen }) => isChosen)?.value ?? '';
  select.addEventListener('change', () => {
    const chosen = values.find(({ value }) => value === select.value);
    if (chosen !== undefined) replace(chosen.configuration.id);
  });
  return select;
}

function figuresOf(
  { kind = '' }: GalleryArticle,
  { number, size, triangles, splitBy = [] }: GalleryDetails,
): HTMLElement {
  const rows: readonly [string, string][] = [
    ['Kind', shown(kind)],
    ['Final number', shown(number)],
    ['Size, W × D × H', sizeText(size)],
    ['Shape depends on', shown(splitBy.join(' · '))],
    ['Triangles', triangles === null ? '' : triangles.toLocaleString('en')],
  ];
  const known = rows.filter(([, value]) => value !== '');
  return element(
    'dl',
    {},
    ...known.flatMap(([term, value]) => [element('dt', {}, term), element('dd', {}, value)]),
  );
}

/** All configurations of an article, where there are several. */
function configurationsOf(
  { configurations }: GalleryArticle,
  details: GalleryDetails,
  isOnlyWay: boolean,
  around: Surroundings,
): HTMLElement[] {
  if (configurations.length < 2) return [];
  const list = element('ul', { class: 'listed' });
  const more = button('Show more', {}, () => append());
  const append = () => {
    const { length } = list.children;
    const next = configurations.slice(length, length + MOST_LISTED);
    list.append(...next.map((one) => listedRow(one, one.id === details.id, around)));
    more.hidden = list.children.length >= configurations.length;
  };
  append();
  const summary = element(
    'summary',
    {},
    `All ${amountText(configurations.length, 'configuration')}`,
  );
  return [
    element(
      'details',
      { class: 'more listing', ...(isOnlyWay && { open: '' }) },
      summary,
      list,
      more,
    ),
  ];
}

function listedRow(
  one: ListedConfiguration,
  isCurrent: boolean,
  around: Surroundings,
): HTMLElement {
  const image = one.picture
    ? element('img', {
        ...{ src: addressOf(one.picture), alt: '', loading: 'lazy', width: '44', height: '44' },
      })
    : element('span', { class: 'no-shot' });
  const price = priceText({ price: one.price ?? null, currency: one.currency ?? '' });
  const attributes = { 'data-key': one.id, ...(isCurrent && { 'aria-current': 'true' }) };
  const texts = [
    element('span', { class: 'listed-number' }, shown(one.number)),
    element(
      'span',
      { class: 'quiet' },
      [sizeText(one.size ?? null), price].filter(Boolean).join(' · '),
    ),
  ];
  return element(
    'li',
    {},
    linkTo(one.id, around, attributes, image, element('span', {}, ...texts)),
  );
}

function lossesOf({ losses }: GalleryDetails, all: LoadedDetails['losses']): HTMLElement {
  if (losses.length === 0) {
    const exact = 'Every value of the service is converted exactly.';
    return element('p', { class: 'exact quiet' }, exact);
  }
  const rows = losses.map((place) => {
    const [where, field, value, done] = all[place]!;
    return element(
      'li',
      {},
      element('code', {}, shown(`${field} = ${value}`)),
      ` ${shown(done)}`,
      element('span', { class: 'quiet' }, ` in ${shown(where)}`),
    );
  });
  return element(
    'details',
    { class: 'more losses' },
    element('summary', {}, `${losses.length} ${losses.length === 1 ? 'loss' : 'losses'}`),
    element('ul', {}, ...rows),
  );
}
