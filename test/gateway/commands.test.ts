/**
 * The commands that listen: addresses, refusals, shutdown; and the output of migrate-url.
 */
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { openCacheDatabase } from '../../src/source/cache/database.ts';
import { createClient } from '../../src/source/service/client.ts';
import { redact } from '../../src/support/redact.ts';
import { environmentOf } from '../helpers/child.ts';
import { command } from '../helpers/command.ts';
import { jsonOf } from '../helpers/json-of.ts';
import { startCommand } from '../helpers/running-command.ts';
import { smallRange } from '../helpers/small-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const CART = {
  id: '7',
  rootid: '7',
  manufacturer: 'ACME',
  program: 'DESK',
  basearticlenumber: 'D1',
  children: [],
  ocd: { reinitstring: 'D1;F=X::' },
};

let folder: string;
let emulator: Emulator;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await temporaryFolder();
  emulator = await startEmulator({ range: smallRange([{ number: 'D1' }]) });
  env = environmentOf(emulator);
});
afterAll(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => rm(join(folder, 'carts'), { recursive: true, force: true }));

/** The arguments of each command that listens. */
const SERVERS: [string, string[]][] = [
  ['inbox', ['--store', 'carts']],
  ['relay', []],
  ['serve', []],
];

const inFolder = (words: string[]) =>
  words.map((word) => (word === 'carts' ? join(folder, 'carts') : word));

describe.each(SERVERS)('%s', (name, words) => {
  const start = (...more: string[]) => [name, ...inFolder(words), ...more];

  it('listens on this machine alone, says how to change that, and exits with 0 for a signal', async () => {
    const { url, printed, end } = await startCommand(start('--port', '0'), env);
    expect(printed).toContain(
      'Only this machine can connect. To let others connect: --host 0.0.0.0',
    );
    const { hostname, port } = new URL(url);
    expect(hostname).toBe('127.0.0.1');
    for (const address of addressesOfThisMachine()) {
      expect(await isReachable(address, Number(port))).toBe(false);
    }
    // A second one finds the port taken.
    expect(await command(start('--port', port), { env })).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/--port: another program uses port \d+/),
    });
    expect((await end()).exit).toBe(0);
  });

  it.each([
    ['0.0.0.0:4820', '0.0.0.0'],
    ['0.0.0.0', '0.0.0.0'],
    ['[::]:4820', '::'],
    ['::', '::'],
    ['inbox.example:80', 'inbox.example'],
  ])('refuses a public address without --host, and says how: --port %s', async (port, host) => {
    const { exit, stdout, stderr } = await command(start('--port', port), { env });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toMatch(/--port: expected a number, received/);
    expect(stderr).toContain(`use --host ${host}\n`);
  });

  it('listens on every address with --host, and says what that means', async () => {
    const words = start('--port', '0', '--host', '0.0.0.0');
    const { url, printed, end } = await startCommand(words, env);
    expect(printed).toContain('Everyone who can reach 0.0.0.0 can connect, unencrypted');
    for (const address of addressesOfThisMachine()) {
      expect(await isReachable(address, Number(new URL(url).port))).toBe(true);
    }
    await end();
  });

  it.each([
    ['--port', '70000', '--port: expected a whole number from 0 to 65535'],
    ['--port', 'http', '--port: expected a whole number from 0 to 65535'],
    ['--host', '203.0.113.77', 'expected an address of this machine, received 203.0.113.77'],
    ['--host', '127.0.0.1:80', '--host: expected an address without a port'],
    ['--host', '', '--host has no value'],
  ])('exits with 2 for %s "%s"', async (option, value, says) => {
    const { exit, stderr } = await command(start(option, value), { env });
    expect([exit, stderr]).toEqual([2, expect.stringContaining(says)]);
  });
});

describe('inbox', () => {
  it('stores a cart, and its permanent identifier in the ledger of the service', async () => {
    const cache = join(folder, 'cache');
    const words = ['inbox', '--store', join(folder, 'carts'), '--cache', cache, '--port', '0'];
    const { url, end } = await startCommand(words, env);
    const body = JSON.stringify({ json: CART, permanentid: 'P1' });
    const answer = await jsonOf(fetch(url, { method: 'POST', body }));
    expect(answer).toMatchObject({ stored: true, permanentid: 'P1' });
    await end();
    expect(await readdir(join(folder, 'carts'))).toHaveLength(1);
    const state = await openCacheDatabase(cache);
    expect(state.permanentIds.get(emulator.baseUrl, 'P1')).toEqual(CART);
    expect(state.permanentIds.get('https://other.example', 'P1')).toBeUndefined();
    state.close();
  });

  it('documents the body of a post in its help', async () => {
    const { stdout } = await command(['inbox', '--help']);
    for (const part of ['{"json": ARTICLE}', 'rootid', 'basearticlenumber', '"stored": true']) {
      expect(stdout).toContain(part);
    }
  });

  it.each([
    ['no store', [], 'inbox: --store is missing'],
    ['no origin', ['--store', 'carts', '--allow-origin', 'plan'], '--allow-origin'],
    ['identifiers without a ledger', ['--store', 'carts', '--permanent-ids'], '--cache'],
  ])('exits with 2 for %s', async (_, words, says) => {
    const { exit, stderr } = await command(['inbox', ...inFolder(words)], { env });
    expect([exit, stderr]).toEqual([2, expect.stringContaining(says)]);
  });
});

