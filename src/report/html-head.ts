/**
 * HTML head: the first screenful: did it go well, what changed, what needs somebody.
 *
 * In: a report. Out: the top of the page.
 */
import { type Html, html, outputLink } from './html-text.ts';
import type { RunReport } from './run-report.ts';
import { capital, type Need, needsOf, type Tone, verdictOf } from './verdict.ts';
import { amount, duration, instant, share, size, whole } from './words.ts';

/** A sign for each tone: colour alone says nothing to many. */
const SIGNS: Readonly<Record<Tone, { path: string; says: string }>> = {
  good: { path: 'M5 12.5l4.5 4.5L19 7.5', says: 'Good' },
  look: { path: 'M5 12.5l4.5 4.5L19 7.5', says: 'Good, with something to look at' },
  partly: { path: 'M12 6v7.5M12 17.2v.6', says: 'Attention' },
  bad: { path: 'M7 7l10 10M17 7L7 17', says: 'Bad' },
};

/** Colours of the sign in the browser's tab, which knows none of the page's. */
const TAB_COLOURS: Readonly<Record<Tone, string>> = {
  good: '#1a7f4b',
  look: '#1a7f4b',
  partly: '#b7580a',
  bad: '#c4282f',
};

/** The sign of the tab, as an address that holds all of it. */
export function tabIcon(tone: Tone): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="12" fill="${TAB_COLOURS[tone]}"/><path d="${SIGNS[tone].path}" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function sign(tone: Tone): Html {
  const { path, says } = SIGNS[tone];
  return html`<svg class="sign" viewBox="0 0 24 24" role="img" aria-label="${says}"><circle cx="12" cy="12" r="12"/><path d="${path}"/></svg>`;
}

/** The verdict, and which run it is about. */
export function headOf(report: RunReport): Html {
  const { tone, headline, detail } = verdictOf(report);
  const { pipeline, startedAt, totalMs, service, previousRun, command } = report;
  const facts = [
    html`<time datetime="${startedAt}">${instant(startedAt)}</time>`,
    html`took ${duration(totalMs)}`,
    previousRun === undefined
      ? undefined
      : html`<a href="../${encodeURIComponent(previousRun)}/report.html">the run before</a>`,
    html`<span class="wrap">${service}</span>`,
  ].filter((fact) => fact !== undefined);
  return html`<header class="${tone}">
<p class="eyebrow">${pipeline}${command === 'run' ? undefined : ` · ${command}`}</p>
<div class="verdict">${sign(tone)}<div><h1>${headline}</h1><p>${detail}</p></div></div>
<ul class="facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>
</header>`;
}

interface Tile {
  label: string;
  count: number;
  tone: string;
  /** A few words more. */
  told: string;
  section: string;
}

/** How many configurations are new, changed, as they were, gone and failed. */
export function tilesOf(report: RunReport): Html {
  const { configurations: all, changes } = report;
  const same = Math.max(0, all.selected - all.failed - changes.new.count - changes.changed.count);
  const quarantined = all.quarantined > 0 ? `${whole(all.quarantined)} in quarantine` : '';
  const tiles: Tile[] = [
    { label: 'New', count: changes.new.count, tone: 'new', told: '', section: 'changes' },
    {
      label: 'Changed',
      count: changes.changed.count,
      tone: 'changed',
      told: '',
      section: 'changes',
    },
    {
      label: 'Unchanged',
      count: same,
      tone: 'same',
      told: same > 0 ? share(same, all.selected) : '',
      section: '',
    },
    {
      label: 'Removed',
      count: changes.removed.count,
      tone: 'removed',
      told: '',
      section: 'changes',
    },
    {
      label: 'Failed',
      count: all.failed,
      tone: 'failed',
      told: quarantined || (all.failed > 0 ? share(all.failed, all.selected) : ''),
      section: 'failures',
    },
  ];
  const shown = report.command === 'fetch' ? fetchTiles(report) : tiles;
  return html`<section class="card tiles" aria-labelledby="changed-title">
<h2 id="changed-title">${report.command === 'fetch' ? 'This fetch' : 'Since the last time'} <span class="count">${amount(all.selected, 'configuration')} of ${amount(report.articles, 'article')}</span></h2>
${proportions(shown)}
<ul>${shown.map(tile)}</ul></section>`;
}

