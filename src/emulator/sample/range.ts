/**
 * The interface of a range: what the emulator serves, in the field names of the service.
 *
 * A range does not handle HTTP, tokens or addresses; undefined means "not found" (a 404).
 */
/** A JSON object with the field names of the service. */
export type Json = { [key: string]: unknown };

/** Query parameters by their exact name; a parameter that was not sent is absent. */
export type Query = Readonly<Record<string, string>>;

/** One changed property, in the fields of POST articles. */
export interface PropertyChange {
  /** Id of the article itself, or of one of its children. */
  id: string;
  proptype: 'ocd' | 'meta';
  propclass: string;
  prop: string;
  /** New value: a `valuefrom`; empty removes the value if that is allowed. */
  newvalue: string;
  /** The complete top-level article before the change. */
  article: Json;
}

/** A request that breaks a rule of a range; its message becomes a 422. */
export class RangeRefusal extends Error {}

/**
 * A range of furniture: the sample range made by code, or a recording.
 *
 * Answers are shared between requests: the caller must never change them. Names are decoded
 * (`DT160/80`, not `DT160%2F80`) and may contain any character. A missing method is an operation that
 * the range does not support: a 404, or a 422 for an operation that changes something.
 *
 * @see Spec 2.1 to 2.4 (shapes), 4.2 to 4.4 (operations).
 */
export interface EmulatedRange {
  /** Stable name: part of the identity of the emulated service, such as `sample`. */
  readonly name: string;
  /**
   * Children of a catalogue folder, `''` is the root; undefined if there is no such folder.
   *
   * @param view - `lang langalt profile`, where sent.
   */
  nodes(parentnode: string, view?: Query): Json[] | undefined;
  /** `{nodeid, text}` from the root to the folder; undefined if there is no such folder. */
  breadcrumbs(parentnode: string, view?: Query): Json[] | undefined;
  /** Article nodes of a manufacturer whose number or short text contains the text; any `nodeid`. */
  search(manufacturer: string, query: string, view?: Query): Json[];
  /** A file by its path: manufacturer, series (or none), language or `any`, file name. */
  resource?(path: readonly string[]): Promise<Uint8Array | undefined>;
  /**
   * The article object of GET articles.
   *
   * @param query - `manufacturer program basearticlenumber`, and, where sent, `ocdreinitstring varcode
   * lang langalt currency profile getallproperties`.
   */
  article(query: Query): Json | undefined;
  /**
   * The article object after one of its properties was changed.
   *
   * @param query - `manufacturer program basearticlenumber`, and, where sent, `ocdreinitstring lang
   * langalt`.
   * @returns Undefined if there is no such article.
   * @throws {@link RangeRefusal} with the property, the allowed values and the received one.
   */
  configure?(query: Query, change: PropertyChange): Json | undefined;
  /**
   * Checks a top-level article before it is stored.
   *
   * @throws {@link RangeRefusal} if it is no configuration of this range.
   */
  checkPlanning?(article: Json): void;
  /** Finds a planning whose permanent identifier is older than this emulator. */
  planning?(permanentid: string): Json | undefined;
  /**
   * The parts list of GET btg: `{btg, blocks, mats}`.
   *
   * @param query - `manufacturer program basearticlenumber finalarticlenumber`, and, where sent,
   * `reinitstring metareinitstring profile`.
   */
  partsList(query: Query): Json | undefined;
  /** Raw JSON body of GET block by exact name, `<MANUFACTURER>::<PROGRAM>::<NAME>`. */
  block(name: string): Promise<Uint8Array | undefined>;
  /** Raw JPEG of GET materials by manufacturer and name without `.JPG`. */
  material(manufacturer: string, name: string): Promise<Uint8Array | undefined>;
  /** Preview image of a property value by manufacturer, program and file name. */
  preview?(manufacturer: string, program: string, name: string): Promise<Uint8Array | undefined>;
  /** Picture of one article, JPEG, for the query of a parts list; never of a planning. */
  picture?(query: Query): Promise<Uint8Array | undefined>;
}

/** Whether each word of a query is in one of the texts, in any order and case; never for a query without words. */
export function isFound(texts: readonly string[], query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const all = texts.map((text) => text.toLowerCase());
  return words.length > 0 && words.every((word) => all.some((text) => text.includes(word)));
}
