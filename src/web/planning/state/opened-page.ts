/** One opened page: its parameters, service, planning, model and parent, and their interaction. */

import type { JsonRecord } from '../../../convert/wire/value.ts';
import { articleKey } from '../../../model/configuration-id.ts';
import type { ConverterError } from '../../../support/errors.ts';
import { type Embedding, openEmbedding, type PlanningCommand } from './embedding.ts';
import type { NamedField, PropertySetting } from './fields.ts';
import { isKept, keepConfigured, keptConfigured, PageHistory, type Shown } from './history.ts';
import type { PageWindow, PlanningConverter } from './interfaces.ts';
import type { PlanningMode } from './mode.ts';
import { ModelLoader, type ModelState, NO_MODEL } from './model-loader.ts';
import type { PlanningParameters } from './parameters.ts';
import type { PlannedArticle } from './planned-article.ts';
import { isOpening, Planning, type PlanningState } from './planning.ts';
import { PlanningService } from './planning-service.ts';
import { failureText, type Texts } from './texts.ts';

/** Everything that changes while a page is open, in one value. */
interface SessionState extends ModelState {
  planning: PlanningState;
  shown: Shown;
  /** The earlier configuration of this tab at this address, until the person continues with it or with another one. */
  earlier: JsonRecord | undefined;
  isTokenDead: boolean;
  wasTokenAccepted: boolean;
  /** Fields with an invalid text: the configuration lacks what the person wants. */
  refused: readonly NamedField[];
  /** Number of tokens so far: requests that failed with a refused token are repeated with the next one. */
  tokens: number;
}

interface SessionOptions {
  page: PageWindow;
  parameters: PlanningParameters;
  /** Facts about the service from the server of the page. */
  service: {
    baseUrl: string;
    /** Address of the service, if `baseUrl` is a proxy. */
    serviceUrl?: string | undefined;
    imageLocation?: string | undefined;
    /** Address of a server of assets, which shows any configuration in a room. */
    assetsUrl?: string | undefined;
    /** Whether a permanent link shows its planning to everybody, without a token. */
    hasPublicLinks?: boolean | undefined;
  };
  texts: Texts;
  converter: PlanningConverter;
}

/** One opened page. */
export class Session {
  readonly parameters: PlanningParameters;
  readonly texts: Texts;
  readonly service: PlanningService;
  readonly converter: PlanningConverter;
  readonly planning: Planning;
  readonly models: ModelLoader;
  readonly embedding: Embedding;
  readonly assetsUrl: string | undefined;
  readonly hasPublicLinks: boolean;
  readonly #page: PageWindow;
  readonly #history: PageHistory;
  readonly #listeners: (() => void)[] = [];
  #state: SessionState;
  #isListed = false;
  #isLoaded = false;
  #modelled: string | undefined;