describe('serve', () => {
  it('prints a login that opens it, its user name also in a shell that has its exports', async () => {
    const { printed, end } = await startCommand(['serve', '--port', '0'], env);
    // As the process prints it.
    expect(redact(printed)).toContain(`export BTG2GLTF_USERNAME='${emulator.username}'`);
    const value = (name: string) => new RegExp(`${name}='([^']*)'`).exec(printed)![1]!;
    const client = createClient({
      authUrl: value('AUTH_URL'),
      baseUrl: value('BASE_URL'),
      credentials: { username: value('USERNAME'), password: value('PASSWORD') },
      now: Date.now,
      random: () => 0,
    });
    expect((await client.getNodes('')).nodes).not.toEqual([]);
    await client.close();
    expect(value('FRONTEND_URL')).toMatch(/^http:/);
    await end();
  });
});

describe('relay', () => {
  it('hands out a token, and prints nothing of it', async () => {
    const { username, password } = emulator;
    const { url, end } = await startCommand(['relay', '--port', '0'], env);
    const body = new URLSearchParams({ username, password, rememberme: 'false' });
    const token = await (await fetch(url, { method: 'POST', body })).text();
    const { stdout, stderr } = await end();
    expect(token.length).toBeGreaterThan(20);
    expect(stderr).toMatch(/"msg":"answered"/);
    for (const secret of [token, username, password]) {
      expect(stdout + stderr).not.toContain(secret);
    }
  });

  it('requires the authentication server', async () => {
    expect(await command(['relay', '--port', '0'])).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/BTG2GLTF_AUTH_URL: expected/),
    });
  });
});

describe('migrate-url', () => {
  const OLD =
    'https://old.example/configurator.php?manuid=ACME&seriesid=DESK&baseartnmbr=D1&reinitstring=R&token=tok%2B4711';
  const migrateUrl = (url: string, ...more: string[]) =>
    command(['migrate-url', url, '--frontend-url', 'https://plan.example', ...more]);

  it('shows before, after, what changed and what to look at, and masks the token', async () => {
    const { exit, stdout } = await command(['migrate-url', OLD], {
      env: { BTG2GLTF_FRONTEND_URL: 'https://plan.example' },
    });
    expect(exit).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "
        before  https://old.example/configurator.php?manuid=ACME&seriesid=DESK&baseartnmbr=D1&reinitstring=R&token=***
        after   https://plan.example/planning?manufacturer=ACME&program=DESK&basearticlenumber=D1&ocdreinit=R&token=***

        Changed, from v1 to v2.5:
          https://old.example/configurator.php → https://plan.example/planning  (Spec 9.1, 9.4)
          manuid → manufacturer  (Spec 9.3)
          seriesid → program  (Spec 9.3)
          baseartnmbr → basearticlenumber  (Spec 9.3)
          reinitstring → ocdreinit  (Spec 9.3)

        To check:
          PREFER_PERMANENTID: ocdreinit restores this one article; to restore a whole planning, store it (POST reinit) and use its permanentid instead (Spec 9.2)
          MODE_NOT_CARRIED: configurator.php is gone, and the address opens catalogue and configurator together; add disablecatalogue=true for the configurator alone or opencatalogue=true for the catalogue (Spec 4.5)

      "
    `);
  });

  it('says that there is nothing to do where there is nothing to do', async () => {
    const url = 'https://plan.example/planning?token=tok%2B4711&permanentid=P';
    const { stdout } = await migrateUrl(url);
    expect(stdout).toMatch(/after {3}\(the same\)[\s\S]*nothing changes/);
  });

  it.each([
    ['in the query', 'index.php?token=tok-4711/x&manuid=A'],
    ['after an entity', 'index.php?manuid=A&amp;token=tok-4711/x'],
    ['in the fragment', 'index.php?manuid=A#token=tok-4711/x'],
    ['within another address', 'index.php?urlwarenkorb=https%3A%2F%2Fs%2F%3Ftoken%3Dtok-4711%2Fx'],
    ['as a password', 'index.php?username=tok-4711/x&password=tok-4711/x'],
  ])('masks a secret %s, also in JSON', async (_, url) => {
    for (const json of [[], ['--json']]) {
      const { exit, stdout } = await migrateUrl(url, ...json);
      expect({ exit, leak: /tok-4711/.exec(stdout) }).toEqual({ exit: 0, leak: null });
    }
  });

  it('exits with 2 where there is no base, or no address of the service', async () => {
    expect(await command(['migrate-url', OLD])).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/--frontend-url or BTG2GLTF_FRONTEND_URL/),
    });
    expect(await migrateUrl('https://x.example/a.html')).toMatchObject({ exit: 2 });
  });
});

function addressesOfThisMachine(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
}

/** Whether something listens at an address of this machine, which answers at once: another error fails. */
async function isReachable(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    return false;
  } finally {
    socket.destroy();
  }
}
