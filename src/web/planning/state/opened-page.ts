/** One opened page: its parameters, service, planning, model and parent, and how they act together. */

import type { JsonRecord } from '../../../convert/wire/value.ts';
import type { ArticleId } from '../../../model/configuration-id.ts';
import type { ConverterError } from '../../../support/errors.ts';
import { type Embedding, openEmbedding, type PlanningCommand } from './embedding.ts';
import type { NamedField } from './fields.ts';
import { keepConfigured, keptConfigured, openHistory, type Shown } from './history.ts';
import type { PageWindow, PlanningConverter } from './interfaces.ts';
import { createModelLoader, type ModelLoader, type ModelState, NO_MODEL } from './model-loader.ts';
import type { PlanningParameters } from './parameters.ts';
import { createPlanning, isOpening, type Planning, type PlanningState } from './planning.ts';
import { openService, type PlanningService } from './requests.ts';
import { failureText, type Texts } from './texts.ts';

/** Everything that changes while a page is open, in one value. */
export interface SessionState extends ModelState {
  planning: PlanningState;
  shown: Shown;
  /** What this tab has configured here before, until the person goes on with it or with something else. */
  earlier: JsonRecord | undefined;
  /** Whether the service refuses the token. */
  isTokenDead: boolean;
  /** Whether it has accepted it on this page. */
  wasTokenAccepted: boolean;
  /** Fields whose text is not possible: what is configured lacks what the person wants. */
  refused: readonly NamedField[];
  /** How many tokens the page has had: what a dead one could not load is loaded with the next. */
  tokens: number;
}

/** One opened page. */
export interface Session {
  readonly parameters: PlanningParameters;
  readonly texts: Texts;
  readonly service: PlanningService;
  readonly converter: PlanningConverter;
  readonly planning: Planning;
  readonly models: ModelLoader;
  readonly embedding: Embedding;
  readonly state: SessionState;
  /** Shows something else, of which a target is opened; "back" leads to what was shown before. */
  go(change: Partial<Omit<Shown, 'opened'>>): void;
  /** Does without what was configured before. */
  forgetEarlier(): void;
  /** A field has a text that is not possible, or not any more. */
  setRefused(field: NamedField, isRefused: boolean): void;
  /** Calls a listener after each change of the state. */
  subscribe(listener: () => void): void;
  /** Reports a failure of the service to the parent and the page. */
  failed(failure: ConverterError): void;
  /** The catalogue is there. */
  listed(): void;
}

/** What the server of the page knows of the service. */
interface ServiceOfPage {
  baseUrl: string;
  /** If `baseUrl` is a proxy. */
  serviceUrl?: string | undefined;
  imageLocation?: string | undefined;
}