function fetchTiles({ configurations: { fetched, failed, selected } }: RunReport): Tile[] {
  return [
    { label: 'Fetched', count: fetched, tone: 'new', told: share(fetched, selected), section: '' },
    { label: 'Failed', count: failed, tone: 'failed', told: '', section: 'failures' },
  ];
}

function tile({ label, count, tone, told, section }: Tile): Html {
  const words = html`<span class="label">${label}</span><b>${whole(count)}</b><small>${told}</small>`;
  const inside =
    section === '' || count === 0
      ? html`<div>${words}</div>`
      : html`<a href="#${section}">${words}</a>`;
  return html`<li class="${tone}${count === 0 ? ' none' : ''}">${inside}</li>`;
}

/** Widest of the bar's parts that would not be seen, in hundredths of the bar. */
const SEEN = 0.6;

function proportions(tiles: readonly Tile[]): Html {
  const counted = tiles.filter(({ count }) => count > 0);
  const all = counted.reduce((sum, { count }) => sum + count, 0);
  const widths = counted.map(({ count }) => Math.max(SEEN, (100 * count) / all));
  const together = widths.reduce((sum, width) => sum + width, 0);
  let x = 0;
  const parts = counted.map(({ tone }, i) => {
    const width = (100 * widths[i]!) / together;
    const part = html`<rect class="${tone}" x="${x.toFixed(3)}" width="${width.toFixed(3)}" height="1"/>`;
    x += width;
    return part;
  });
  return html`<svg class="parts" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}

/** What needs somebody. */
export function needsCard(report: RunReport): Html {
  const needs = needsOf(report);
  const list =
    needs.length === 0
      ? html`<p class="calm">Nothing. You can close this page.</p>`
      : html`<ol>${needs.map(needRow)}</ol>`;
  return html`<section class="card needs" aria-labelledby="needs-title"><h2 id="needs-title">Needs you</h2>${list}</section>`;
}

function needRow({ tone, title, help, code, section }: Need): Html {
  const named = section === undefined ? html`${title}` : html`<a href="#${section}">${title}</a>`;
  const tag = code === undefined ? undefined : html` <code>${code}</code>`;
  return html`<li class="${tone}"><p><b>${named}</b>${tag}</p><p class="help">${capital(help)}</p></li>`;
}

/** The figures of the whole: how much there is, and what was saved. */
export function totalsCard(report: RunReport): Html {
  const { objects, triangles, requests, geometry, configurations: all } = report;
  const asked = requests.sent + requests.fromCache;
  const rows: [string, string, string][] = [
    ['GLB files', whole(objects.distinct), size(objects.bytes)],
    ['Saved by deduplication', size(objects.savedBytes), amount(objects.savedFiles, 'file')],
    [
      'Answered by the cache',
      share(requests.fromCache, asked),
      `${whole(requests.fromCache)} of ${whole(asked)}`,
    ],
    ['Kept without a request', share(all.kept, all.selected), amount(all.kept, 'configuration')],
    ['Requests sent', whole(requests.sent), `${size(requests.bytesReceived)} received`],
    [
      'Triangles',
      whole(triangles),
      geometry.droppedTriangles > 0 ? `${whole(geometry.droppedTriangles)} dropped` : '',
    ],
  ];
  return html`<section class="card totals" aria-labelledby="totals-title"><h2 id="totals-title">Totals</h2>
<dl>${rows.map(([name, figure, told]) => html`<div><dt>${name}</dt><dd><b>${figure}</b> <small>${told}</small></dd></div>`)}</dl></section>`;
}

/** The files that say more than the page. */
export function footOf(report: RunReport): Html {
  return html`<footer><p>Files: <a href="report.json">report.json</a> · <a href="failures.jsonl">failures.jsonl</a> · <a href="${outputLink('manifest.jsonl')}">manifest.jsonl</a></p>
<p>Run <code>${report.run}</code> · output <code class="wrap">${report.outputDir}</code> · cache <code class="wrap">${report.cacheDir}</code></p></footer>`;
}
