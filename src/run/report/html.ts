/** The report as one HTML page: the first screen shows how the run went and what requires an action. */
import { createHash } from 'node:crypto';
import { pageHead } from '../../support/page-head.ts';
import { assess, requiredActions, type Tone } from './assessment.ts';
import { card, PAGE_SCRIPT, PAGE_STYLE } from './html-elements.ts';
import { PICTURES_SCRIPT, PICTURES_STYLE, picturesSection } from './html-pictures.ts';
import { sectionsOf } from './html-sections.ts';
import { type Html, html } from './markup.ts';
import type { ArticlePictures, RunReport } from './run-report.ts';
import { amount, capital, day, duration, instant, integer, percentage, size } from './text.ts';

/**
 * Makes the page of a report. It loads nothing: its policy allows only its own style and script.
 *
 * @returns HTML with links relative to the folder of the run.
 *
 * @example
 * ```ts
 * await replaceFile(join(runFolder, 'report.html'), reportHtml(report));
 * ```
 *
 * @see D-856, D-858.
 */
export function reportHtml(report: RunReport): string {
  return pageOf(report, []);
}

/** Bytes of the page that pictures may take it up to, so that it can be sent by mail. */
const MOST_BYTES = 1_900_000;

/** Bytes of the markup of one article with pictures, and of a picture as base64. */
const MARKUP_BYTES = 2_000;
const inPage = ({ now, before }: ArticlePictures) =>
  MARKUP_BYTES + Math.ceil((4 * (now.length + (before?.length ?? 0))) / 3);

/**
 * Makes the page of a report with pictures of what is new and has changed.
 *
 * @param pictures - JPEGs, the most important first; what would make the page larger than 2 MB is left out.
 */
export function reportHtmlWithPictures(
  report: RunReport,
  pictures: readonly ArticlePictures[],
): string {
  const page = reportHtml(report);
  let left = MOST_BYTES - Buffer.byteLength(page);
  const fitting = pictures.filter((one) => {
    left -= inPage(one);
    return left > 0;
  });
  return fitting.length === 0 ? page : pageOf(report, fitting);
}

