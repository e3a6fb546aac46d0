/** What a visitor takes from an article: files, archives of them, the snippet for a shop, and the page that shows it in a room. */
import {
  EMBED,
  MASTER,
  PICTURES,
  SWATCHES,
  USDZ_PROFILE,
  VARIANTS,
  WEB_PROFILE,
} from '../../making/names.ts';
import { button, element } from '../../pictures/page/elements.ts';
import {
  addressOf,
  type GalleryArticle,
  type GalleryDetails,
  type GalleryFile,
} from '../gallery-data.ts';
import { IS_ON_DISK } from './gallery-parts.ts';
import { snippetFor } from './gallery-snippet.ts';
import { amountText, bytesText, shown } from './gallery-texts.ts';
import { save, zipOf } from './gallery-zip.ts';

/** What a file is for, by the name of its delivery, which replaces what is not listed here. */
const PURPOSES: Readonly<Record<string, string>> = {
  [MASTER]: 'Original',
  [VARIANTS]: 'All finishes',
  [PICTURES]: 'Picture',
  [SWATCHES]: 'Materials',
  [WEB_PROFILE]: 'Web page',
  'ar-android': 'AR on Android',
  [USDZ_PROFILE]: 'AR on iPhone',
  [EMBED]: 'Shop page',
};

/** The files of a configuration as links, and as archives. */
export function filesOf(
  article: GalleryArticle,
  all: readonly GalleryDetails[],
  details: GalleryDetails,
) {
  const list = element(
    'ul',
    { class: 'files' },
    ...details.files.map((file) => download(article, file)),
  );
  const archives = element('p', { class: 'actions' });
  const status = element('span', { class: 'quiet', role: 'status' });
  archives.append(archiveButton('These files', details.number, details.files, status));
  const everything = all.flatMap(({ files }) => files);
  const distinct = [...new Map(everything.map((file) => [file.path, file])).values()];
  if (distinct.length > details.files.length)
    archives.append(
      archiveButton(
        `All ${amountText(all.length, 'configuration')}`,
        article.number,
        distinct,
        status,
      ),
    );
  archives.append(status);
  // A page from a disk may read no file; they are beside it.
  return [element('h3', {}, 'Files'), list, ...(IS_ON_DISK ? [] : [archives])];
}

function archiveButton(
  text: string,
  number: string,
  files: readonly GalleryFile[],
  status: HTMLElement,
): HTMLButtonElement {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const made = button(`${text} as .zip, ${bytesText(total)}`, {}, async () => {
    made.disabled = true;
    try {
      const onProgress = (packed: number) => {
        status.textContent = `${Math.floor((100 * packed) / Math.max(1, total))} %`;
      };
      save(await zipOf(files, onProgress), `${fileName(number)}.zip`);
      status.textContent = 'Saved';
    } catch (error) {
      status.textContent = `Not saved: ${(error as Error).message}`;
    }
    made.disabled = false;
  });
  return made;
}

/** A name that is valid on every system. */
function fileName(text: string): string {
  return text.replace(/[^\w.+-]+/g, '_');
}

/** A link to a page, or a download link, whose file name differs from those of other articles. */
function download({ number }: GalleryArticle, { delivery, name, path, bytes }: GalleryFile) {
  // The name of a master is a digest, which the page replaces.
  const text = delivery === MASTER ? `model${name.slice(name.lastIndexOf('.'))}` : name;
  const saved = fileName(`${number}-${delivery}-${text}`);
  const isPage = delivery === EMBED;
  const target = isPage ? { target: '_blank' } : { download: saved };
  const purpose = shown(PURPOSES[delivery] ?? delivery);
  const from = element('span', { title: shown(delivery) }, purpose);
  const file = isPage ? 'page to embed' : shown(text);
  const attributes = { href: addressOf(path), 'aria-label': `${purpose}: ${file}` };
  const link = element('a', { ...attributes, ...target }, file);
  return element('li', {}, from, link, element('span', { class: 'quiet' }, bytesText(bytes)));
}

/**
 * What a shop needs to show a configuration.
 *
 * @param all - All configurations of the article.
 * @param assetsUrl - Address of a server of assets.
 */
export function shopOf(
  article: GalleryArticle,
  all: readonly GalleryDetails[],
  details: GalleryDetails,
  assetsUrl: string | undefined,
): HTMLElement[] {
  const text = snippetFor(details, all);
  const area = element('textarea', {
    ...{ readonly: '', rows: '6', spellcheck: 'false', id: 'snippet', wrap: 'off' },
    'aria-label': 'HTML of a 3D view for a shop',
  });
  area.value = text;
  const status = element('span', { class: 'quiet', role: 'status' });
  const copy = button('Copy', {}, () => {
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject();
    copied.then(
      () => {
        status.textContent = 'Copied';
      },
      () => {
        // Without TLS a page cannot use the clipboard: the text is selected.
        area.select();
        status.textContent = document.execCommand('copy') ? 'Copied' : 'Press Ctrl-C';
      },
    );
  });
  const help =
    'Paste it where the article should appear. It loads model-viewer, and what the file needs to be read, from a public server.';
  const room =
    assetsUrl === undefined
      ? undefined
      : element('a', { href: roomAddress(assetsUrl, article, details) }, 'Show it in a room');
  return [
    element('h3', {}, 'For a shop'),
    element('p', { class: 'quiet' }, help),
    area,
    element('p', { class: 'actions' }, copy, status, room),
  ];
}

/** The page of a server of assets that shows a configuration in a room. */
function roomAddress(
  assetsUrl: string,
  { manufacturer, program, number }: GalleryArticle,
  details: GalleryDetails,
): string {
  const path = [manufacturer, program, number].map(encodeURIComponent).join('/');
  const { reinitstring, metareinitstring } = details;
  const values = { finalarticlenumber: details.number, reinitstring, metareinitstring };
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  return `${assetsUrl.replace(/\/+$/, '')}/ar/${path}?${query}`;
}
