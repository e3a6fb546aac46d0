/** The report as one HTML page: the first screen shows how the run went and what requires an action. */
import { createHash } from 'node:crypto';
import { assess, type RequiredAction, requiredActions, type Tone } from './assessment.ts';
import {
  type Html,
  html,
  outputLink,
  PAGE_SCRIPT,
  PAGE_STYLE,
  type Section,
} from './html-elements.ts';
import { sectionsOf } from './html-sections.ts';
import type { RunReport } from './run-report.ts';
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
  const { tone, headline } = assess(report);
  const { findings, bars, details } = sectionsOf(report);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${report.pipeline}: ${headline} · ${day(report.startedAt)}</title>
<link rel="icon" href="${tabIcon(tone)}">
<style>${raw(PAGE_STYLE)}</style>
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
${navigation([...findings, ...bars, ...details])}
${findings}
<div class="grid">${bars}</div>
${details}
</main>
${footer(report)}
</div>
<script>${raw(PAGE_SCRIPT)}</script>
</body>
</html>
`.html;
}

function raw(text: string): Html {
  return { html: text };
}

/** Allows only the style and the script of the page; nothing is loaded or sent. */
function policy(): string {
  return [
    "default-src 'none'",
    `style-src '${sourceHash(PAGE_STYLE)}'`,
    `script-src '${sourceHash(PAGE_SCRIPT)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

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

/** A figure with its label; without a count of its own it is drawn without tone. */
interface Tile {
  label: string;
  count: number;
  figure?: string;
  tone?: string;
  note?: string;
  section?: string;
}

/** What became of the configurations; nothing if there are none. */
function tilesCard(report: RunReport): Html | undefined {
  const { configurations: all, articles, command, previousRun } = report;
  const tiles = command === 'fetch' ? fetchTiles(report) : changeTiles(report);
  if (tiles.every(({ count }) => count === 0)) return undefined;
  const title =
    command === 'fetch' || previousRun === undefined ? 'This run' : 'Since the previous run';
  return html`<section class="card tiles" aria-labelledby="changed-title">
<h2 id="changed-title">${title} <span class="count">${amount(all.selected, 'configuration')} of ${amount(articles, 'article')}</span></h2>
${proportions(tiles)}
<ul>${tiles.map(tileItem)}</ul></section>`;
}

function changeTiles({ configurations: all, changes }: RunReport): Tile[] {
  const others = all.failed + all.skipped + changes.new.count + changes.changed.count;
  const same = Math.max(0, all.selected - others);
  const failed = all.failed > 0 ? percentage(all.failed, all.selected) : '';
  const inQuarantine = all.quarantined > 0 ? `${integer(all.quarantined)} in quarantine` : failed;
  const tile = (kind: keyof typeof changes): Tile => {
    return { label: capital(kind), count: changes[kind].count, tone: kind, section: 'changes' };
  };
  const share = same > 0 ? percentage(same, all.selected) : '';
  return [
    tile('new'),
    tile('changed'),
    { label: 'Unchanged', count: same, tone: 'same', note: share },
    tile('removed'),
    ...(all.skipped === 0 ? [] : [skippedTile(all.skipped)]),
    { label: 'Failed', count: all.failed, tone: 'failed', note: inQuarantine, section: 'failures' },
  ];
}

function skippedTile(count: number): Tile {
  return { label: 'Skipped', count, tone: 'same', note: 'without geometry', section: 'skipped' };
}

function fetchTiles({ configurations: { fetched, failed, selected } }: RunReport): Tile[] {
  return [
    { label: 'Fetched', count: fetched, tone: 'new', note: percentage(fetched, selected) },
    { label: 'Failed', count: failed, tone: 'failed', section: 'failures' },
  ];
}

function tileItem({ label, count, figure = integer(count), tone, note = '', section }: Tile): Html {
  const content = html`<span class="label">${label}</span><b>${figure}</b><small>${note}</small>`;
  const inside =
    section === undefined || count === 0
      ? html`<div>${content}</div>`
      : html`<a href="#${section}">${content}</a>`;
  return html`<li class="${tone ?? 'plain'}${count === 0 ? ' none' : ''}">${inside}</li>`;
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
  const actions = requiredActions(report);
  const list =
    actions.length === 0
      ? html`<p class="calm">Nothing. You can close this page.</p>`
      : html`<ol>${actions.map(actionItem)}</ol>`;
  return html`<section class="card needs" aria-labelledby="needs-title"><h2 id="needs-title">What you need to do</h2>${list}</section>`;
}

function actionItem({ tone, title, help, code, section }: RequiredAction): Html {
  const named = section === undefined ? html`${title}` : html`<a href="#${section}">${title}</a>`;
  const tag = code === undefined ? undefined : html` <code>${code}</code>`;
  return html`<li class="${tone}"><p><b>${named}</b>${tag}</p><p class="help">${capital(help)}</p></li>`;
}

function totalsCard(report: RunReport): Html | undefined {
  const totals = totalTiles(report).filter(({ count }) => count > 0);
  if (totals.length === 0) return undefined;
  return html`<section class="card tiles totals" aria-labelledby="totals-title">
<h2 id="totals-title">Totals</h2><ul>${totals.map(tileItem)}</ul></section>`;
}

function totalTiles({
  objects,
  triangles,
  requests,
  geometry,
  configurations: all,
}: RunReport): Tile[] {
  const { sent, fromCache, bytesReceived } = requests;
  const { savedBytes, savedFiles } = objects;
  const dropped = geometry.droppedTriangles;
  return [
    { label: 'GLB files', count: objects.distinct, note: size(objects.bytes) },
    {
      ...{ label: 'Saved by deduplication', count: savedFiles, figure: size(savedBytes) },
      note: amount(savedFiles, 'file'),
    },
    {
      label: 'Triangles',
      count: triangles,
      note: dropped > 0 ? `${integer(dropped)} dropped` : '',
    },
    { label: 'Requests sent', count: sent, note: `${size(bytesReceived)} received` },
    {
      ...{ label: 'From the cache', count: fromCache },
      ...{ figure: percentage(fromCache, sent + fromCache), note: amount(fromCache, 'response') },
    },
    {
      ...{
        label: 'Without a request',
        count: all.kept,
        figure: percentage(all.kept, all.selected),
      },
      note: amount(all.kept, 'configuration'),
    },
  ];
}

function navigation(sections: readonly Section[]): Html {
  const links = sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`);
  return html`<nav class="jump" aria-label="Sections">${links}</nav>`;
}

function footer(report: RunReport): Html {
  return html`<footer><p>Files: <a href="report.json">report.json</a> · <a href="failures.jsonl">failures.jsonl</a> · <a href="${outputLink('manifest.jsonl')}">manifest.jsonl</a></p>
<p>Run <code>${report.run}</code> · output <code class="wrap">${report.outputDir}</code> · cache <code class="wrap">${report.cacheDir}</code></p></footer>`;
}