function pageOf(report: RunReport, pictures: readonly ArticlePictures[]): string {
  const { tone, headline } = assess(report);
  const { findings: tables, bars, details } = sectionsOf(report);
  const shown = picturesSection(report, pictures);
  // Before the table of changes, which is the last of the findings.
  const findings = shown === undefined ? tables : tables.toSpliced(-1, 0, shown);
  const sections = [...findings, ...bars, ...details];
  const links = sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`);
  return html`${HEAD}
<title>${report.pipeline}: ${headline} · ${day(report.startedAt)}</title>
<link rel="icon" href="${tabIcon(tone)}">
<style>${raw(STYLE)}</style>
</head>
<body>
<a class="skip" href="#details">Skip to the details</a>
<div class="page">
${header(report)}
<main>
${tilesCard(report)}
${actionsCard(report)}
${totalsCard(report)}
<div id="details" class="find" role="search"><label class="away" for="find">Search in all tables</label><input id="find" type="search" placeholder="Search articles, causes, messages … ( / )" autocomplete="off" spellcheck="false"><output id="found" for="find" aria-live="polite"></output></div>
<nav class="jump" aria-label="Sections">${links}</nav>
${findings}
<div class="grid">${bars}</div>
${details}
</main>
${footer(report)}
</div>
${raw(`<script>${SCRIPT}</script>`)}
</body>
</html>
`.html;
}

function raw(text: string): Html {
  return { html: text };
}

const STYLE = PAGE_STYLE + PICTURES_STYLE;
const SCRIPT = PAGE_SCRIPT + PICTURES_SCRIPT;

/** Allows only the style and the script of the page; nothing is loaded or sent. */
const HEAD = raw(
  pageHead({
    'style-src': `'${sourceHash(STYLE)}'`,
    'script-src': `'${sourceHash(SCRIPT)}'`,
    'img-src': 'data:',
  }),
);

function sourceHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** A sign and a text for each tone, because colour alone is not accessible; the colour of the tab icon. */
const SIGNS: Readonly<Record<Tone, { path: string; text: string; colour: string }>> = {
  good: { path: 'M5 12.5l4.5 4.5L19 7.5', text: 'Good', colour: '#1a7f4b' },
  look: { path: 'M5 12.5l4.5 4.5L19 7.5', text: 'Good, with findings', colour: '#1a7f4b' },
  partly: { path: 'M12 6v7.5M12 17.2v.6', text: 'Attention', colour: '#b7580a' },
  bad: { path: 'M7 7l10 10M17 7L7 17', text: 'Bad', colour: '#c4282f' },
};

function tabIcon(tone: Tone): string {
  const { path, colour } = SIGNS[tone];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="12" fill="${colour}"/><path d="${path}" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function header(report: RunReport): Html {
  const { tone, headline, detail } = assess(report);
  const { pipeline, startedAt, totalMs, service, previousRun, command } = report;
  const { path, text } = SIGNS[tone];
  const sign = html`<svg class="sign" viewBox="0 0 24 24" role="img" aria-label="${text}"><circle cx="12" cy="12" r="12"/><path d="${path}"/></svg>`;
  const facts = [
    html`<time datetime="${startedAt}">${instant(startedAt)}</time>`,
    html`took ${duration(totalMs)}`,
    previousRun === undefined
      ? undefined
      : html`<a href="../${encodeURIComponent(previousRun)}/report.html">previous run</a>`,
    html`<span class="wrap">${service}</span>`,
  ].filter((fact) => fact !== undefined);
  return html`<header class="${tone}">
<p class="eyebrow">${pipeline}${command === 'run' ? undefined : ` · ${command}`}</p>
<div class="assessment">${sign}<div><h1>${headline}</h1><p>${detail}</p></div></div>
<ul class="facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>
</header>`;
}

interface Tile {
  label: string;
  count: number;
  /** Of a figure that is no count. */
  figure?: string | undefined;
  note?: string;
  tone?: string;
  section?: string;
}

function tilesCard(report: RunReport): Html | undefined {
  const { configurations: all, articles, command, previousRun } = report;
  const tiles = command === 'fetch' ? fetchTiles(report) : changeTiles(report);
  if (tiles.every(({ count }) => count === 0)) return undefined;
  const isCompared = command !== 'fetch' && previousRun !== undefined;
  const title = isCompared ? 'Since the last publication' : 'This run';
  const counts = html`<span class="count">${amount(all.selected, 'configuration')} of ${amount(articles, 'article')}</span>`;
  return card('tiles', 'changed', title, counts, [proportions(tiles), tileList(tiles)]);
}

function changeTiles({ configurations: all, changes }: RunReport): Tile[] {
  const { selected, skipped, failed, quarantined } = all;
  const others = failed + all.failedCarts + skipped + changes.new.count + changes.changed.count;
  const same = Math.max(0, selected - others);
  const share = (count: number) => (count > 0 ? percentage(count, selected) : '');
  const inQuarantine = quarantined > 0 ? `${integer(quarantined)} in quarantine` : share(failed);
  const tile = (kind: keyof typeof changes): Tile => {
    return { label: capital(kind), count: changes[kind].count, tone: kind, section: 'changes' };
  };
  const skippedTile = {
    label: 'Skipped',
    count: skipped,
    note: 'without geometry',
    tone: 'same',
    section: 'skipped',
  };
  return [
    tile('new'),
    tile('changed'),
    { label: 'Same as before', count: same, note: share(same), tone: 'same' },
    tile('removed'),
    ...(skipped === 0 ? [] : [skippedTile]),
    { label: 'Failed', count: failed, note: inQuarantine, tone: 'failed', section: 'failures' },
    ...cartTiles(all),
  ];
}

function cartTiles({ failedCarts: count }: RunReport['configurations']): Tile[] {
  if (count === 0) return [];
  return [{ label: 'Failed, of carts', count, tone: 'failed', section: 'failures' }];
}

function fetchTiles({ configurations }: RunReport): Tile[] {
  const { fetched, failed, selected } = configurations;
  return [
    { label: 'Fetched', count: fetched, note: percentage(fetched, selected), tone: 'new' },
    { label: 'Failed', count: failed, tone: 'failed', section: 'failures' },
    ...cartTiles(configurations),
  ];
}

function tileList(tiles: readonly Tile[]): Html {
  return html`<ul>${tiles.map(tileItem)}</ul>`;
}

function tileItem({ label, count, figure, note, tone = '', section }: Tile): Html {
  const content = html`<span class="label">${label}</span><b>${figure ?? integer(count)}</b><small>${note}</small>`;
  const inside =
    section === undefined || count === 0
      ? html`<div>${content}</div>`
      : html`<a href="#${section}">${content}</a>`;
  return html`<li class="${tone}${count === 0 ? ' none' : ''}">${inside}</li>`;
}

const SMALLEST_PART = 0.6;

function proportions(tiles: readonly Tile[]): Html {
  const counted = tiles.filter(({ count }) => count > 0);
  const all = counted.reduce((sum, { count }) => sum + count, 0);
  const widths = counted.map(({ count }) => Math.max(SMALLEST_PART, (100 * count) / all));
  const total = widths.reduce((sum, width) => sum + width, 0);
  let x = 0;
  const parts = counted.map(({ tone }, i) => {
    const width = (100 * widths[i]!) / total;
    const part = html`<rect class="${tone}" x="${x.toFixed(3)}" width="${width.toFixed(3)}" height="1"/>`;
    x += width;
    return part;
  });
  return html`<svg class="parts" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}

