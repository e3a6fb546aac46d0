/** Reads the XML in answers of S3: elements with text, whose attributes have no meaning. */

/** An element; `text` is its own text, without the text of its children. */
export interface XmlElement {
  /** Name without its namespace. */
  name: string;
  text: string;
  children: XmlElement[];
}

/** A declaration, a comment, a tag with its attributes, or text. */
const TOKEN =
  /<\?[^>]*\?>|<!--(?:(?!-->)[\s\S])*-->|<(?<end>\/?)(?:[A-Za-z_][\w.-]*:)?(?<name>[A-Za-z_][\w.-]*)(?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(?<empty>\/?)>|(?<text>[^<]+)/y;
/** Answers of S3 have four levels. */
const MOST_LEVELS = 16;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};
const ENTITY = /&(?:#(?<decimal>\d{1,7})|#x(?<hex>[0-9A-Fa-f]{1,6})|(?<name>[a-z]+));|&/g;

/**
 * Reads a document; undefined if it is not from S3, such as the HTML page of a proxy. A document type is refused: its
 * entities could be larger than memory.
 *
 * @example
 * ```ts
 * readXml('<Error><Code>SlowDown</Code></Error>')?.children[0]?.text; // → 'SlowDown'
 * ```
 */
export function readXml(document: string): XmlElement | undefined {
  const top: XmlElement = { name: '', text: '', children: [] };
  const open = [top];
  const token = new RegExp(TOKEN);
  for (let at = 0; at < document.length; at = token.lastIndex) {
    token.lastIndex = at;
    const groups = token.exec(document)?.groups;
    const parent = open.at(-1)!;
    if (groups === undefined) return undefined;
    const { end, name, empty, text } = groups;
    if (text !== undefined) {
      const decoded = decode(text);
      if (decoded === undefined) return undefined;
      parent.text += decoded;
    } else if (name !== undefined && end === '/') {
      if (parent.name !== name || open.length === 1) return undefined;
      open.pop();
    } else if (name !== undefined) {
      const element = { name, text: '', children: [] };
      parent.children.push(element);
      if (empty === '') open.push(element);
      if (open.length > MOST_LEVELS) return undefined;
    }
  }
  const isWhole = open.length === 1 && top.children.length === 1 && top.text.trim() === '';
  return isWhole ? top.children[0] : undefined;
}

/** Text of the first child with a name; undefined if there is none. */
export function childText(element: XmlElement | undefined, name: string): string | undefined {
  return element?.children.find((child) => child.name === name)?.text;
}

/** Replaces the entities of a text; undefined if one of them is not known. */
function decode(text: string): string | undefined {
  let isKnown = true;
  const decoded = text.replace(ENTITY, (...match) => {
    const { decimal, hex, name } = match.at(-1) as Record<string, string | undefined>;
    const number = decimal ?? (hex === undefined ? undefined : `0x${hex}`);
    const point = number === undefined ? Number.NaN : Number(number);
    const character = point <= 0x10ffff ? String.fromCodePoint(point) : ENTITIES[name ?? ''];
    isKnown &&= character !== undefined;
    return character ?? '';
  });
  return isKnown ? decoded : undefined;
}
