import type { Emulator } from '../../src/emulator/emulator.ts';
import { call, post } from './emulated-session.ts';
import { jsonOf } from './json-of.ts';
import type { Wire } from './sample-range.ts';

const LINEA = { manufacturer: 'FJEL', program: 'LINEA' };
/** The base article of the sample range whose properties depend on one another most. */
export const MADE_TO_MEASURE = { ...LINEA, basearticlenumber: 'LN-M' };

/** A planning of the sample range: a desk and what stands with it. */
export const WORKPLACE = { ...MADE_TO_MEASURE, basearticlenumber: 'LN-PLATZ 1' };

/** What POST articles is asked to change; the body is filled in from the article. */
export interface Change {
  proptype?: string;
  propclass: string;
  prop: string;
  newvalue: unknown;
}

/** One customer at one emulator: raw requests, as the specification shows them. */
export function customer(emulator: Emulator, token: string) {
  const keyOf = ({ manufacturer, program, basearticlenumber }: Wire) => ({
    manufacturer,
    program,
    basearticlenumber,
  });
  const bodyOf = (article: Wire, change: Change): Wire => ({
    id: article.id,
    rootid: article.rootid,
    proptype: 'ocd',
    ...change,
    jsondata: article,
  });
  const send = (article: Wire, body: unknown, parameters: Record<string, string> = {}) => {
    const key = { ...keyOf(article), ocdreinitstring: article.ocd.reinitstring };
    return post(emulator, 'ofml/articles', { token, ...key, ...parameters }, body);
  };
  const store = (article: Wire): Promise<Response> =>
    post(emulator, 'ofml/reinit', { token }, { json: article });
  return {
    bodyOf,
    send,
    /** GET articles. */
    load: (article: Wire, parameters: Record<string, string> = {}): Promise<Wire> => {
      const all = { token, ...keyOf(article), ...parameters };
      return accepted(call(emulator, 'ofml/articles', all));
    },
    /** POST articles; the article after the change. */
    change: (article: Wire, change: Change, parameters = {}): Promise<Wire> =>
      accepted(send(article, bodyOf(article, change), parameters)),
    /** POST articles that must fail: the sentence. */
    refused: async (article: Wire, change: Change): Promise<string> =>
      (await jsonOf(send(article, bodyOf(article, change)), 422)).error,
    /** POST reinit. */
    store,
    /** POST reinit; the permanent identifier. */
    permanentId: async (article: Wire): Promise<string> =>
      (await jsonOf(store(article))).permanentid,
    /** The planning page. */
    plan: (parameters: Record<string, string>): Promise<Response> =>
      fetch(`${emulator.frontendUrl}/planning?${new URLSearchParams({ token, ...parameters })}`),
  };
}

/** The JSON of an answer with status 200; any other is an error with its text. */
async function accepted(answer: Promise<Response>): Promise<Wire> {
  const response = await answer;
  if (response.status !== 200) throw new Error(await response.text());
  return response.json();
}

/** A property of an article by class and name; undefined while it is not shown. */
export function propertyOf(article: Wire, propclass: string, prop: string): Wire {
  return [...article.ocd.propclasses, ...article.propclasses]
    .find(({ name }: Wire) => name === propclass)
    ?.properties.find(({ name }: Wire) => name === prop);
}

/** The JSON that a planning page holds. */
export function articleIn(html: string): Wire {
  const text = /<script type="application\/json" id="article">(.*?)<\/script>/s.exec(html)?.[1];
  return text === undefined ? undefined : JSON.parse(text);
}
