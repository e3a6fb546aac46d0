/** Calls of operations that do not pass through the client: those of a page, and those that a proxy receives. */

import {
  type AnswerOf,
  GROUPS,
  OPERATIONS,
  type Operation,
  type OperationName,
  type Values,
} from './operations.ts';
import { buildTarget, createFallback, readAddress } from './target.ts';

interface CallerConfig<Options> {
  baseUrl: string;
  /** Values of all calls, such as the languages. */
  shared: Values;
  /** Sends one request, and returns the body of its answer; `addressWith` makes its address with a token. */
  send(
    operation: Operation<unknown>,
    addressWith: (token: string) => string,
    options?: Options,
  ): Promise<Uint8Array>;
}

/**
 * Makes a function that calls operations. If an operation has several addresses, the first one that has the requested
 * data is used.
 *
 * @throws {@link ConverterError} `USAGE` if the base address cannot be read.
 */
export function createCaller<Options>({ baseUrl, shared, send }: CallerConfig<Options>) {
  const base = readAddress(baseUrl, 'data-base-url');
  const addresses = { authUrl: base, baseUrl: base };
  const fallback = createFallback();
  return <Name extends OperationName>(name: Name, own: Values, options?: Options) => {
    const operation = OPERATIONS[name] as Operation<AnswerOf<Name>>;
    const values = { ...shared, ...own };
    return fallback(operation, undefined, async (which) => {
      const addressWith = (token: string) => {
        const { origin, path } = buildTarget(operation, values, addresses, token, which);
        return `${origin}${path}`;
      };
      const bytes = await send(operation, addressWith, options);
      return { bytes, answer: operation.decode(bytes) };
    });
  };
}

const ROWS = Object.entries(OPERATIONS) as [OperationName, Operation<unknown>][];

/** Every address of the three groups that takes a token in its query: not the logout. The first of each row leads. */
const PATHS = ROWS.flatMap(([name, operation]) => {
  const { token, group, path, others = [] } = operation;
  if (token !== 'query') return [];
  return [{ group, path }, ...others].flatMap((at, address) => {
    const isOfGroups = at.group === 'xcf' || at.group === 'ofml' || at.group === 'odb';
    return isOfGroups ? [{ name, operation, address, pattern: patternOf(at) }] : [];
  });
}).sort((a, b) => a.address - b.address);

function patternOf({ group, path }: Pick<Operation<unknown>, 'group' | 'path'>): RegExp {
  const literal = `${GROUPS[group].path}${path}`.replace(/[.]/g, '\\.');
  const filled = literal.replace(/\{(\w+)(\\.\\.\\.)?\}/g, (_, name: string, many?: string) =>
    many === undefined ? `(?<${name}>[^/]+)` : `(?<${name}>.+)`,
  );
  return new RegExp(`^${filled}$`);
}

/**
 * Finds the operation of a received request, if it has a token in its query.
 *
 * @param path - Below the base address, encoded.
 * @returns Its row, the index of its address in the row, and the encoded segments by name.
 */
export function operationAt(method: string, path: string) {
  for (const { name, operation, address, pattern } of PATHS) {
    const match = operation.method === method ? pattern.exec(path) : null;
    if (match) return { name, operation, address, segments: match.groups ?? {} };
  }
  return undefined;
}
