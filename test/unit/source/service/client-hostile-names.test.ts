import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  GROUPS,
  OPERATIONS,
  type OperationName,
} from '../../../../src/source/service/operations.ts';
import { buildTarget, readAddress } from '../../../../src/source/service/target.ts';
import { isConverterError } from '../../../../src/support/errors.ts';
import { anyText } from '../../../helpers/any-text.ts';
import { raw, startFaultServer } from '../../../helpers/fault-server.ts';
import { clientOf, errorOf } from '../../../helpers/faulty-client.ts';
import { samples } from '../../../helpers/samples.ts';

/** Names with which others have led clients astray. */
const HOSTILE = [
  '//other.example/x',
  'http://other.example/x',
  'https:other.example',
  '\\\\other.example\\x',
  '@other.example/x',
  ':80@other.example',
  '../../../x',
  '..%2f..%2fx',
  '%2e%2e/%2e%2e/x',
  '..\\..\\x',
  './x',
  'x?token=1#y',
  'x HTTP/1.1\r\nHost: other.example\r\n\r\nGET /',
  '\u0000',
  '\u2025/\uff0e\uff0e/x',
  'file:///etc/passwd',
  'data:image/jpeg;base64,/9j/',
  'javascript:alert(1)',
];

const NAMES = Object.keys(OPERATIONS) as OperationName[];
const ADDRESSES = {
  authUrl: readAddress('https://login.example/auth', 'authUrl'),
  baseUrl: readAddress('https://service.example/base', 'baseUrl'),
};
const PLACEHOLDERS = ['manufacturer', 'program', 'language', 'name', 'path', 'parentnode', 'query'];

describe('a name that comes from the service', () => {
  const anyName = fc.oneof(fc.constantFrom(...HOSTILE), anyText());
  const anyToken = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ minLength: 1 }));

  it('never changes the host, nor leaves the path of its group', () => {
    const values = fc.tuple(...PLACEHOLDERS.map(() => anyName));
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), values, anyToken, (name, own, token) => {
        const operation = OPERATIONS[name];
        const { address, path } = GROUPS[operation.group];
        try {
          const named = Object.fromEntries(PLACEHOLDERS.map((key, i) => [key, own[i]!]));
          const target = buildTarget(operation, named, ADDRESSES, token);
          const { origin, path: base } = ADDRESSES[address];
          // As any server or proxy on the way would read it.
          const read = new URL(target.origin + target.path);
          expect(read.origin).toBe(origin);
          expect(read.pathname.startsWith(`${base}${path}/`)).toBe(true);
          expect(read.hash).toBe('');
          expect(target.path).toMatch(/^[\x21-\x7e]+$/);
        } catch (error) {
          if (!isConverterError(error, operation.missing, 'RESPONSE_INVALID')) throw error;
        }
      }),
      { seed: 6, numRuns: samples(2_000) },
    );
  });
});

describe('a reference that leads out of the service', () => {
  it('sends requests to no other server, whatever a rescontent, a previewimage or a pic says', async () => {
    const [server, other] = [await startFaultServer(), await startFaultServer()];
    other.always('/', raw('stolen'));
    const { host } = new URL(other.baseUrl);
    const astray = HOSTILE.map((name) => name.replaceAll('other.example', host));
    const client = clientOf(server, { retries: 0, giveUpAfterMs: 0 });
    for (const name of astray) {
      const requests = [
        client.getResource(name),
        client.getResource(`xcf/ressource/${name}`),
        client.getPreview(name),
        client.getPreview(`ocd/preview/${name}/x/y.jpg`),
        client.getMaterial('ACME', name),
        client.getMaterial(name, 'OAK'),
        client.getBlock(name),
      ];
      await Promise.all(requests.map(errorOf));
    }
    expect(other.seen).toEqual([]);
    expect(server.seen.every(({ url }) => /^\/(?:base\/api|auth)\//.test(url))).toBe(true);
  });
});
