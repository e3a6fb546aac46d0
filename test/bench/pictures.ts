/** The group of pictures: how long a warm renderer takes for one, and the image endpoint for one that it has. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ManifestLine } from '../../src/run/lists/manifest-line.ts';
import { inMs } from './details.ts';
import { median, runProcess } from './process.ts';
import type { GroupInput } from './results.ts';
import {
  ALL,
  inWorkspace,
  listIn,
  PROGRAM,
  pictureModule,
  settleDisk,
  whileServing,
} from './workspace.ts';

/** Articles of about 5,000 triangles. */
const TRIANGLES = { least: 4500, most: 5500 } as const;

/** Pictures by a warm renderer, and from the endpoint. */
export function pictures(input: GroupInput): Promise<void> {
  return inWorkspace(async ({ folder }) => {
    const file = join(folder, 'pipeline.yaml');
    const service = { emulator: true };
    const pipeline = { name: 'pictures', service, ...ALL, output: { dir: 'out' } };
    await writeFile(file, JSON.stringify(pipeline));
    await runProcess([...PROGRAM, 'run', file, '--quiet']);
    const outputDir = join(folder, 'out');
    const lines = await listIn<ManifestLine>(outputDir, 'manifest.jsonl');
    const articles = lines.filter(
      ({ triangles = 0 }) => triangles >= TRIANGLES.least && triangles <= TRIANGLES.most,
    );
    settleDisk();
    await warmPictures(input, outputDir, articles);
    await cachedPicture(input, file, articles[0]!);
  });
}

/** Without the first picture of each article: the browser compiles what its materials need. */
async function warmPictures(
  { results, isQuick }: GroupInput,
  outputDir: string,
  articles: readonly ManifestLine[],
): Promise<void> {
  const [{ findBrowser }, { BrowserRenderer }, { takePictures }, { PICTURE_DEFAULTS }] =
    await Promise.all([
      pictureModule<typeof import('../../src/deliver/pictures/browser.ts')>('browser'),
      pictureModule<typeof import('../../src/deliver/pictures/renderer.ts')>('renderer'),
      pictureModule<typeof import('../../src/deliver/pictures/picture.ts')>('picture'),
      pictureModule<typeof import('../../src/deliver/pictures/picture-options.ts')>(
        'picture-options',
      ),
    ]);
  const browser = await findBrowser({}, '.cache');
  if (browser === undefined)
    return results.add('pictures', 'warm', { missing: 'there is no browser' });
  const renderer = new BrowserRenderer({ browser, pages: 1 });
  const times = isQuick ? 2 : 7;
  const medians: number[] = [];
  try {
    for (const { glb } of articles) {
      const master = new Uint8Array(await readFile(join(outputDir, glb!)));
      const seconds: number[] = [];
      for (let i = 0; i <= times; i++) {
        const began = performance.now();
        await takePictures(renderer, master, PICTURE_DEFAULTS);
        seconds.push((performance.now() - began) / 1000);
      }
      medians.push(median(seconds.slice(1)));
    }
  } finally {
    await renderer.close();
  }
  const [least, most] = [Math.min(...medians), Math.max(...medians)].map(inMs);
  const detail = `${articles.length} articles, ${times} pictures of each; medians of articles from ${least} to ${most}`;
  results.add('pictures', 'warm', { value: median(medians), detail });
}

/** As an ERP system asks for it: one request after the other. */
function cachedPicture(
  { results, isQuick }: GroupInput,
  pipeline: string,
  { manufacturer, program, basearticlenumber, finalarticlenumber, reinitstring }: ManifestLine,
): Promise<void> {
  return whileServing(['assets', pipeline], /https?:\/\/[^\s/]+/, async (address) => {
    const article = { manufacturer, program, basearticlenumber, finalarticlenumber, reinitstring };
    const url = `${address}/api/odb.dll/odb/articlesimage.jpg?${new URLSearchParams(article)}`;
    const milliseconds: number[] = [];
    let bytes = 0;
    for (let i = 0; i <= (isQuick ? 20 : 200); i++) {
      const began = performance.now();
      const response = await fetch(url);
      bytes = (await response.arrayBuffer()).byteLength;
      milliseconds.push(performance.now() - began);
      if (!response.ok) throw new Error(`${url}: status ${response.status}`);
    }
    const warm = milliseconds.slice(1);
    const slowest = Math.max(...warm).toFixed(1);
    const detail = `${warm.length} requests one after the other, ${(bytes / 1000).toFixed(0)} kB; the slowest ${slowest} ms`;
    results.add('pictures', 'cached', { value: median(warm), detail });
  });
}
