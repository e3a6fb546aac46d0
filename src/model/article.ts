/**
 * The commercial data of an article, and the keys that identify a configuration.
 *
 * Field names are those of the specification, in lists, requests, manifest lines and stored carts alike.
 *
 * @see Spec 2.2; D-613 for the many names of one string.
 */

/** A requested base article and, if known, one configuration of it. */
export interface ArticleRequest {
  /** Manufacturer id, upper case. */
  manufacturer: string;
  /** Series id, upper case. */
  program: string;
  basearticlenumber: string;
  /** Empty where GET articles is to resolve it. */
  finalarticlenumber: string;
  /** Configuration string; opaque, empty for the default configuration. */
  reinitstring: string;
  /** Configuration string of the meta planning; opaque, usually empty. */
  metareinitstring: string;
}

/** A configuration as the service resolved it: the identity of one manifest line. */
export interface ArticleKey extends ArticleRequest {}

/** A child of a planning, in a flat list of all its descendants. */
export interface PlanningChild extends ArticleRequest {
  /** Index in the same list of its parent, or -1; parents are before their children. */
  parent: number;
}

/** One value that a property may take. */
export interface PropertyValue {
  valuefrom: string;
  text: string;
  /** Path or URL of a preview image, empty where there is none. */
  previewimage: string;
  previewimagelarge: string;
}

/** One interval that a numeric property may lie in; a missing bound is open. */
export interface PropertyRange {
  valuefrom?: number;
  /** Whether the lower bound itself is outside (GT) or inside (GE). */
  opfrom?: 'GT' | 'GE';
  valueto?: number;
  /** Whether the upper bound itself is outside (LT) or inside (LE). */
  opto?: 'LT' | 'LE';
  raster?: number;
}

/** One configurable property of an article. */
export interface ArticleProperty {
  name: string;
  text: string;
  /** `C` is alphanumeric; `N` and `L` are numeric. */
  proptype: string;
  currentvalue: string;
  enabled: boolean;
  /** Invisible ones are in a response only with `getallproperties`. */
  visible: boolean;
  obligatory: boolean;
  /** Optional, but must still be evaluated before the article is valid. */
  obligatory2c: boolean;
  /** Further values may be added. */
  addvalues: boolean;
  propclassname: string;
  digits: number;
  /** Of `digits`, how many are decimals. */
  decdigits: number;
  propertyvalues: PropertyValue[];
  ranges: PropertyRange[];
}

/** A named group of properties. */
export interface PropertyClass {
  name: string;
  text: string;
  properties: ArticleProperty[];
}

/** Commercial data of one article. */
export interface CommercialData {
  id: string;
  /** Resolved article number including the code scheme; opaque. */
  finalarticlenumber: string;
  /** Null where there is none: see `articlewithprice`. */
  price: number | null;
  /** Of the price: `EUR`, `CHF`. */
  currency: string;
  /** Structure not specified; passed through untouched. */
  pricecomponents: unknown;
  shorttext: string;
  /** Lines separated by a newline. */
  longtext: string;
  /** Properties with their values, lines separated by a newline. */
  varianttext: string;
  /** Opaque configuration string that ends with `::`. */
  reinitstring: string;
  /** `YYYY-MM-DD`, or empty. */
  convertdate: string;
  articlewithprice: boolean;
  propclasses: PropertyClass[];
  /** Structure not specified; passed through untouched. */
  usermessages: unknown;
  /** At least one optional property must still be evaluated. */
  obligatory2c: boolean;
}

/** An article as the service answers it. */
export interface Article {
  /** Identifier used for re-configuration. */
  id: string;
  /** Equal to `id` for a top-level article. */
  rootid: string;
  manufacturer: string;
  program: string;
  basearticlenumber: string;
  /** Internal name of the meta type. */
  typename: string;
  /** Meta reinit string: GET btg takes it as `metareinitstring`. */
  reinit: string;
  children: Article[];
  propclasses: PropertyClass[];
  /** Structure not specified; passed through untouched. */
  metamessages: unknown;
  /** Missing where the service could not build the article. */
  ocd: CommercialData | undefined;
  /** Debug dump, present when errors are reported; else empty. */
  dump: string;
  /** Declared by the service but not filled in, as are the two below; passed through untouched. */
  debugreinitstring?: unknown;
  debugiscommercialvalid?: unknown;
  debugisvisiblepropertieswithvalue?: unknown;
}

/** One property of an article and the value that it is to take. */
export interface PropertyChange {
  /** Id of the article whose property it is: the top-level article, or one of its children. */
  id: string;
  /** Id of the topmost article of the planning. */
  rootid: string;
  /** `ocd` is a commercial property, `meta` one of the meta planning. */
  proptype: 'ocd' | 'meta';
  propclass: string;
  prop: string;
  /** A `valuefrom`, or a number within the ranges. */
  newvalue: string;
  /** The complete JSON of the topmost article, as the service answered it. */
  jsondata: unknown;
}
