/**
 * Range: what the emulator serves, in the wire's own shapes.
 *
 * In: nothing but the parameters of a request. Out: JSON values and raw bodies.
 * A range knows no HTTP, no tokens and no addresses; undefined means "no such thing" (a 404).
 */

/** A JSON object in the wire's own spelling. */
export type Json = { [key: string]: unknown };

/** Query parameters by their exact name; one that was not sent is absent. */
export type Query = Readonly<Record<string, string>>;

/** One changed property, as POST articles has it. */
export interface PropertyChange {
  proptype: 'ocd' | 'meta';
  propclass: string;
  prop: string;
  /** A `valuefrom`; empty takes the value away where that is allowed. */
  newvalue: string;
  /** The complete top-level article before the change. */
  article: Json;
}

/** A request that a range understands and refuses, as a sentence; it becomes a 422. */
export class RangeRefusal extends Error {}

/**
 * A range of furniture: the sample range made by code, or a recording.
 *
 * Answers are shared between requests and must never be changed by the caller. Every name arrives
 * decoded (`DT160/80`, not `DT160%2F80`) and may hold any character. A method that is missing is
 * something that the range cannot do: a 404, or a 422 for what changes something.
 *
 * @see Spec 2.1 to 2.4 (shapes), 4.2 to 4.4 (operations).
 */
export interface EmulatedRange {
  /** Stable name: part of the identity of the emulated service, such as `sample`. */
  readonly name: string;
  /**
   * Children of a catalogue folder, `''` is the root; undefined if there is no such folder.
   *
   * @param view - Where sent `lang langalt profile`.
   */
  nodes(parentnode: string, view?: Query): Json[] | undefined;
  /** `{nodeid, text}` from the root to the folder; undefined if there is no such folder. */
  breadcrumbs(parentnode: string, view?: Query): Json[] | undefined;
  /** Article nodes of a manufacturer whose number or short text holds the text; `nodeid` is free. */
  search(manufacturer: string, query: string, view?: Query): Json[];
  /** A file by its path: manufacturer, series (or none), language or `any`, file name. */
  resource?(path: readonly string[]): Promise<Uint8Array | undefined>;
  /**
   * The article object of GET articles.
   *
   * @param query - `manufacturer program basearticlenumber`, and where sent `ocdreinitstring varcode
   * lang langalt currency profile getallproperties`.
   */
  article(query: Query): Json | undefined;
  /**
   * The article object after one of its properties was changed.
   *
   * @param query - `manufacturer program basearticlenumber`, and where sent `ocdreinitstring lang langalt`.
   * @returns Undefined if there is no such article.
   * @throws {@link RangeRefusal} naming the property, what it may be and what came.
   */
  configure?(query: Query, change: PropertyChange): Json | undefined;
  /**
   * Checks a top-level article before it is stored.
   *
   * @throws {@link RangeRefusal} if no configuration of this range is like that.
   */
  checkPlanning?(article: Json): void;
  /** A planning that had its permanent identifier before this emulator began. */
  planning?(permanentid: string): Json | undefined;
  /**
   * The parts list of GET btg: `{btg, blocks, mats}`.
   *
   * @param query - `manufacturer program basearticlenumber finalarticlenumber`, and where sent
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
