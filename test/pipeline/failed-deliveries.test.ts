/**
 * Deliveries that were asked for and cannot be made: a person finds each in terminal, report, metrics, JUnit,
 * failures.jsonl, `explain` and exit code; those that the pipeline file accepts are listed, and are no failure.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandResult, command, writePipeline } from '../helpers/command.ts';
import { lastReport } from '../helpers/daily-runs.ts';
import { parsedLines } from '../helpers/output-folder.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const ARTICLES = ['DP-R3', 'DP-F2'].map((basearticlenumber) => ({
  article: { manufacturer: 'FJEL', program: 'DEPOT', basearticlenumber },
}));
/** Textures of the first are too small; there is no picture of both; and nobody listens. */
const FAILING = {
  amazon: { code: 'BUDGET_EXCEEDED', failed: 1 },
  'feed google': { code: 'FEED_EMPTY', failed: 2 },
  webhook: { code: 'WEBHOOK_FAILED', failed: 2 },
} as const;
const env = { BTG2GLTF_BROWSER: 'none', SHOP_SECRET: 'key of the shop' };

let folder: string;
const output = (name: string) => join(folder, 'out', name);

async function runWith(accepts: boolean): Promise<CommandResult> {
  const accepted = (code: string) => (accepts ? [code] : []);
  const amazon = { profile: 'amazon', accept: accepted(FAILING.amazon.code) };
  const productUrl = 'https://shop.example/p/{id}';
  const kinds = ['google', 'csv'];
  const baseUrl = 'https://cdn.example/';
  const accept = accepted(FAILING['feed google'].code);
  const afterPublish = {
    ...{ webhook: 'http://127.0.0.1:1/', secretVariable: 'SHOP_SECRET', retries: 0 },
    accept: accepted(FAILING.webhook.code),
  };
  const feeds = { baseUrl, productUrl, kinds, accept };
  const deliver = { profiles: ['google', amazon], feeds, afterPublish };
  const file = await writePipeline(folder, {
    ...{ service: { emulator: true }, articles: ARTICLES, deliver },
  });
  const files = ['--metrics-file', join(folder, 'm.prom'), '--junit', join(folder, 'j.xml')];
  return command(['run', file, ...files], { env });
}

const metric = async (delivery: string, outcome: string) => {
  const text = await readFile(join(folder, 'm.prom'), 'utf8');
  const pattern = new RegExp(
    `^btg2gltf_deliveries\\{.*delivery="${delivery}".*outcome="${outcome}".*\\} (\\d+)$`,
    'm',
  );
  return Number(pattern.exec(text)?.[1]);
};

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('deliveries that fail', () => {
  let ended: CommandResult;
  beforeAll(async () => {
    ended = await runWith(false);
  });

  it('end the run with 1; articles and what can be made are published', async () => {
    expect(ended, ended.stderr).toMatchObject({ exit: 1 });
    const { configurations, published } = await lastReport(join(folder, 'out'));
    expect({ ...configurations, published }).toMatchObject({ failed: 0, published: true });
    const google = parsedLines<{ delivery: string; files: unknown[] }>(
      await readFile(output('deliveries.jsonl'), 'utf8'),
    ).filter(({ delivery }) => delivery === 'google');
    expect(google.map(({ files }) => files.length)).toEqual([1, 1]);
  });

  it('stand in the terminal, the page, metrics, JUnit and failures.jsonl', async () => {
    const [page, junit, rows] = await Promise.all([
      readFile(output('runs/latest/report.html'), 'utf8'),
      readFile(join(folder, 'j.xml'), 'utf8'),
      readFile(output('runs/latest/failures.jsonl'), 'utf8'),
    ]);
    expect(page).toContain('5 deliveries failed');
    expect(page).toContain('Failed deliveries');
    // One row stands for all configurations: none is missing.
    expect(page).not.toMatch(/first \d+ of \d+ rows/);
    for (const [delivery, { code, failed }] of Object.entries(FAILING)) {
      const counts = `${delivery}: ${2 - failed} made · 0 unchanged · ${failed} failed`;
      expect(ended.stdout).toContain(counts);
      expect(ended.stdout).toContain(code);
      const title = `${delivery[0]!.toUpperCase()}${delivery.slice(1)}: ${failed} of 2 failed`;
      expect(page).toContain(title);
      expect(await metric(delivery, 'failed')).toBe(failed);
      expect(junit).toMatch(
        new RegExp(`classname="deliveries" name="${delivery}(?:: [^"]+)?"><failure type="${code}"`),
      );
      const listed = parsedLines<{ delivery?: string; code: string }>(rows);
      expect(listed.filter((row) => row.delivery === delivery).map((row) => row.code)).toContain(
        code,
      );
    }
    expect(await metric('feed csv', 'made')).toBe(2);
  });

  it('are explained', async () => {
    const file = join(folder, 'pipeline.yaml');
    const { stdout } = await command(['explain', 'DP-F2', '--pipeline', file], { env });
    expect(stdout).toMatch(/amazon: no file · BUDGET_EXCEEDED: textures: expected 2048/);
  });
});

describe('deliveries that fail as the pipeline file accepts', () => {
  it('are no failure of the run, and are listed', async () => {
    const { exit, stdout } = await runWith(true);
    expect(exit).toBe(0);
    for (const [delivery, { failed }] of Object.entries(FAILING)) {
      expect(stdout).toMatch(new RegExp(`${delivery}: .*${failed} failed as accepted · 0 failed`));
      expect(await metric(delivery, 'failed')).toBe(0);
      expect(await metric(delivery, 'accepted')).toBe(failed);
    }
    const page = await readFile(output('runs/latest/report.html'), 'utf8');
    expect(page).toContain('Failed deliveries');
    expect(page).not.toContain('deliveries failed');
    expect(await readFile(join(folder, 'j.xml'), 'utf8')).toContain('<skipped message="FEED_EMPTY');
  });

  it('are spelled as codes', async () => {
    const deliver = { profiles: [{ profile: 'amazon', accept: ['TOO_LARGE'] }] };
    const wrong = await temporaryFolder();
    const file = await writePipeline(wrong, {
      ...{ service: { emulator: true }, articles: ARTICLES, deliver },
    });
    const { exit, stderr } = await command(['run', file], { env });
    expect(exit).toBe(2);
    expect(stderr).toContain('deliver.profiles');
  });
});
