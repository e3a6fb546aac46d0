/** Gallery output: an output folder as a run and its deliveries leave it, of articles that are made in sight. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DetailsPart, GalleryData } from '../../src/deliver/gallery/gallery-data.ts';
import type { CatalogueLine, ManifestLine } from '../../src/run/lists/manifest-line.ts';

/** An article: its lines, its GLB, and what was delivered of it by path. */
export interface ShownArticle {
  line?: Partial<ManifestLine>;
  entry?: Partial<CatalogueLine>;
  glb: Uint8Array;
  delivered?: readonly {
    delivery: string;
    name: string;
    bytes: Uint8Array;
    path?: string;
    facts?: Readonly<Record<string, string | boolean>>;
  }[];
}

/** The data that `articles.js` gives to the page. */
export function listedInScript(text: string): GalleryData {
  return JSON.parse(text.replace(/^globalThis\.galleryData = |;\n$/g, '')) as GalleryData;
}

/** The data that a file with details gives to the page. */
export function detailsInScript(text: string): DetailsPart {
  return JSON.parse(text.replace(/^galleryDetails\(\d+, |\);\n$/g, '')) as DetailsPart;
}

/** Writes manifest, catalogue, list of deliveries and all files. */
export async function writeOutput(folder: string, articles: readonly ShownArticle[]) {
  const lists = { 'manifest.jsonl': '', 'catalogue.jsonl': '', 'deliveries.jsonl': '' };
  const add = (name: keyof typeof lists, line: object) => {
    lists[name] += `${JSON.stringify(line)}\n`;
  };
  const put = async (path: string, bytes: Uint8Array) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  };
  for (const [i, { line, entry, glb, delivered = [] }] of articles.entries()) {
    const id = {
      ...{ manufacturer: 'ACME', program: 'DESK', basearticlenumber: `D${i}` },
      ...{ finalarticlenumber: `D${i}-F`, reinitstring: '', metareinitstring: '' },
    };
    const key = Object.fromEntries(
      Object.entries(id).map(([name, value]) => [name, line?.[name as keyof typeof id] ?? value]),
    );
    const path = `articles/ACME/DESK/d${i}/${String(i).padStart(16, '0')}.glb`;
    const sha256 = createHash('sha256').update(glb).digest('hex');
    const asset = { glb: path, sha256 };
    const lists = { losses: [], warnings: [], requested: [] };
    const facts = { status: 'converted', convertdate: '', source: sha256, ...lists };
    add('manifest.jsonl', {
      ...{ ...key, ...facts, ...asset, bytes: glb.length, triangles: 12 },
      ...line,
    });
    add('catalogue.jsonl', {
      ...{ ...key, shorttext: `Desk ${i}`, longtext: '', varianttext: '', price: 100 + i },
      ...{ currency: 'EUR', pricecomponents: null, properties: [], complete: true, missing: [] },
      sizeMillimetres: { width: 1600, depth: 800, height: 740 },
      ...{ ...asset, ...entry },
    });
    await put(path, glb);
    const files = new Map<string, object[]>();
    for (const { delivery, name, bytes, path, facts = {} } of delivered) {
      const own = path ?? `${delivery}/ACME/DESK/d${i}/${String(i).padStart(16, '0')}/${name}`;
      const digest = createHash('sha256').update(bytes).digest('hex');
      const file = { name, path: own, sha256: digest, bytes: bytes.length, facts };
      files.set(delivery, [...(files.get(delivery) ?? []), file]);
      if (path === undefined) await put(own, bytes);
    }
    for (const [delivery, some] of files)
      add('deliveries.jsonl', { ...key, delivery, source: sha256, files: some });
  }
  for (const [name, text] of Object.entries(lists)) await writeFile(join(folder, name), text);
}
