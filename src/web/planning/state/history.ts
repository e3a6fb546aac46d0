/**
 * Contents of the entries of the browser's history, which only this page can read: the token, so that it is not in the
 * address, which people copy and servers log; and the state of the page, so that reloading loses nothing and "back"
 * restores the previous state.
 */
import { isRecord, type JsonRecord } from '../../../convert/wire/value.ts';
import { redact } from '../../../support/redact.ts';
import { targetOf } from './embedding.ts';
import type { PageWindow } from './interfaces.ts';
import type { OpenTarget } from './planned-article.ts';

/** The listed place of the catalogue: a folder, or the results of a search, which was started `from` a folder. */
export type CataloguePlace =
  | { parentnode: string }
  | { manufacturers: readonly string[]; query: string; from: string };

export interface Shown {
  /** Counts the articles that a person has opened: entries with the same number show the same article, as it is now. */
  opened: number;
  /** The article, as the service answered it last; or the target that is being loaded in its place. */
  target: OpenTarget | undefined;
  place: CataloguePlace;
  /** Whether the catalogue is shown and not the article, if there is no room for both. */
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

/** The kept token, or an empty text. */
export function keptToken({ history }: PageWindow): string {
  const { token } = stateOf(history.state);
  return typeof token === 'string' ? token : '';
}

/** The history of one page: a page that is loaded again shows the same as before. */
export class PageHistory {
  /** Whether the page was loaded again, or the person came back to it. */
  readonly wasKept: boolean;
  readonly #page: PageWindow;
  #token: string;
  #shown: Shown;
  /** An entry has the configuration of the time when it was left; a later entry may have changed it. */
  readonly #newest = new Map<number, Shown['target']>();

  /**
   * Writes the current entry of the page.
   *
   * @param first - The first state, if none was kept.
   * @param onMove - Called when the person went back or forward; `isOther`: to another article.
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

  change(change: Partial<Shown>): void {
    this.#shown = { ...this.#shown, ...change };
    this.#write('replaceState');
  }

  /** Adds an entry to the history; "back" leads to the previous state. */
  go(change: Partial<Shown>): void {
    this.#shown = { ...this.#shown, ...change };
    this.#write('pushState');
  }

  setToken(token: string): void {
    this.#token = token;
    this.#write('replaceState');
  }

  /** Puts the language into the address of the page, and the target that it loads then into its entry. */
  setLanguage(language: string, target: Shown['target']): void {
    const { location } = this.#page;
    const query = new URLSearchParams(location.search);
    query.set('lang', language);
    this.change({ target });
    this.#page.history.replaceState(this.#page.history.state, '', `${location.pathname}?${query}`);
  }

  #moveTo(kept: Shown): void {
    const { place } = this.#shown;
    const target = this.#newest.has(kept.opened) ? this.#newest.get(kept.opened) : kept.target;
    // A list that does not change stays the same object.
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
        // A browser limits the size of a state and the rate of changes: then less can be restored.
      }
    }
  }
}

/**
 * Keeps the configuration of this tab, by the address without its token: if the page around this one is loaded again,
 * the history of its frame is lost, and a page with a new token has no history.
 */
export function keepConfigured(page: PageWindow, json: JsonRecord): void {
  try {
    page.sessionStorage.setItem(nameOf(page), JSON.stringify(redact(json)));
  } catch {
    // The configuration is too large, or the browser allows a frame no storage.
  }
}

/** The configuration that this tab had at this address before. */
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

/** A planning without its children, which are the largest part of it. */
function aloneOf(target: Shown['target']): Shown['target'] {
  return target !== undefined && 'json' in target ? targetOf(target.json) : target;
}

/** Reads a state, which only this page has written. */
function shownOf(state: unknown): Shown | undefined {
  const { shown } = stateOf(state);
  return isRecord(shown) ? (shown as unknown as Shown) : undefined;
}
