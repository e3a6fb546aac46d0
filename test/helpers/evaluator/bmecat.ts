/**
 * What a catalogue in BMEcat 2005 breaks of its format: well-formed XML, and a table of the elements that may be written.
 * The schema itself is not kept here. The table says the same as `bmecat_2005.xsd` of 2005-11-04 for these elements:
 * their order, how often they may be there, and the values of their texts.
 */
import { SaxesParser } from 'saxes';

/** Name, and how often: once, at most once, any number, at least once. */
type Child = readonly [name: string, count: '1' | '?' | '*' | '+'];

interface TextRule {
  most?: number;
  pattern?: RegExp;
}

type ElementRule = { children: readonly Child[] } | TextRule;

const INTEGER = { pattern: /^-?\d+$/ };
const DECIMAL = { pattern: /^-?\d+(\.\d+)?$/ };

const ELEMENTS: Readonly<Record<string, ElementRule>> = {
  BMECAT: {
    children: [
      ['HEADER', '1'],
      ['T_NEW_CATALOG', '1'],
    ],
  },
  HEADER: {
    children: [
      ['GENERATOR_INFO', '?'],
      ['CATALOG', '1'],
      ['SUPPLIER', '1'],
    ],
  },
  GENERATOR_INFO: { most: 250 },
  CATALOG: {
    children: [
      ['LANGUAGE', '+'],
      ['CATALOG_ID', '1'],
      ['CATALOG_VERSION', '1'],
      ['CATALOG_NAME', '*'],
      ['CURRENCY', '?'],
      ['MIME_ROOT', '*'],
    ],
  },
  LANGUAGE: { pattern: /^[a-z]{3}$/ },
  CATALOG_ID: { most: 20 },
  CATALOG_VERSION: { most: 7, pattern: /^[0-9]{1,3}\.[0-9]{1,3}$/ },
  CATALOG_NAME: { most: 100 },
  CURRENCY: { pattern: /^[A-Z]{3}$/ },
  MIME_ROOT: { most: 250 },
  SUPPLIER: { children: [['SUPPLIER_NAME', '1']] },
  SUPPLIER_NAME: { most: 50 },
  T_NEW_CATALOG: { children: [['PRODUCT', '*']] },
  PRODUCT: {
    children: [
      ['SUPPLIER_PID', '1'],
      ['PRODUCT_DETAILS', '1'],
      ['PRODUCT_FEATURES', '*'],
      ['PRODUCT_ORDER_DETAILS', '1'],
      ['PRODUCT_PRICE_DETAILS', '+'],
      ['MIME_INFO', '?'],
    ],
  },
  SUPPLIER_PID: { most: 32 },
  PRODUCT_DETAILS: {
    children: [
      ['DESCRIPTION_SHORT', '+'],
      ['DESCRIPTION_LONG', '*'],
      ['MANUFACTURER_PID', '?'],
      ['MANUFACTURER_NAME', '?'],
      ['MANUFACTURER_TYPE_DESCR', '*'],
      ['SEGMENT', '*'],
    ],
  },
  DESCRIPTION_SHORT: { most: 150 },
  DESCRIPTION_LONG: { most: 64_000 },
  MANUFACTURER_PID: { most: 50 },
  MANUFACTURER_NAME: { most: 50 },
  MANUFACTURER_TYPE_DESCR: { most: 50 },
  SEGMENT: { most: 100 },
  PRODUCT_FEATURES: { children: [['FEATURE', '*']] },
  FEATURE: {
    children: [
      ['FNAME', '+'],
      ['FVALUE', '+'],
      ['FUNIT', '?'],
      ['FORDER', '?'],
      ['FVALUE_DETAILS', '*'],
    ],
  },
  FNAME: { most: 60 },
  FVALUE: { most: 60 },
  FUNIT: { most: 20 },
  FORDER: INTEGER,
  FVALUE_DETAILS: { most: 250 },
  PRODUCT_ORDER_DETAILS: {
    children: [
      ['ORDER_UNIT', '1'],
      ['CONTENT_UNIT', '?'],
      ['NO_CU_PER_OU', '?'],
      ['PRICE_QUANTITY', '?'],
      ['QUANTITY_MIN', '?'],
      ['QUANTITY_INTERVAL', '?'],
    ],
  },
  ORDER_UNIT: { pattern: /^C62$/ },
  CONTENT_UNIT: { pattern: /^C62$/ },
  NO_CU_PER_OU: DECIMAL,
  PRICE_QUANTITY: DECIMAL,
  QUANTITY_MIN: DECIMAL,
  QUANTITY_INTERVAL: DECIMAL,
  PRODUCT_PRICE_DETAILS: { children: [['PRODUCT_PRICE', '+']] },
  PRODUCT_PRICE: {
    children: [
      ['PRICE_AMOUNT', '?'],
      ['PRICE_CURRENCY', '?'],
      ['LOWER_BOUND', '?'],
    ],
  },
  PRICE_AMOUNT: DECIMAL,
  PRICE_CURRENCY: { pattern: /^[A-Z]{3}$/ },
  LOWER_BOUND: DECIMAL,
  MIME_INFO: { children: [['MIME', '+']] },
  MIME: {
    children: [
      ['MIME_TYPE', '?'],
      ['MIME_SOURCE', '+'],
      ['MIME_DESCR', '*'],
      ['MIME_ALT', '*'],
      ['MIME_PURPOSE', '?'],
      ['MIME_ORDER', '?'],
    ],
  },
  MIME_TYPE: {
    most: 30,
    pattern:
      /^(application\/pdf|application\/xml|image\/gif|image\/jpeg|text\/html|text\/plain|url|[\w\-.]{1,30})$/,
  },
  MIME_SOURCE: { most: 255 },
  MIME_DESCR: { most: 250 },
  MIME_ALT: { most: 80 },
  MIME_PURPOSE: {
    pattern: /^(data_sheet|detail|icon|logo|normal|safety_data_sheet|thumbnail|others)$/,
  },
  MIME_ORDER: INTEGER,
};

