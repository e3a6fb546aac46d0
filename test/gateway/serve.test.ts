/** `serve`: the link to the planning page of the emulator, and who may show it in a frame. */
import { describe, expect, it } from 'vitest';
import { startEmulatorOf } from '../../src/emulator/start-emulator.ts';
import { openPlanningSite } from '../../src/gateway/planning-site.ts';
import { planningUrl } from '../../src/gateway/planning-url.ts';
import { redact } from '../../src/support/redact.ts';
import { command } from '../helpers/command.ts';
import { servePage } from '../helpers/served-page.ts';

/** The origins that may show the page. */
function ancestorsOf({ headers }: Response): string {
  return /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy')!)![1]!;
}

describe('serve', () => {
  it('prints a link that opens the planning page with a token of its own', async () => {
    const { link, token, end } = await servePage();
    const frontendUrl = `${link.origin}/frontend`;
    expect(link.href).toBe(planningUrl({ frontendUrl, token, mode: 'hybrid' }));
    const response = await fetch(link);
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining(`data-base-url="${link.origin}/service"`),
    ]);
    const query = new URLSearchParams({ token });
    const nodes = await fetch(`${link.origin}/service/api/xcf.dll/xcf/getnodes?${query}`);
    expect(nodes.status).toBe(200);
    const { exit, stdout, stderr } = await end();
    // A log of this process has it nowhere, however it is spelled.
    expect(redact(stdout)).not.toContain(encodeURIComponent(token));
    expect([exit, stderr]).toEqual([0, '']);
  });

  it.each([
    [[], "'self' http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:*"],
    [['--frame-ancestors', 'none'], "'none'"],
    [
      ['--frame-ancestors', 'https://shop.example, http://b.example:8080/'],
      "'self' https://shop.example http://b.example:8080",
    ],
  ])('with %j lets %s show it in a frame', async (words, ancestors) => {
    const { link, end } = await servePage(words);
    expect(ancestorsOf(await fetch(link))).toBe(ancestors);
    await end();
  });

  it.each(['shop.example', 'https://shop.example/path', "https://a;b'c.example", '*'])(
    'refuses %s as an origin',
    async (origin) => {
      const result = await command(['serve', '--port', '0', '--frame-ancestors', origin]);
      expect(result).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining('--frame-ancestors: expected'),
      });
    },
  );
});

it('a program can serve the page with an emulator of its own', async () => {
  const planningSite = openPlanningSite({ frameAncestors: ['https://shop.example'] });
  const emulator = await startEmulatorOf({}, { planningSite });
  const response = await fetch(`${emulator.frontendUrl}/planning`);
  expect(ancestorsOf(response)).toBe("'self' https://shop.example");
  await emulator.close();
});
