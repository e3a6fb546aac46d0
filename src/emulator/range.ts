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

/**
 * A range of furniture: the sample range made by code, or a recording.
 *
 * Answers are shared between requests and must never be changed by the caller. Every name arrives
 * decoded (`DT160/80`, not `DT160%2F80`) and may hold any character.
 *
 * @see Spec 2.1 to 2.4 (shapes), 4.2 to 4.4 (operations).
 */
export interface EmulatedRange {
  /** Stable name: part of the identity of the emulated service, such as `sample`. */
  readonly name: string;
  /** Children of a catalogue folder, `''` is the root; undefined if there is no such folder. */
  nodes(parentnode: string): Json[] | undefined;
  /** `{nodeid, text}` from the root to the folder; undefined if there is no such folder. */
  breadcrumbs(parentnode: string): Json[] | undefined;
  /** Article nodes of a manufacturer whose number or short text holds the text; `nodeid` is free. */
  search(manufacturer: string, query: string): Json[];
  /**
   * The article object of GET articles.
   *
   * @param query - `manufacturer program basearticlenumber`, and where sent `ocdreinitstring varcode
   * lang langalt currency profile getallproperties`.
   */
  article(query: Query): Json | undefined;
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
}
