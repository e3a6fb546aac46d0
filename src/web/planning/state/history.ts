/**
 * Contents of the entries of the browser's history, which only this page can read: the token, so that it is not in the
 * address, which people copy and servers log; and the state of the page, so that reloading loses nothing and "back"
 * restores the previous state.
 */
import { isRecord, type JsonRecord } from '../../../convert/wire/value.ts';
import { redact } from '../../../support/redact.ts';
import { targetOf } from './embedding.ts';
import type { PageWindow } from './interfaces.ts';
import { MODES, type PlanningMode } from './mode.ts';
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
  /** Whether the page has a catalogue; if not, it has one mode. */
  hasCatalogue: boolean;
  mode: PlanningMode;
}

/** The parameters that a person changes. */
const MODE_NAMES = Object.values(MODES).flatMap((parameters) => Object.keys(parameters));
const CHANGED_NAMES = ['lang', ...MODE_NAMES];

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

/** Whether the page was loaded again, or the person came back to it: then its entry has what it showed. */
export function isKept({ history }: PageWindow): boolean {
  return shownOf(history.state) !== undefined;
}

/** The history of one page: a page that is loaded again shows the same as before. */
export class PageHistory {
  readonly #page: PageWindow;
  /** The parameters of the page, the same in each entry: "back" changes neither language nor mode. */
  readonly #query: URLSearchParams;
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
    this.#page = page;
    this.#query = new URLSearchParams(page.location.search);
    this.#token = token;
    this.#shown = { ...first, ...shownOf(page.history.state) };
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
    this.#query.set('lang', language);
    this.change({ target });
  }

  /** Puts the mode into the address of the page, which shows the catalogue from now on. */
  setMode(mode: PlanningMode): void {
    for (const name of MODE_NAMES) this.#query.delete(name);
    for (const [name, value] of Object.entries(MODES[mode])) this.#query.set(name, value);
    this.change({ mode, isCatalogueOpen: true });
  }

  #moveTo(kept: Shown): void {
    const { place, mode } = this.#shown;
    const target = this.#newest.has(kept.opened) ? this.#newest.get(kept.opened) : kept.target;
    // A list that does not change stays the same object.
    const isSamePlace = JSON.stringify(kept.place) === JSON.stringify(place);
    this.#shown = { ...kept, target, mode, place: isSamePlace ? place : kept.place };
    this.#write('replaceState');
  }

  #write(how: 'pushState' | 'replaceState'): void {
    const [token, shown, query] = [this.#token, this.#shown, this.#query.toString()];
    const address = `${this.#page.location.pathname}${query === '' ? '' : `?${query}`}`;
    this.#newest.set(shown.opened, shown.target);
    for (const target of [shown.target, aloneOf(shown.target)]) {
      try {
        this.#page.history[how]({ token, shown: { ...shown, target } }, '', address);
        return;
      } catch {
        // A browser limits the size of a state and the rate of changes: then less can be restored.
      }
    }
  }
}

/**
 * Keeps the configuration of this tab, by the address without token, language and mode: if the page around this one is loaded again,
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
  const query = new URLSearchParams(location.search);
  for (const name of CHANGED_NAMES) query.delete(name);
  return `planning ${location.pathname}?${query}`;
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
