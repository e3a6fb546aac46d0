/**
 * What the entries of the browser's history keep, which only this page can read: the token, so that it is not in the
 * address, which people copy and servers log; and what is shown, so that reloading loses nothing and "back" leads to
 * what was there before.
 */
import { isRecord, type JsonRecord } from '../../../convert/wire/value.ts';
import { redactTexts } from '../../../support/redact.ts';
import { targetOf } from './embedding.ts';
import type { PageWindow } from './interfaces.ts';
import type { OpenTarget } from './planned-article.ts';

/** What the catalogue lists: a folder, or what a search has found, which was begun `from` a folder. */
export type CataloguePlace =
  | { parentnode: string }
  | { manufacturers: readonly string[]; query: string; from: string };

/** What is shown. */
export interface Shown {
  /** Counts the articles that a person has opened: entries with one number show one article, as it is configured now. */
  opened: number;
  /** The article, as the service answered it last; or what is being loaded in place of it. */
  target: OpenTarget | undefined;
  place: CataloguePlace;
  /** Where there is no room for both: the catalogue, not the article. */
  isCatalogueOpen: boolean;
}

/** Takes the token out of the address of the page. */
export function keepToken({ history, location }: PageWindow, token: string): void {
  const query = new URLSearchParams(location.search);
  query.delete('token');
  const rest = query.toString();
  const address = `${location.pathname}${rest === '' ? '' : `?${rest}`}`;
  history.replaceState({ ...stateOf(history.state), token }, '', address);
}

/** The token that was kept, or empty. */
export function keptToken({ history }: PageWindow): string {
  const { token } = stateOf(history.state);
  return typeof token === 'string' ? token : '';
}

/** The history of one page: a page that is loaded again shows what it has shown. */
export class PageHistory {
  /** Whether the page was loaded again, or come back to. */
  readonly wasKept: boolean;
  readonly #page: PageWindow;
  #token: string;
  #shown: Shown;
  /** An entry has the configuration that it was left with; a folder further on it may have changed. */
  readonly #newest = new Map<number, Shown['target']>();

  /**
   * Writes the entry in which the page is.
   *
   * @param first - What is shown first, where nothing was kept.
   * @param onMove - The person went back or forward; `isOther`: to another article.
   */
  constructor(
    page: PageWindow,
    token: string,
    first: Shown,
    onMove: (shown: Shown, isOther: boolean) => void,
  ) {
    const before = shownOf(page.history.state);
    this.wasKept = before !== undefined;
    this.#page = page;
    this.#token = token;
    this.#shown = before ?? first;
    this.#write('replaceState');
    page.addEventListener('popstate', ({ state }) => {
      const kept = shownOf(state);
      if (kept === undefined) return;
      const isOther = kept.opened !== this.#shown.opened;
      this.#moveTo(kept);
      onMove(this.#shown, isOther);
    });
  }

  get shown(): Shown {
    return this.#shown;
  }

  /** Something else is shown at the same place in the history. */
  change(change: Partial<Shown>): void {
    this.#shown = { ...this.#shown, ...change };
    this.#write('replaceState');
  }

  /** A person has gone on; "back" leads to what was shown before. */
  go(change: Partial<Shown>): void {
    this.#shown = { ...this.#shown, ...change };
    this.#write('pushState');
  }

  setToken(token: string): void {
    this.#token = token;
    this.#write('replaceState');
  }

  #moveTo(kept: Shown): void {
    const { place } = this.#shown;
    const target = this.#newest.has(kept.opened) ? this.#newest.get(kept.opened) : kept.target;
    // A list that stays is the same one.
    const isSamePlace = JSON.stringify(kept.place) === JSON.stringify(place);
    this.#shown = { ...kept, target, place: isSamePlace ? place : kept.place };
    this.#write('replaceState');
  }

  #write(how: 'pushState' | 'replaceState'): void {
    const [token, shown] = [this.#token, this.#shown];
    this.#newest.set(shown.opened, shown.target);
    for (const target of [shown.target, aloneOf(shown.target)]) {
      try {
        this.#page.history[how]({ token, shown: { ...shown, target } }, '');
        return;
      } catch {
        // A browser takes no state beyond a size, and not many changes at once: then less can be loaded again.
      }
    }
  }
}

/**
 * Keeps what a person has configured for this tab, by the address without its token: the page around this one is
 * loaded again without the history of its frame, and a page with a new token has none.
 */
export function keepConfigured(page: PageWindow, json: JsonRecord): void {
  try {
    page.sessionStorage.setItem(nameOf(page), JSON.stringify(redactTexts(json)));
  } catch {
    // Too large, or the browser allows a frame no storage.
  }
}

/** What this tab has configured at this address before. */
export function keptConfigured(page: PageWindow): JsonRecord | undefined {
  try {
    const json: unknown = JSON.parse(page.sessionStorage.getItem(nameOf(page)) ?? '');
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function nameOf({ location }: PageWindow): string {
  return `planning ${location.pathname}${location.search}`;
}

function stateOf(state: unknown): Record<string, unknown> {
  return isRecord(state) ? state : {};
}

/** A planning without its children, which are most of it. */
function aloneOf(target: Shown['target']): Shown['target'] {
  return target !== undefined && 'json' in target ? targetOf(target.json) : target;
}

/** Written by this page alone. */
function shownOf(state: unknown): Shown | undefined {
  const { shown } = stateOf(state);
  return isRecord(shown) ? (shown as unknown as Shown) : undefined;
}
