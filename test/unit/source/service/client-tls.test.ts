import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServiceConfig } from '../../../../src/source/service/service-config.ts';
import { KEY_PAIR, selfSigned } from '../../../helpers/certificate.ts';
import { clientOf, errorOf, PASSWORD, USERNAME } from '../../../helpers/faulty-client.ts';

async function serve(cert: string) {
  const seen: string[] = [];
  const server = createServer({ key: KEY_PAIR.privateKey, cert }, (request, response) => {
    seen.push(request.url ?? '');
    response.end('{"result":["x"]}');
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return { seen, address: `https://localhost:${(server.address() as AddressInfo).port}` };
}

const CREDENTIALS: ServiceConfig['credentials'][] = [
  { username: USERNAME, password: PASSWORD },
  { token: 'token-of-the-test' },
];

/** Without end, if they waited at all. */
const OF_A_RUN = { retries: 0, waitsForFirstAnswer: true, giveUpAfterMs: 3_600_000 };

/** The errors of a login, and of a request with a given token, in a run. */
function errorsAt(address: string) {
  const service = { authUrl: address, baseUrl: address };
  const clients = CREDENTIALS.map((credentials) => clientOf(service, { credentials, ...OF_A_RUN }));
  return Promise.all(clients.map((client) => errorOf(client.getNodes(''))));
}

describe('a certificate that cannot be trusted', () => {
  it.each([
    ['it is signed by itself', {}],
    ['it is that of another host', { host: 'other.example' }],
    ['it has expired', { ended: true }],
  ])('ends the connection before a word is said: %s', async (_, changes) => {
    const { address, seen } = await serve(selfSigned(changes));
    for (const { code, message } of await errorsAt(address)) {
      expect(code).toBe('SERVICE_UNREACHABLE');
      expect(message).toMatch(/cannot reach localhost:\d+: its certificate /);
    }
    expect(seen).toEqual([]);
  });

  it('does so although the environment says not to look', async () => {
    // Node.js prints a warning of this variable.
    const listeners = process.rawListeners('warning') as NodeJS.WarningListener[];
    process.removeAllListeners('warning');
    onTestFinished(() => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      for (const print of listeners) process.on('warning', print);
    });
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const { address, seen } = await serve(selfSigned());
    expect(await fetch(address).then((response) => response.status)).toBe(200);
    seen.length = 0;
    const refused = { code: 'SERVICE_UNREACHABLE' };
    expect(await errorsAt(address)).toMatchObject([refused, refused]);
    expect(seen).toEqual([]);
  });
});
