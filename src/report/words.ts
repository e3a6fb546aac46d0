/**
 * Words: figures as a person reads them, the same in every locale.
 */

/** `1,234` */
export function whole(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1,234 files`, `1 file`. */
export function amount(count: number, noun: string): string {
  return `${whole(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `12.3 MB`, decimal units. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [value, unit] =
    bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${value.toFixed(1)} ${unit}`;
}

/** `850 ms`, `12.5 s`, `3 min 5 s`, `2 h 4 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `12.3 %` of a whole; `0 %` of nothing. */
export function share(part: number, all: number): string {
  if (all === 0 || part === 0) return '0 %';
  const percent = (part * 100) / all;
  if (percent < 0.1) return '< 0.1 %';
  // 999 of 1,000 is not all.
  if (percent > 99.9 && part < all) return '> 99.9 %';
  return `${percent >= 99.95 ? '100' : percent.toFixed(1)} %`;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `21 Nov 2026, 02:00 UTC` of an instant in ISO 8601. */
export function instant(iso: string): string {
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)/.exec(iso) ?? [];
  if (year === undefined) return iso;
  return `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}, ${time} UTC`;
}

/** `21 Nov 2026` of a day or an instant in ISO 8601. */
export function day(iso: string): string {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)/.exec(iso) ?? [];
  return year === undefined ? iso : `${Number(date)} ${MONTHS[Number(month) - 1]} ${year}`;
}
