/** The detail of one article of the gallery: pictures, 3D view, figures, downloads and the snippet for a shop. */
import { visible } from '../../../support/visible.ts';
import { altText } from '../../making/alt-text.ts';
import { MASTER, VARIANTS } from '../../making/names.ts';
import { button, byId, element } from '../../pictures/page/elements.ts';
import {
  addressOf,
  type GalleryData,
  type GalleryFile,
  type GalleryItem,
  MODEL_VIEWER_EXPOSURE,
  type ModelView,
  mainPicture,
  type OpenModelView,
  viewsOf,
} from '../gallery-data.ts';
import { bytesText, priceText, sizeText } from './gallery-texts.ts';

const ANDROID = 'ar-android';
const IOS = 'ar-ios';

/** Replaces the address of a shop if the page was opened from a disk. */
const SHOP = 'https://shop.example/gallery/';

interface Surroundings {
  data: GalleryData;
  previous: GalleryItem | undefined;
  next: GalleryItem | undefined;
  /** `3 of 107` */
  position: string;
  onClose(): void;
}

const dialog = byId<HTMLDialogElement>('detail');
let view: ModelView | undefined;
/** Number of the open article: a model that was loaded late does not belong to it. */
let opened = 0;
let onClose: () => void = () => {};

dialog.addEventListener('close', () => {
  endView();
  opened++;
  onClose();
});
dialog.addEventListener('click', (event) => {
  // The click was beside the dialog.
  if (event.target === dialog) dialog.close();
});
dialog.addEventListener('keydown', (event) => {
  const isModel = event.target instanceof HTMLCanvasElement;
  const isField = event.target instanceof Element && event.target.matches('select, textarea');
  if (isModel || isField || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = { ArrowLeft: '.previous', ArrowRight: '.next' }[event.key];
  if (target !== undefined) dialog.querySelector<HTMLAnchorElement>(target)?.click();
});

function endView(): void {
  view?.close();
  view = undefined;
}

/** Shows an article in the dialog of the page. */
export function openDetail(item: GalleryItem, around: Surroundings): void {
  endView();
  opened++;
  onClose = around.onClose;
  const stage = element('div', { class: 'stage' });
  const views = viewsOf(item);
  const close = button('×', { class: 'close', 'aria-label': 'Close' }, () => dialog.close());
  const name = element(
    'h2',
    { id: 'detail-name', tabindex: '-1' },
    shown(item.name || item.number),
  );
  dialog.replaceChildren(
    element(
      'div',
      { class: 'bar' },
      step('previous', '‹', 'Previous article', around.previous),
      element('span', { class: 'position' }, around.position),
      step('next', '›', 'Next article', around.next),
      close,
    ),
    element(
      'div',
      { class: 'columns' },
      element('div', {}, stage, stageButtons(item, stage, views, around.data)),
      element('div', { class: 'facts' }, name, ...factsOf(item, around.data)),
    ),
  );
  showPicture(item, stage, mainPicture(item));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  name.focus();
}

function altOf({ name, number, variant }: GalleryItem): string {
  return altText({ name: name || number, variant });
}

function step(kind: string, sign: string, label: string, item: GalleryItem | undefined) {
  if (item === undefined) return element('span', { class: `step ${kind}`, 'aria-hidden': 'true' });
  const href = `#${encodeURIComponent(item.id)}`;
  return element('a', { class: `step ${kind}`, href, 'aria-label': label }, sign);
}

/** Returns a text of the service on one line. */
function shown(text: string): string {
  return visible(text, true);
}

function showPicture(item: GalleryItem, stage: HTMLElement, picture: GalleryFile | undefined) {
  endView();
  const alt = `${altOf(item)}, ${picture?.camera}`;
  stage.replaceChildren(
    picture
      ? element('img', { src: addressOf(picture.path), alt })
      : element('p', { class: 'missing' }, 'No picture'),
  );
}

function stageButtons(
  item: GalleryItem,
  stage: HTMLElement,
  views: readonly GalleryFile[],
  { items }: GalleryData,
) {
  const row = element('div', { class: 'views', role: 'group', 'aria-label': 'Views' });
  const choose = (chosen: HTMLElement, show: () => void) => {
    for (const each of row.querySelectorAll('button'))
      each.setAttribute('aria-pressed', String(each === chosen));
    row.querySelector('.finish')?.remove();
    show();
  };
  const toggle = (text: string, isPressed: boolean, show: () => void) => {
    const made = button(text, { 'aria-pressed': String(isPressed) }, () => choose(made, show));
    return made;
  };
  const main = mainPicture(item);
  row.append(
    ...views.map((file) =>
      toggle(shown(file.camera!), file === main, () => showPicture(item, stage, file)),
    ),
    toggle('3D', false, () => void showModel(item, stage, row, items)),
  );
  return row;
}

async function showModel(
  item: GalleryItem,
  stage: HTMLElement,
  row: HTMLElement,
  items: readonly GalleryItem[],
): Promise<void> {
  endView();
  const mine = ++opened;
  const note = element('p', { class: 'missing', role: 'status' }, 'Loading the model …');
  stage.replaceChildren(note);
  if (location.protocol === 'file:') {
    note.textContent = 'A browser opens no model from a disk: run btg2gltf view for the 3D view.';
    return;
  }
  try {
    const open = await loadViewer();
    const file = item.files.find(({ delivery }) => delivery === VARIANTS) ?? item.files[0]!;
    const label = `3D view of ${shown(item.name || item.number)}. Arrow keys turn it, plus and minus zoom, Home resets.`;
    const loaded = await open(stage, addressOf(file.path), label, file.finish);
    if (mine !== opened) return loaded.close();
    view = loaded;
    note.remove();
    if (loaded.finishes.length < 2) return;
    const withFinish = (finish: number) =>
      items.find(({ files }) =>
        files.some((each) => each.path === file.path && each.finish === loaded.finishes[finish]),
      );
    row.append(finishSwitcher(loaded, (finish) => linkTo(withFinish(finish), item)));
  } catch (error) {
    if (mine === opened)
      note.textContent = `The model cannot be shown: ${(error as Error).message}`;
  }
}

function linkTo(other: GalleryItem | undefined, item: GalleryItem): HTMLElement | string {
  if (other === undefined || other === item) return '';
  const text = [shown(other.configuration), priceText(other)].filter((each) => each !== '');
  return element('a', { href: `#${encodeURIComponent(other.id)}` }, text.join(' · '));
}

function finishSwitcher(
  model: ModelView,
  linkOf: (finish: number) => HTMLElement | string,
): HTMLElement {
  const options = model.finishes.map((name, i) =>
    element('option', { value: String(i) }, shown(name)),
  );
  const select = element('select', {}, ...options);
  select.value = String(model.first);
  const link = element('span', { role: 'status' });
  select.addEventListener('change', () => {
    const finish = Number(select.value);
    link.replaceChildren(linkOf(finish));
    void model.choose(finish);
  });
  return element('div', { class: 'finish' }, element('label', {}, 'Finish ', select), link);
}

let viewer: Promise<OpenModelView> | undefined;

/** Loads the viewer when it is first opened: it is large, and most visitors look at pictures. */
function loadViewer(): Promise<OpenModelView> {
  viewer ??= new Promise((resolve, reject) => {
    const script = element('script', { src: 'viewer.js' });
    script.addEventListener('load', () => {
      resolve((globalThis as unknown as { openModelView: OpenModelView }).openModelView);
    });
    script.addEventListener('error', () => {
      viewer = undefined;
      reject(new Error('viewer.js is missing'));
    });
    document.head.append(script);
  });
  return viewer;
}

function factsOf(item: GalleryItem, data: GalleryData): HTMLElement[] {
  const { manufacturer, program, number, configuration, variant, text, triangles, error } = item;
  const { splitBy = [] } = item;
  // Most texts begin with the name.
  const more = text.startsWith(item.name) ? text.slice(item.name.length).trim() : text;
  const rows: readonly [string, string][] = [
    ['Manufacturer', shown(manufacturer)],
    ['Series', shown(program)],
    ['Number', shown(number)],
    ['Final number', shown(configuration)],
    ['Width × depth × height', sizeText(item)],
    ['Price', priceText(item)],
    ['Shape depends on', shown(splitBy.join(' · '))],
    ['Triangles', triangles === null ? '' : triangles.toLocaleString('en')],
  ];
  const parts = [
    error === undefined
      ? undefined
      : element('p', { class: 'warning' }, `These are the last good files: ${shown(error)}`),
    more ? element('p', { class: 'text' }, visible(more)) : undefined,
    variant ? element('p', { class: 'text quiet' }, visible(variant)) : undefined,
    element(
      'dl',
      {},
      ...rows
        .filter(([, value]) => value !== '')
        .flatMap(([term, value]) => [element('dt', {}, term), element('dd', {}, value)]),
    ),
    element('h3', {}, 'Files'),
    element('ul', { class: 'files' }, ...item.files.map((file) => download(item, file))),
    ...snippet(item),
    lossesOf(item, data),
  ];
  return parts.filter((part) => part !== undefined);
}

/** A download link. The file name is valid on every system, and differs from those of other articles. */
function download({ number }: GalleryItem, { delivery, name, path, bytes }: GalleryFile) {
  // The name of a master is a digest, which the page replaces.
  const text = delivery === MASTER ? `model${name.slice(name.lastIndexOf('.'))}` : name;
  const saved = `${number}-${delivery}-${text}`.replace(/[^\w.+-]+/g, '_');
  const link = element('a', { href: addressOf(path), download: saved }, shown(text));
  const from = element('span', { class: 'quiet' }, shown(delivery));
  return element('li', {}, from, link, element('span', { class: 'quiet' }, bytesText(bytes)));
}

function snippet(item: GalleryItem): HTMLElement[] {
  const text = snippetText(item);
  const area = element('textarea', {
    ...{ readonly: '', rows: '6', spellcheck: 'false', id: 'snippet', wrap: 'off' },
    'aria-label': 'HTML of a 3D view for a shop',
  });
  area.value = text;
  const status = element('span', { class: 'quiet', role: 'status' });
  const copy = button('Copy', {}, () => {
    area.select();
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject();
    copied.then(
      () => {
        status.textContent = 'Copied';
      },
      () => {
        // Without TLS a page cannot use the clipboard: the text is selected.
        status.textContent = document.execCommand('copy') ? 'Copied' : 'Press Ctrl-C';
      },
    );
  });
  const help = element(
    'p',
    { class: 'quiet' },
    'For a page that loads the script of @google/model-viewer.',
  );
  return [
    element('h3', {}, 'For a shop'),
    help,
    area,
    element('p', { class: 'copy' }, copy, status),
  ];
}

/** The snippet for a shop. Its addresses are those of this gallery, which a shop replaces by its own. */
function snippetText(item: GalleryItem): string {
  const of = (wanted: string, ending: string) =>
    item.files.find(({ delivery, name }) => delivery === wanted && name.endsWith(ending));
  const picture = mainPicture(item);
  const model = of(ANDROID, '.glb') ?? item.files[0]!;
  const quickLook = of(IOS, '.usdz');
  const attributes: [string, string][] = [
    ['src', absolute(model)],
    ...(quickLook ? [['ios-src', absolute(quickLook)] as [string, string]] : []),
    ...(picture ? [['poster', absolute(picture)] as [string, string]] : []),
    ['alt', altOf(item)],
    ['exposure', String(MODEL_VIEWER_EXPOSURE)],
  ];
  const lines = attributes.map(([name, value]) => `  ${name}="${escaped(value)}"`);
  return `<model-viewer\n${lines.join('\n')}\n  ar ar-modes="webxr scene-viewer quick-look" camera-controls></model-viewer>`;
}

function absolute({ path }: GalleryFile): string {
  const page = location.protocol === 'file:' ? SHOP : location.href;
  return new URL(addressOf(path), page).href;
}

function escaped(value: string): string {
  return value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function lossesOf({ losses }: GalleryItem, data: GalleryData): HTMLElement {
  if (losses.length === 0) {
    return element(
      'p',
      { class: 'exact quiet' },
      'Every value of the service is converted exactly.',
    );
  }
  const rows = losses.map((place) => {
    const [where, field, value, done] = data.losses[place]!;
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
    { class: 'losses' },
    element('summary', {}, `${losses.length} ${losses.length === 1 ? 'loss' : 'losses'}`),
    element('ul', {}, ...rows),
  );
}