function actionsCard(report: RunReport): Html {
  const items = requiredActions(report).map(({ tone, title, help, code, section }) => {
    const named = section === undefined ? title : html`<a href="#${section}">${title}</a>`;
    const tag = code && html` <code>${code}</code>`;
    return html`<li class="${tone}"><p><b>${named}</b>${tag}</p><p class="help">${capital(help)}</p></li>`;
  });
  const calm = html`<p class="note">Nothing. You can close this page.</p>`;
  const content = items.length === 0 ? calm : html`<ol>${items}</ol>`;
  return card('needs', 'needs', 'Needs attention', undefined, content);
}

function totalsCard({ objects, triangles, requests, geometry, configurations }: RunReport) {
  const { distinct, bytes, savedBytes, savedFiles } = objects;
  const { sent, fromCache, bytesReceived } = requests;
  const { kept, selected } = configurations;
  const dropped = geometry.droppedTriangles;
  const ofResponses = percentage(fromCache, sent + fromCache);
  const totals: readonly [label: string, count: number, note: string, figure?: string][] = [
    ['GLB files', distinct, size(bytes)],
    ['Saved by deduplication', savedFiles, amount(savedFiles, 'file'), size(savedBytes)],
    ['Triangles', triangles, dropped > 0 ? `${integer(dropped)} dropped` : ''],
    ['Requests sent', sent, `${size(bytesReceived)} received`],
    ['From the cache', fromCache, amount(fromCache, 'response'), ofResponses],
    [
      'Up to date without a request',
      kept,
      amount(kept, 'configuration'),
      percentage(kept, selected),
    ],
  ];
  const tiles = totals.map(([label, count, note, figure]) => ({ label, count, note, figure }));
  const some = tiles.filter(({ count }) => count > 0);
  if (some.length === 0) return undefined;
  return card('tiles totals', 'totals', 'Totals', undefined, tileList(some));
}

function footer(report: RunReport): Html {
  return html`<footer><p>Files: <a href="report.json">report.json</a> · <a href="failures.jsonl">failures.jsonl</a> · <a href="../../manifest.jsonl">manifest.jsonl</a></p>
<p>Run <code>${report.run}</code> · output <code class="wrap">${report.outputDir}</code> · cache <code class="wrap">${report.cacheDir}</code></p></footer>`;
}