/** Attributes and their values, of the elements that have any. */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  BMECAT: { version: /^2005$/, xmlns: /^http:\/\/www\.bmecat\.org\/bmecat\/2005fd$/ },
  LANGUAGE: { default: /^true$/ },
  PRODUCT_PRICE: {
    price_type: /^(gros_list|net_customer|net_customer_exp|net_list|nrp|on_request)$/,
  },
};

/** An element as it was read. */
export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  text: string;
}

/** Reads a document. @throws Where it is not well-formed. */
export function xmlOf(text: string): XmlElement {
  const top: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: XmlElement = { name, attributes, children: [], text: '' };
    open.at(-1)!.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.on('text', (part) => {
    open.at(-1)!.text += part;
  });
  parser.write(text).close();
  return top.children[0]!;
}

/** All elements of a name, in their order. */
export function elementsOf(element: XmlElement, name: string): XmlElement[] {
  const own = element.name === name ? [element] : [];
  return [...own, ...element.children.flatMap((child) => elementsOf(child, name))];
}

/** What a catalogue breaks of the format: a sentence each. @throws Where it is not well-formed. */
export function bmecatBreaches(text: string): string[] {
  const root = xmlOf(text);
  const numbers = elementsOf(root, 'SUPPLIER_PID').map((element) => element.text);
  const repeated = numbers.filter((number, at) => numbers.indexOf(number) !== at);
  return [
    ...(root.name === 'BMECAT' ? [] : ['the root is not BMECAT']),
    ...breachesOf(root),
    ...repeated.map((number) => `SUPPLIER_PID ${number} is not unique`),
  ];
}

function breachesOf(element: XmlElement): string[] {
  const { name, attributes, children, text } = element;
  const rule = ELEMENTS[name];
  if (rule === undefined) return [`${name} is no element of the table`];
  const breaches = Object.entries(ATTRIBUTES[name] ?? {})
    .filter(([attribute, pattern]) => !pattern.test(attributes[attribute] ?? ''))
    .map(([attribute]) => `${name}: ${attribute} is "${attributes[attribute]}"`);
  for (const attribute of Object.keys(attributes))
    if (ATTRIBUTES[name]?.[attribute] === undefined) breaches.push(`${name} has ${attribute}`);
  if (!('children' in rule)) return [...breaches, ...textBreaches(element, rule)];
  if (text.trim() !== '') breaches.push(`${name} has text`);
  const order = rule.children.map(([child]) => child);
  const names = children.map((child) => child.name);
  const places = names.map((child) => order.indexOf(child));
  if (places.some((place, at) => place < (places[at - 1] ?? 0)))
    breaches.push(`${name}: order ${names}`);
  for (const [child, count] of rule.children) {
    const found = names.filter((one) => one === child).length;
    if (found === 0 && (count === '1' || count === '+')) breaches.push(`${name} lacks ${child}`);
    if (found > 1 && (count === '1' || count === '?')) breaches.push(`${name}: several ${child}`);
  }
  return [...breaches, ...children.flatMap(breachesOf)];
}

function textBreaches({ name, text, children }: XmlElement, { most, pattern }: TextRule) {
  const breaches = children.length > 0 ? [`${name} has children`] : [];
  if (text.trim() === '') breaches.push(`${name} is empty`);
  if (most !== undefined && [...text].length > most) breaches.push(`${name}: over ${most}`);
  if (pattern?.test(text) === false) breaches.push(`${name} is "${text}"`);
  return breaches;
}
