import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import forge from 'node-forge';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../../src/service/client.ts';
import type { ServiceConfig } from '../../../src/service/service-config.ts';
import { errorOf, PASSWORD, USERNAME } from '../../helpers/faulty-client.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** A certificate for this machine that no authority signed. */
function selfSigned(changes: { host?: string; ended?: boolean } = {}) {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date('2020-01-01');
  certificate.validity.notAfter = new Date(changes.ended ? '2021-01-01' : '2120-01-01');
  const names = [{ name: 'commonName', value: 'a service of the test' }];
  certificate.setSubject(names);
  certificate.setIssuer(names);
  certificate.setExtensions([
    { name: 'subjectAltName', altNames: [{ type: 2, value: changes.host ?? 'localhost' }] },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(privateKey), forge.md.sha256.create());
  return { key: privateKey, cert: forge.pki.certificateToPem(certificate) };
}

const servers: Server[] = [];
afterEach(async () => {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  for (const server of servers.splice(0)) server.close();
});

async function serve(certificate: { key: string; cert: string }) {
  const seen: string[] = [];
  const server = createServer(certificate, (request, response) => {
    seen.push(request.url ?? '');
    response.end('{"result":["x"]}');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return { seen, address: `https://localhost:${(server.address() as AddressInfo).port}` };
}

function ask(address: string, credentials: ServiceConfig['credentials']) {
  const client = createClient({
    authUrl: address,
    baseUrl: address,
    credentials,
    now: () => 0,
    random: () => 0,
    retries: 0,
  });
  return errorOf(client.getNodes('')).finally(() => client.close());
}

const LOGIN = { username: USERNAME, password: PASSWORD };

describe('a certificate that cannot be trusted', () => {
  it.each([
    ['it is signed by itself', {}],
    ['it is that of another host', { host: 'other.example' }],
    ['it has expired', { ended: true }],
  ])('ends the connection before a word is said: %s', async (_, changes) => {
    const { address, seen } = await serve(selfSigned(changes));
    for (const credentials of [LOGIN, { token: 'token-of-the-test' }]) {
      const error = await ask(address, credentials);
      expect(error.code).toBe('SERVICE_UNREACHABLE');
      expect(error.message).toMatch(/cannot reach localhost:\d+: its certificate /);
    }
    expect(seen).toEqual([]);
  });

  it('does so although the environment says not to look', async () => {
    // Node.js prints a warning of this variable.
    const listeners = process.rawListeners('warning') as NodeJS.WarningListener[];
    process.removeAllListeners('warning');
    onTestFinished(() => {
      for (const print of listeners) process.on('warning', print);
    });
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const { address, seen } = await serve(selfSigned());
    expect(await fetch(address).then((response) => response.status)).toBe(200);
    seen.length = 0;
    expect(await ask(address, LOGIN)).toMatchObject({ code: 'SERVICE_UNREACHABLE' });
    expect(await ask(address, { token: 'token-of-the-test' })).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
    });
    expect(seen).toEqual([]);
  });
});
