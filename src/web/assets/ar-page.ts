/** The page that shows an article in the room of its reader: on a phone by its own viewer, on other devices by a code to scan. */
import { createHash } from 'node:crypto';
import { encode, renderSVG } from 'uqr';
import { escaped } from '../../support/escaped.ts';

/** What the page shows; addresses are absolute. */
interface ArPage {
  /** Language of the texts. */
  lang: string;
  title: string;
  /** Address of the page itself. */
  url: string;
  picture: string;
  usdz: string;
  /** Of the profile `ar-android`. */
  glb: string;
  /** The model for the 3D view of this page, relative to it. */
  model: string;
}

const TEXTS = {
  en: {
    open: 'View in your room',
    tap: 'Tap the picture to view it in your room, in its real size.',
    scan: 'Scan this code with a phone or tablet to see it in your room, in its real size.',
    download: 'Download the 3D model',
    back: 'Back',
    unavailable: {
      wrongLink: 'This link is not correct, or it is no longer valid.',
      unknown: 'This article is not available here.',
      busy: 'This article cannot be shown at the moment. Please open the link again in a minute.',
      failed: 'This article cannot be shown.',
    },
  },
  de: {
    open: 'In Ihrem Raum ansehen',
    tap: 'Tippen Sie auf das Bild, um das Möbel in wahrer Größe in Ihrem Raum zu sehen.',
    scan: 'Scannen Sie diesen Code mit einem Telefon oder Tablet, um das Möbel in wahrer Größe in Ihrem Raum zu sehen.',
    download: '3D-Modell herunterladen',
    back: 'Zurück',
    unavailable: {
      wrongLink: 'Dieser Link ist nicht richtig oder nicht mehr gültig.',
      unknown: 'Dieser Artikel ist hier nicht verfügbar.',
      busy: 'Dieser Artikel kann gerade nicht angezeigt werden. Bitte öffnen Sie den Link in einer Minute noch einmal.',
      failed: 'Dieser Artikel kann nicht angezeigt werden.',
    },
  },
} as const;

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: center; gap: 1rem;
  padding: 1rem; box-sizing: border-box; font: 1rem/1.5 system-ui, sans-serif; text-align: center; }
