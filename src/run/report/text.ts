/** Texts for people: figures and dates, the same in every locale, and lines that fit into a terminal. */

// Without Intl, whose first formats take 20 ms: a tenth of a run without changes.
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

function decimal(value: number): string {
  return (Math.round(value * 10) / 10).toFixed(1);
}

/** `1,234` */
export function integer(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1,234 files`, `1 file`. */
export function amount(count: number, noun: string): string {
  return `${integer(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const UNITS = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
] as const;

/** `12.3 MB`, decimal units. */
export function size(bytes: number): string {
  const unit = UNITS.find(([least]) => bytes >= least);
  if (unit === undefined) return amount(bytes, 'byte');
  return `${decimal(bytes / unit[0])} ${unit[1]}`;
}

/** `850 ms`, `12.5 s`, `3 min 5 s`, `2 h 4 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${decimal(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `12.3 %`; `0 %` of nothing; never `100 %` of a part. */
export function percentage(part: number, all: number): string {
  if (all === 0 || part === 0) return '0 %';
  const percent = (part * 100) / all;
  if (percent < 0.1) return '< 0.1 %';
  if (percent > 99.9 && part < all) return '> 99.9 %';
  return `${percent >= 99.95 ? '100' : decimal(percent)} %`;
}

/** `21 Nov 2026, 02:00 UTC` of an instant in ISO 8601. */
export function instant(iso: string): string {
  const date = dateOf(iso);
  return date === undefined ? iso : `${day(iso)}, ${date.toISOString().slice(11, 16)} UTC`;
}

/** `21 Nov 2026` of a day or an instant in ISO 8601; another text stays. */
export function day(iso: string): string {
  const date = dateOf(iso);
  if (date === undefined) return iso;
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

function dateOf(iso: string): Date | undefined {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** The text with a capital at its beginning. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Fewest characters that a line has beside its indent, however narrow the terminal is. */
const SHORTEST = 20;

/**
 * Wraps a line at its blanks. A word is never divided, so that an address or a path can be copied; a
 * number stays with its unit.
 *
 * @param columns - Characters of a line, in code points.
 * @param indent - Blanks before each line but the first, whose own blanks stay.
 *
 * @example
 * ```ts
 * wrapped('  → check the path of the file', 20, 4); // → ['  → check the path', '    of the file']
 * ```
 */
export function wrapped(line: string, columns: number, indent = 0): string[] {
  const most = Math.max(columns, indent + SHORTEST);
  if (widthOf(line) <= most) return [line];
  const [, margin, text] = /^( *)(.*)$/s.exec(line)!;
  const lines: string[] = [];
  let current = margin!;
  for (const word of text!.match(/ *(?:[\d.,]*\d )?[^ ]+/g) ?? []) {
    if (current === margin || widthOf(current + word) <= most) current += word;
    else {
      lines.push(current);
      current = ' '.repeat(indent) + word.trimStart();
    }
  }
  return [...lines, current];
}

function widthOf(text: string): number {
  return Array.from(text).length;
}

/** Whether a delivery, or a text that begins with its name, is about a feed. */
export function isFeed(name: string): boolean {
  return name.startsWith('feed ');
}

/** What a person calls a delivery. @example `deliveryText('feed csv'); // → 'product feed csv'` */
export function deliveryText(name: string): string {
  return isFeed(name) ? `product ${name}` : name;
}
