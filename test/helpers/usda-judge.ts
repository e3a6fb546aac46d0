/** A reader of USD text of its own: the grammar of what a USDZ of this program may contain, and nothing more. */

/** A value as written. */
export type UsdValue =
  | number
  | string
  | { asset: string }
  | { path: string }
  | { tuple: UsdValue[] }
  | UsdValue[]
  | { [name: string]: UsdValue };

interface UsdProperty {
  /** With `[]` for a list; `rel` for a relationship. */
  type: string;
  value: UsdValue | undefined;
  /** Target of `.connect`. */
  connect: string | undefined;
  metadata: Record<string, UsdValue>;
}

export interface UsdPrim {
  path: string;
  type: string;
  metadata: Record<string, UsdValue>;
  properties: Map<string, UsdProperty>;
  children: UsdPrim[];
}

export interface UsdLayer {
  metadata: Record<string, UsdValue>;
  prims: UsdPrim[];
}

const TOKEN =
  /\s+|("(?:[^"\\\n]|\\.)*")|(@[^@\n]*@)|(<[^<>\s]*>)|(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![A-Za-z_])|([A-Za-z_][\w:.]*(?:\[\])?)|([()[\]{}=,])/gy;

interface Token {
  kind: 'string' | 'asset' | 'path' | 'number' | 'word' | 'mark';
  text: string;
}

function tokensOf(text: string): Token[] {
  const kinds = ['string', 'asset', 'path', 'number', 'word', 'mark'] as const;
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) throw new Error(`USD text at ${at}: ${text.slice(at, at + 40)}`);
    const kind = kinds.find((_, i) => found[i + 1] !== undefined);
    if (kind) tokens.push({ kind, text: found[0] });
  }
  return tokens;
}

/** Reads a layer. @throws Error where the text is not of the grammar. */
export function readUsda(text: string): UsdLayer {
  const [head = ''] = text.split('\n', 1);
  if (head !== '#usda 1.0') throw new Error(`expected #usda 1.0, received ${head}`);
  const tokens = tokensOf(text.slice(head.length));
  let at = 0;
  const peek = () => tokens[at]?.text;
  const take = (kind: Token['kind'], text?: string): string => {
    const token = tokens[at++];
    if (token?.kind !== kind || (text !== undefined && token.text !== text)) {
      throw new Error(`expected ${text ?? kind}, received ${token?.text ?? 'the end'}`);
    }
    return token.text;
  };
  const accept = (text: string): boolean => {
    if (peek() !== text) return false;
    at++;
    return true;
  };

  const list = (end: string): UsdValue[] => {
    const values: UsdValue[] = [];
    if (accept(end)) return values;
    do values.push(value());
    while (accept(','));
    take('mark', end);
    return values;
  };
  const value = (): UsdValue => {
    if (accept('[')) return list(']');
    if (accept('(')) return { tuple: list(')') };
    if (accept('{')) return dictionary();
    const { kind, text } = tokens[at++] ?? { kind: 'mark', text: 'the end' };
    if (kind === 'string') return JSON.parse(text) as string;
    if (kind === 'asset') return { asset: text.slice(1, -1) };
    if (kind === 'path') return { path: text.slice(1, -1) };
    if (kind === 'number') return Number(text);
    throw new Error(`expected a value, received ${text}`);
  };
  const dictionary = (): Record<string, UsdValue> => {
    const entries: Record<string, UsdValue> = {};
    while (!accept('}')) {
      take('word');
      const name = take('word');
      take('mark', '=');
      entries[name] = value();
    }
    return entries;
  };
  const metadata = (): Record<string, UsdValue> => {
    const entries: Record<string, UsdValue> = {};
    if (!accept('(')) return entries;
    while (!accept(')')) {
      accept('prepend');
      const name = take('word');
      take('mark', '=');
      entries[name] = value();
    }
    return entries;
  };
  const prim = (parent: string): UsdPrim => {
    take('word', 'def');
    const type = take('word');
    const name = JSON.parse(take('string')) as string;
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new Error(`${name} is no name of a prim`);
    const path = `${parent}/${name}`;
    const made: UsdPrim = {
      ...{ path, type, metadata: metadata() },
      ...{ properties: new Map(), children: [] },
    };
    take('mark', '{');
    while (!accept('}')) {
      if (peek() === 'def') made.children.push(prim(path));
      else property(made);
    }
    return made;
  };
  const property = ({ path, properties }: UsdPrim): void => {
    accept('uniform');
    const type = take('word');
    const written = take('word');
    const name = written.replace(/\.connect$/, '');
    if (properties.has(name)) throw new Error(`${path}.${name} is declared twice`);
    const given = accept('=') ? value() : undefined;
    const isConnected = written !== name;
    const target = isConnected ? (given as { path: string }).path : undefined;
    properties.set(name, {
      ...{ type, value: isConnected ? undefined : given, connect: target },
      metadata: metadata(),
    });
  };

  const layer: UsdLayer = { metadata: metadata(), prims: [] };
  while (at < tokens.length) layer.prims.push(prim(''));
  return layer;
}

/** A prim and all below it. */
export function withDescendants(prim: UsdPrim): UsdPrim[] {
  return [prim, ...prim.children.flatMap(withDescendants)];
}