h1 { font-size: 1.25rem; margin: 0; }
[data-for] { display: grid; justify-items: center; gap: 1rem; }
img, svg { display: block; max-width: min(90vw, 26rem); max-height: 50vh; height: auto; border-radius: 12px; }
svg { width: 12rem; background: #fff; }
a.open { display: inline-block; padding: 0.75rem 1.5rem; border-radius: 999px; background: #1a5fb4; color: #fff; text-decoration: none; font-weight: 600; }
a:focus-visible { outline: 3px solid #4a86e0; outline-offset: 3px; }
a[rel=ar] { display: block; color: inherit; text-decoration: none; }
p { max-width: 32rem; margin: 0; }
#view { width: min(90vw, 44rem); height: 50vh; }
[hidden] { display: none; }`;

/**
 * One page for all devices, so that a cache in between needs to know none: a line of script shows the part of this one. Quick
 * Look opens a link whose only element is a picture; Scene Viewer, the address of an Android application.
 */
const SCRIPT = `
const isApple = document.createElement('a').relList.supports('ar') || /iPhone|iPad|iPod/.test(navigator.userAgent);
const kind = isApple ? 'apple' : /Android/.test(navigator.userAgent) ? 'android' : 'other';
for (const part of document.querySelectorAll('[data-for]')) part.hidden = part.dataset.for !== kind;
if (kind === 'other') {
  const view = document.getElementById('view');
  const script = document.createElement('script');
  script.src = '/viewer/viewer.js';
  script.onload = async () => {
    const picture = view.previousElementSibling;
    try {
      view.hidden = false;
      picture.hidden = true;
      await openModelView(view, view.dataset.model, document.title);
    } catch {
      view.hidden = true;
      picture.hidden = false;
    }
  };
  document.body.append(script);
}`;

const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The content security policy of the page: only its own style and scripts, and files of its server. */
export const AR_POLICY = [
  "default-src 'none'",
  "img-src 'self' blob: data:",
  "connect-src 'self' blob:",
  `style-src ${digest(STYLE)}`,
  `script-src 'self' 'wasm-unsafe-eval' ${digest(SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const textsIn = (lang: string) => (lang.toLowerCase().startsWith('de') ? TEXTS.de : TEXTS.en);

/** Makes the page. */
export function arPage({ lang, title, url, picture, usdz, glb, model }: ArPage): string {
  const texts = textsIn(lang);
  const name = escaped(title);
  const code = qrSvg(url);
  const image = `<img src="${escaped(picture)}" alt="${name}" width="640" height="640">`;
  return `${headOf(texts, name)}<h1>${name}</h1>
<div data-for="apple" hidden>
<a rel="ar" href="${escaped(`${usdz}#allowsContentScaling=0`)}">${image}</a>
<p>${texts.tap}</p>
</div>
<div data-for="android" hidden>
${image}
<p><a class="open" href="${escaped(sceneViewer(glb, url, title))}">${texts.open}</a></p>
</div>
<div data-for="other">
${image}
<div id="view" data-model="${escaped(model)}" hidden></div>
${code === undefined ? '' : `${code}\n<p>${texts.scan}</p>`}
<p><a href="${escaped(glb)}">${texts.download}</a></p>
</div>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** The sentence for a visitor, by the status of the answer. */
const UNAVAILABLE: Readonly<Record<number, keyof (typeof TEXTS)['en']['unavailable']>> = {
  400: 'wrongLink',
  403: 'wrongLink',
  404: 'unknown',
  422: 'unknown',
  429: 'busy',
  502: 'failed',
  503: 'busy',
};

/**
 * The page for a visitor whose article cannot be shown: one sentence, and nothing about the service.
 *
 * @param back - Address of the page that the visitor comes from.
 * @returns Undefined for a status that concerns programs and operators.
 */
export function unavailablePage(lang: string, status: number, back?: string): string | undefined {
  const texts = textsIn(lang);
  const key = UNAVAILABLE[status];
  if (key === undefined) return undefined;
  const sentence = texts.unavailable[key];
  const link =
    back === undefined ? '' : `<p><a class="open" href="${escaped(back)}">${texts.back}</a></p>\n`;
  return `${headOf(texts, sentence)}<h1>${sentence}</h1>
${link}</body>
</html>
`;
}

/** @param title - Escaped. */
function headOf(texts: (typeof TEXTS)[keyof typeof TEXTS], title: string): string {
  return `<!doctype html>
<html lang="${texts === TEXTS.de ? 'de' : 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
`;
}

/** The address by which Android opens Scene Viewer; without it, the page stays. @see developers.google.com/ar/develop/scene-viewer, 2026-11 */
function sceneViewer(glb: string, page: string, title: string): string {
  const parameters = new URLSearchParams({
    file: glb,
    mode: 'ar_preferred',
    resizable: 'false',
    title,
  });
  const fallback = `S.browser_fallback_url=${encodeURIComponent(page)}`;
  const intent = `scheme=https;package=com.google.ar.core;action=android.intent.action.VIEW;${fallback};end;`;
  return `intent://arvr.google.com/scene-viewer/1.0?${parameters}#Intent;${intent}`;
}

/** A QR code as SVG; undefined for a text that is too long for one. */
export function qrSvg(text: string): string | undefined {
  return encoded((options) => renderSVG(text, options));
}

/** Pixels of a side of a module. */
const MODULE_PIXELS = 8;

/** A QR code as PNG; undefined for a text that is too long for one. */
export async function qrPng(text: string): Promise<Uint8Array | undefined> {
  const code = encoded((options) => encode(text, options));
  if (code === undefined) return undefined;
  const { data, size } = code;
  const { default: sharp } = await import('sharp');
  const pixels = Uint8Array.from(data.flat(), (isDark) => (isDark ? 0 : 255));
  const side = size * MODULE_PIXELS;
  const image = sharp(pixels, { raw: { width: size, height: size, channels: 1 } });
  return image.resize(side, side, { kernel: 'nearest' }).png({ palette: true }).toBuffer();
}

/** A long text has less redundancy; a longer one has no code: 2,953 bytes at most. */
function encoded<T>(encodeWith: (options: Parameters<typeof encode>[1]) => T): T | undefined {
  for (const ecc of ['M', 'L'] as const) {
    try {
      return encodeWith({ ecc, border: 2 });
    } catch {
      // The library says only that it is too long.
    }
  }
  return undefined;
}
