/**
 * Assets of any configuration, in every form, have the bytes that a run publishes. With `BTG2GLTF_TEST_LONG=1`, 40 configurations
 * of 15 articles, also of a recording; else some of two.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetDescription } from '../../src/deliver/asset-description.ts';
import type { AssetForm } from '../../src/deliver/asset-forms.ts';
import { PROFILE_NAMES, PROFILES } from '../../src/deliver/profiles/profiles.ts';
import { ARTICLES } from '../../src/emulator/sample/series/range.ts';
import { openAssets, run } from '../../src/library.ts';
import type { ArticleKey } from '../../src/model/article.ts';
import { configurationKey, ID_FIELDS } from '../../src/model/configuration-id.ts';
import type { ConfigurationRequest } from '../../src/run/on-demand-run.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { shareBrowser } from '../helpers/browser.ts';
import { command } from '../helpers/command.ts';
import { deliveryLines } from '../helpers/output-folder.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

shareBrowser();

const BASES = ARTICLES.slice(0, IS_LONG ? 15 : 2).map((article) => ({
  manufacturer: article.manufacturer,
  program: article.program,
  basearticlenumber: article.number,
}));
const CONFIGURATIONS = IS_LONG ? 40 : 2;
const SIDES = { width: 96, height: 72 };
const FORMATS = IS_LONG ? (['jpg', 'png', 'webp', 'avif'] as const) : (['webp'] as const);
const PICTURES = HAS_BROWSER ? FORMATS : [];
/** A file of `amazon` fails where textures are small, one of `shared` is no single file; both on demand, too. */
const PROFILE_FORMS = PROFILE_NAMES.filter((name) =>
  IS_LONG ? PROFILES[name].files === 'one' && name !== 'amazon' : name === 'planner',
);

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true }));

const descriptionIn = ({ bytes }: { bytes: Uint8Array }) =>
  JSON.parse(new TextDecoder().decode(bytes)) as AssetDescription;

/** Requests by values, each chosen among those that the configuration before allows. */
async function randomRequests(assets: Awaited<ReturnType<typeof openAssets>>) {
  const seeds = fc.sample(fc.infiniteStream(fc.nat()), { numRuns: CONFIGURATIONS, seed: 37 });
  const wanted = new Map<string, { request: ConfigurationRequest; key: ArticleKey }>();
  for (const [at, stream] of seeds.entries()) {
    const base = BASES[at % BASES.length]!;
    const pick = <T>(list: readonly T[]): T => list[stream.next().value! % list.length]!;
    let request: ConfigurationRequest = base;
    let described = descriptionIn(await assets.asset(request, { form: 'json' }));
    for (let choices = pick([0, 1, 2, 3]); choices > 0; choices--) {
      const open = described.properties.filter(({ isEnabled, values }) => isEnabled && values);
      if (open.length === 0) break;
      const { name, values } = pick(open);
      const next = { ...base, values: { ...request.values, [name]: pick(values!).value } };
      const made = await assets.asset(next, { form: 'json' }).catch(() => undefined);
      // A later value may exclude an earlier one.
      if (made === undefined) continue;
      request = next;
      described = descriptionIn(made);
    }
    const key = described.configuration;
    wanted.set(configurationKey(key), { request, key });
  }
  return [...wanted.values()];
}

async function writeList(keys: readonly ArticleKey[]): Promise<string> {
  const file = join(folder, 'list.csv');
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const rows = keys.map((key) => ID_FIELDS.map((field) => cell(key[field])).join(','));
  await writeFile(file, `${[ID_FIELDS.join(','), ...rows].join('\n')}\n`);
  return file;
}

describe('an asset of any configuration', () => {
  it('has in every form the bytes that a run publishes, also of a recording', async () => {
    const content = (name: string, service: object, articles: object[], deliver: object = {}) => ({
      ...{ name, service, articles, deliver },
      ...{ output: { dir: join(folder, name) }, cache: { dir: join(folder, `${name}-cache`) } },
    });
    const emulator = { emulator: true };
    const all = BASES.map((article) => ({ article }));
    const assets = await openAssets({ pipeline: content('assets', emulator, all) as never });
    const wanted = await randomRequests(assets);
    expect(wanted.length).toBeGreaterThan(CONFIGURATIONS / 4);
    const list = await writeList(wanted.map(({ key }) => key));
    const profiles = [...PROFILE_FORMS, 'ar-ios'];
    const published = new Map<string, string>();
    for (const format of PICTURES.length > 0 ? PICTURES : [undefined]) {
      const pictures = { cameras: ['hero'], ...SIDES, format };
      const deliver = { profiles, ...(format && { pictures }) };
      const { report } = await run({
        pipeline: content('run', emulator, [{ list }], deliver) as never,
      });
      expect(report.configurations).toMatchObject({ failed: 0 });
      for (const line of await readManifest(join(folder, 'run')))
        published.set(`${configurationKey(line)} glb`, line.sha256!);
      for (const line of await deliveryLines(join(folder, 'run'))) {
        const what = line.delivery === 'pictures' ? format : line.delivery;
        published.set(`${configurationKey(line)} ${what}`, line.files[0]?.sha256 ?? 'failed');
      }
    }
    const forms: [string, AssetForm][] = [
      ['glb', { form: 'glb' }],
      ['ar-ios', { form: 'usdz' }],
      ...PROFILE_FORMS.map((profile): [string, AssetForm] => [profile, { form: 'glb', profile }]),
      ...PICTURES.map((form): [string, AssetForm] => [form, { form, camera: 'hero', ...SIDES }]),
    ];
    const compare = async (
      made: typeof assets,
      requests: readonly { request: ConfigurationRequest; key: ArticleKey }[],
    ) => {
      const differences: string[] = [];
      for (const { request, key } of requests) {
        for (const [what, form] of forms) {
          const sha256 = await made.asset(request, form).then(
            (asset) => asset.sha256,
            () => 'failed',
          );
          const expected = published.get(`${configurationKey(key)} ${what}`);
          if (sha256 !== expected) differences.push(`${configurationKey(key)} ${what}`);
        }
      }
      expect(differences).toEqual([]);
    };
    await compare(assets, wanted);
    await assets.close();
    if (!IS_LONG) return;
    const recorded = join(folder, 'recorded');
    const file = join(folder, 'record.yaml');
    await writeFile(file, JSON.stringify(content('record', emulator, [{ list }])));
    expect(await command(['record', file, '--to', recorded])).toMatchObject({ exit: 0 });
    const replayed = content('replayed', { recording: recorded }, [{ list }]);
    const own = await openAssets({ pipeline: replayed as never });
    await compare(
      own,
      wanted.map(({ key }) => ({ request: key, key })),
    );
    await own.close();
  });
});