/** Opens a page: it loads the article of its parameters at once. */
export function openSession(options: {
  page: PageWindow;
  parameters: PlanningParameters;
  /** Where the service is, and how it is used. */
  service: ServiceOfPage;
  texts: Texts;
  converter: PlanningConverter;
}): Session {
  const { page, parameters, texts, converter } = options;
  const { baseUrl, serviceUrl, imageLocation } = options.service;
  const languages = {
    lang: parameters.lang || texts.language,
    // What the service has not in the language that was asked for, it has in that of the page.
    langalt: parameters.langalt || texts.language,
  };
  const service = openService({
    ...{ baseUrl, serviceUrl, token: parameters.token, languages },
    onAccepted: () => set({ isTokenDead: false, wasTokenAccepted: true }),
  });
  const listeners: (() => void)[] = [];
  let isListed = false;
  let isLoaded = false;
  let shown: ArticleId | undefined;

  const set = (change: Partial<SessionState>) => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };
  const failed = (failure: ConverterError) => {
    if (failure.code === 'TOKEN_DIED') set({ isTokenDead: true });
    const message = failureText(texts, failure.code);
    embedding.post({ type: 'ERROR', code: failure.code, message });
  };
  /** Once: when the article is there, or the catalogue and no article on its way. */
  const loaded = () => {
    const { state } = planning;
    const isReady = state.planned !== undefined || (isListed && !isOpening(state));
    if (isLoaded || !isReady) return;
    isLoaded = true;
    embedding.post({ type: 'LOADED', article: planning.state.planned?.json ?? null });
  };
  const planning = createPlanning(service, {
    onState(next) {
      const before = state.planning;
      set({ planning: next });
      if (next.planned === undefined) loaded();
      const { planned, opening, pending, failure } = next;
      const isSame = planned === before.planned && opening === before.opening;
      if (isSame && pending === before.pending && failure === before.failure) return;
      const kept = planned && { json: planned.json, pending, isAsStored: planned.isAsStored };
      // What could not be opened must not take the place of what is planned when the page is loaded again.
      show({ target: failure === undefined ? (opening ?? kept) : (kept ?? opening) });
    },
    onPlanned(planned, setting) {
      const { manufacturer, program, basearticlenumber } = planned.key;
      const isSame =
        shown?.manufacturer === manufacturer &&
        shown.program === program &&
        shown.basearticlenumber === basearticlenumber;
      // The model of another article would be taken for this one.
      if (!isSame) models.clear();
      shown = planned.key;
      models.make(planned.key);
      const { json } = planned;
      if (JSON.stringify(json) === JSON.stringify(state.earlier)) forgetEarlier();
      if (setting !== undefined) {
        keepConfigured(page, json);
        forgetEarlier();
        embedding.post({ type: 'PROPERTY_UPDATED', property: { ...setting }, article: json });
      } else if (isLoaded) embedding.post({ type: 'CURRENT_ARTICLE', article: json });
      loaded();
    },
    onFailure: failed,
  });
  const onModel = (model: ModelState) => {
    if (model.failure !== undefined && model.failure !== state.failure) failed(model.failure);
    set(model);
  };
  const models = createModelLoader(service, converter, onModel, imageLocation);
  const { mode, parentnode } = parameters;
  const hasCatalogue = mode !== 'configurator';
  const isCatalogueOpen = mode === 'catalogue' || (hasCatalogue && parameters.target === undefined);
  const first = { opened: 0, target: parameters.target, place: { parentnode }, isCatalogueOpen };
  const history = openHistory(page, parameters.token, first, (shown, isOther) => {
    set({ shown });
    if (isOther && shown.target !== undefined) planning.open(shown.target);
  });
  const forgetEarlier = () => set({ earlier: undefined });
  const show = (change: Partial<Shown>) => {
    history.change(change);
    set({ shown: history.shown });
  };
  let state: SessionState = {
    ...NO_MODEL,
    planning: planning.state,
    shown: history.shown,
    earlier: history.wasKept ? undefined : keptConfigured(page),
    isTokenDead: false,
    wasTokenAccepted: false,
    refused: [],
    tokens: 1,
  };

  const commands: {
    [Type in PlanningCommand['type']]: (command: PlanningCommand & { type: Type }) => void;
  } = {
    SET_ARTICLE: ({ target }) => planning.open(target),
    REQUEST_CURRENT_ARTICLE: () =>
      embedding.post({ type: 'CURRENT_ARTICLE', article: planning.state.planned?.json ?? null }),
    SET_TOKEN({ token }) {
      service.setToken(token);
      history.setToken(token);
      set({ isTokenDead: false, wasTokenAccepted: false, tokens: state.tokens + 1 });
      if (planning.state.failure !== undefined) planning.retry();
      if (state.failure !== undefined) models.retry();
    },
  };
  const embedding = openEmbedding(page, parameters.parentOrigin, (command) =>
    commands[command.type](command as never),
  );
  if (state.shown.target !== undefined) planning.open(state.shown.target);
  return {
    parameters,
    texts,
    service,
    converter,
    planning,
    models,
    embedding,
    get state() {
      return state;
    },
    go(change) {
      const { target } = change;
      const { opened } = state.shown;
      history.go({ ...change, ...(target !== undefined && { opened: opened + 1 }) });
      set({ shown: history.shown, ...(target !== undefined && { earlier: undefined }) });
      if (target !== undefined) planning.open(target);
    },
    forgetEarlier,
    setRefused(field, isRefused) {
      const others = state.refused.filter(({ place }) => place !== field.place);
      if (!isRefused && others.length === state.refused.length) return;
      set({ refused: isRefused ? [...others, field] : others });
    },
    subscribe: (listener) => void listeners.push(listener),
    failed,
    listed() {
      isListed = true;
      loaded();
    },
  };
}
