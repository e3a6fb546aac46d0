/** Articles and requests for them, with the field names of the specification. @see Spec 2.2; D-613 */

/** A requested base article and, if known, one configuration of it. */
export interface ArticleRequest {
  /** Manufacturer id, upper case. */
  manufacturer: string;
  /** Series id, upper case. */
  program: string;
  basearticlenumber: string;
  /** Final article number; empty if GET articles is to resolve it. */
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

/** A value that a property may take. */
interface PropertyValue {
  valuefrom: string;
  text: string;
  /** Path or URL, or empty. */
  previewimage: string;
  previewimagelarge: string;
}

/** An interval of a numeric property; a missing bound is open. GE and LE include the bound. */
export interface PropertyRange {
  valuefrom?: number;
  opfrom?: 'GT' | 'GE';
  valueto?: number;
  opto?: 'LT' | 'LE';
  raster?: number;
}

/** A configurable property of an article. */
export interface ArticleProperty {
  name: string;
  text: string;
  /** `C` is alphanumeric; `N` and `L` are numeric. */
  proptype: string;
  currentvalue: string;
  enabled: boolean;
  /** Whether the property is visible. Invisible properties are in a response only with `getallproperties`. */
  visible: boolean;
  obligatory: boolean;
  /** Whether the property, though optional, must be evaluated before the article is valid. */
  obligatory2c: boolean;
  /** Whether further values may be added. */
  addvalues: boolean;
  propclassname: string;
  digits: number;
  /** Number of decimals among the `digits`. */
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

/** Commercial data of an article. `pricecomponents` and `usermessages` are passed through: they are not specified. */
export interface CommercialData {
  id: string;
  /** Final article number with the code scheme; opaque. */
  finalarticlenumber: string;
  /** Price; null if there is none: see `articlewithprice`. */
  price: number | null;
  /** Currency of the price: `EUR`, `CHF`. */
  currency: string;
  pricecomponents: unknown;
  shorttext: string;
  /** Lines separated by newlines. */
  longtext: string;
  /** Properties with their values: lines separated by newlines. */
  varianttext: string;
  /** Opaque configuration string that ends with `::`. */
  reinitstring: string;
  /** Conversion date: `YYYY-MM-DD`, or empty. */
  convertdate: string;
  articlewithprice: boolean;
  propclasses: PropertyClass[];
  usermessages: unknown;
  /** Whether an optional property must still be evaluated. */
  obligatory2c: boolean;
}

/** An article as the service sends it; fields of type `unknown` are not specified and passed through. */
export interface Article {
  /** Identifier for changing the configuration. */
  id: string;
  /** Equal to `id` for a top-level article. */
  rootid: string;
  manufacturer: string;
  program: string;
  basearticlenumber: string;
  /** Internal name of the meta type. */
  typename: string;
  /** Meta configuration string, which GET btg takes as `metareinitstring`. */
  reinit: string;
  children: Article[];
  propclasses: PropertyClass[];
  metamessages: unknown;
  /** Commercial data; missing if the service could not build the article. */
  ocd: CommercialData | undefined;
  /** Errors that the service reports, else empty. */
  dump: string;
  /** Field that the service declares, but does not fill in. */
  debugreinitstring?: unknown;
  debugiscommercialvalid?: unknown;
  debugisvisiblepropertieswithvalue?: unknown;
}

/** A property of an article and its new value. */
export interface PropertyChange {
  /** Identifier of the article, which may be a child. */
  id: string;
  /** Identifier of its top-level article. */
  rootid: string;
  /** Whether the property is commercial, or of the meta planning. */
  proptype: 'ocd' | 'meta';
  propclass: string;
  prop: string;
  /** New value: a `valuefrom`, or a number within the ranges. */
  newvalue: string;
  /** The top-level article, as the service sent it. */
  jsondata: unknown;
}
