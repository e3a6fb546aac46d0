/**
 * HTML: a report as one page that needs nothing but itself.
 *
 * In: a report. Out: a page: the first screenful says how it went, what changed and what needs somebody;
 * below it stand the details. It asks no network for anything: its policy forbids all but its own style
 * and script, and every text is escaped.
 *
 * @see D-856, D-858.
 */
import { createHash } from 'node:crypto';
import { footOf, headOf, needsCard, tabIcon, tilesOf, totalsCard } from './html-head.ts';
import { PAGE_SCRIPT } from './html-script.ts';
import { BARS, FIRST_TABLES, LATER_TABLES } from './html-sections.ts';
import { PAGE_STYLE } from './html-style.ts';
import type { Part } from './html-table.ts';
import { type Html, html } from './html-text.ts';
import type { RunReport } from './run-report.ts';
import { verdictOf } from './verdict.ts';
import { day } from './words.ts';

/**
 * Makes the page of a report.
 *
 * @returns HTML; its links are relative to the folder of the run.
 *
 * @example
 * ```ts
 * await replaceFile(join(runFolder, 'report.html'), reportHtml(report));
 * ```
 */
export function reportHtml(report: RunReport): string {
  const { tone, headline } = verdictOf(report);
  const [first, bars, later] = [FIRST_TABLES, BARS, LATER_TABLES].map((sections) =>
    sections.flatMap((section) => section(report) ?? []),
  ) as [Part[], Part[], Part[]];
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
${headOf(report)}
<main>
${tilesOf(report)}
<div class="two">${needsCard(report)}${totalsCard(report)}</div>
<div id="details" class="find" role="search"><label class="away" for="find">Search in all tables</label><input id="find" type="search" placeholder="Search articles, causes, messages … ( / )" autocomplete="off" spellcheck="false"><output id="found" for="find" aria-live="polite"></output></div>
${jumps([...first, ...bars, ...later])}
${first}
<div class="grid">${bars}</div>
${later}
</main>
${footOf(report)}
</div>
<script>${raw(PAGE_SCRIPT)}</script>
</body>
</html>
`.html;
}

function jumps(parts: readonly Part[]): Html {
  const links = parts.map(({ id, title }) => html`<a href="#${id}">${title}</a>`);
  return html`<nav class="jump" aria-label="Sections">${links}</nav>`;
}

function raw(ours: string): Html {
  return { html: ours };
}

/** Nothing may be loaded, nothing runs but the one script, nothing is sent. */
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