  /** Opens a page, which immediately loads the article of its parameters. */
  constructor({ page, parameters, service, texts, converter }: SessionOptions) {
    const { baseUrl, serviceUrl, imageLocation } = service;
    const { token, parentOrigin, publicId } = parameters;
    this.#page = page;
    this.parameters = parameters;
    this.texts = texts;
    this.assetsUrl = service.assetsUrl;
    this.hasPublicLinks = service.hasPublicLinks ?? false;
    this.converter = converter;
    const languages = {
      lang: parameters.lang || texts.language,
      // Texts that the service lacks in the requested language are requested in the language of the page.
      langalt: parameters.langalt || texts.language,
    };
    this.service = new PlanningService({
      ...{ baseUrl, serviceUrl, token, publicId, languages },
      onAccepted: () => this.#set({ isTokenDead: false, wasTokenAccepted: true }),
    });
    this.planning = new Planning(this.service, {
      onState: (next) => this.#onPlanningState(next),
      onPlanned: (planned, setting) => this.#onPlanned(planned, setting),
      onFailure: this.failed,
    });
    const onModel = (model: ModelState) => this.#onModel(model);
    this.models = new ModelLoader(this.service, converter, onModel, imageLocation);
    const earlier = isKept(page) ? undefined : keptConfigured(page);
    this.#history = new PageHistory(page, token, firstShown(parameters), (shown, isOther) => {
      this.#set({ shown });
      if (isOther && shown.target !== undefined) this.planning.open(shown.target);
    });
    this.#state = {
      ...NO_MODEL,
      planning: this.planning.state,
      shown: this.#history.shown,
      earlier,
      isTokenDead: false,
      wasTokenAccepted: false,
      refused: [],
      tokens: 1,
    };
    this.embedding = openEmbedding(page, parentOrigin, (command) => this.#obey(command));
    const { target } = this.#state.shown;
    if (target !== undefined) this.planning.open(target);
  }

  get state(): SessionState {
    return this.#state;
  }

  subscribe(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Changes the visible state, and opens its target if it has one; "back" leads to the previous state. */
  go(change: Partial<Omit<Shown, 'opened'>>): void {
    const { target } = change;
    const { opened } = this.#state.shown;
    this.#history.go({ ...change, ...(target !== undefined && { opened: opened + 1 }) });
    const { shown } = this.#history;
    this.#set({ shown, ...(target !== undefined && { earlier: undefined }) });
    if (target !== undefined) this.planning.open(target);
  }

  /** Prepares the page to be loaded again in another language: what is planned stays, and is requested again. */
  setLanguage(language: string): void {
    const { planned, pending } = this.planning.state;
    const target = planned && { json: planned.json, pending, isToRenew: true };
    this.#history.setLanguage(language, target ?? this.#state.shown.target);
  }

  /** Chooses the mode of the page: the catalogue stays open, and what is planned stays planned. */
  setMode(mode: PlanningMode): void {
    this.#history.setMode(mode);
    this.#set({ shown: this.#history.shown });
  }

  /** The method is bound, because components pass it to buttons. */
  readonly forgetEarlier = (): void => this.#set({ earlier: undefined });

  setRefused(field: NamedField, isRefused: boolean): void {
    const { refused } = this.#state;
    const others = refused.filter(({ place }) => place !== field.place);
    if (!isRefused && others.length === refused.length) return;
    this.#set({ refused: isRefused ? [...others, field] : others });
  }

  listed(): void {
    this.#isListed = true;
    this.#postLoaded();
  }

  /** Reports a failure of the service to the parent and the page. The method is bound, because actions listen by it. */
  readonly failed = ({ code }: ConverterError): void => {
    if (code === 'TOKEN_DIED') this.#set({ isTokenDead: true });
    this.embedding.post({ type: 'ERROR', code, message: failureText(this.texts, code) });
  };

  #set(change: Partial<SessionState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  #onPlanningState(next: PlanningState): void {
    const before = this.#state.planning;
    this.#set({ planning: next });
    if (next.planned === undefined) this.#postLoaded();
    const { planned, opening, pending, failure } = next;
    const isSame = planned === before.planned && opening === before.opening;
    if (isSame && pending === before.pending && failure === before.failure) return;
    const kept = planned && { json: planned.json, pending, isAsStored: planned.isAsStored };
    // A target that could not be opened must not replace the planned article when the page is loaded again.
    this.#history.change({ target: failure === undefined ? (opening ?? kept) : (kept ?? opening) });
    this.#set({ shown: this.#history.shown });
  }

  #onPlanned({ key, json }: PlannedArticle, setting: PropertySetting | undefined): void {
    // The model of another article would be mistaken for this one.
    const article = articleKey(key);
    if (article !== this.#modelled) this.models.clear();
    this.#modelled = article;
    this.models.make(key);
    if (JSON.stringify(json) === JSON.stringify(this.#state.earlier)) this.forgetEarlier();
    const { past, future } = this.planning.state;
    if (past.length > 0 || future.length > 0) {
      keepConfigured(this.#page, json);
      this.forgetEarlier();
    }
    if (setting !== undefined) {
      this.embedding.post({ type: 'PROPERTY_UPDATED', property: { ...setting }, article: json });
    } else if (this.#isLoaded) this.#postArticle('CURRENT_ARTICLE');
    this.#postLoaded();
  }

  #onModel(model: ModelState): void {
    const { failure } = model;
    if (failure !== undefined && failure !== this.#state.failure) this.failed(failure);
    this.#set(model);
  }

  #obey(command: PlanningCommand): void {
    switch (command.type) {
      case 'SET_ARTICLE':
        this.planning.open(command.target);
        break;
      case 'REQUEST_CURRENT_ARTICLE':
        this.#postArticle('CURRENT_ARTICLE');
        break;
      case 'SET_TOKEN':
        this.#setToken(command.token);
        break;
    }
  }

  #setToken(token: string): void {
    this.service.setToken(token);
    this.#history.setToken(token);
    this.#set({ isTokenDead: false, wasTokenAccepted: false, tokens: this.#state.tokens + 1 });
    if (this.planning.state.failure !== undefined) this.planning.retry();
    if (this.#state.failure !== undefined) this.models.retry();
  }

  /** Posts `LOADED` once: when the article is loaded, or the catalogue is listed and no article is being loaded. */
  #postLoaded(): void {
    const { state } = this.planning;
    const isReady = state.planned !== undefined || (this.#isListed && !isOpening(state));
    if (this.#isLoaded || !isReady) return;
    this.#isLoaded = true;
    this.#postArticle('LOADED');
  }

  #postArticle(type: 'LOADED' | 'CURRENT_ARTICLE'): void {
    this.embedding.post({ type, article: this.planning.state.planned?.json ?? null });
  }
}

/** The first state of a page: the catalogue if its mode has one and no article is named. */
function firstShown({ mode, parentnode, target }: PlanningParameters): Shown {
  const hasCatalogue = mode !== 'configurator';
  const isCatalogueOpen = mode === 'catalogue' || (hasCatalogue && target === undefined);
  return { opened: 0, target, place: { parentnode }, isCatalogueOpen, hasCatalogue, mode };
}
