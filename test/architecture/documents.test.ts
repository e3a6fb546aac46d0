/** The npm package, and the pages for readers: links and paths lead somewhere, and README is short. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readTree } from './source-tree.ts';

const ROOT = new URL('../../', import.meta.url);
const exists = (path: string) => existsSync(new URL(path, ROOT));

interface Page {
  path: string;
  text: string;
}

let pages: Page[];
let isPacked: (path: string) => boolean;

beforeAll(async () => {
  const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');
  isPacked = packing(JSON.parse(await read('package.json')).files);
  const found = await readTree(ROOT, 'src', 'pipelines', '.github', 'test/bench');
  pages = [
    { path: 'README.md', text: await read('README.md') },
    ...found.filter(({ path }) => path.endsWith('.md')),
  ];
});

/** Of any name, `npm pack` takes these. `test/robustness/installed.test.ts` packs really. */
const ALWAYS_PACKED = ['README.md', 'LICENSE', 'package.json'];

/** Which paths are in the package: those that an entry of `files` in `package.json` names, and all below them. */
function packing(entries: string[]): (path: string) => boolean {
  const patterns = [...ALWAYS_PACKED, ...entries].map((entry) => {
    const pattern = entry.replaceAll('.', '\\.').replaceAll('**/', '(?:.*/)?');
    return new RegExp(`^${pattern.replace(/(?<![.)])\*/g, '[^/]*')}(?:/|$)`);
  });
  return (path) => patterns.some((pattern) => pattern.test(path));
}

/** What is wrong with the links of a page. */
function brokenLinks({ path, text }: Page, textOf: (path: string) => string | undefined): string[] {
  const links = [
    ...withoutCode(text).matchAll(/\]\((?!https?:)(?<file>[^)#\s]*)(?:#(?<id>[^)\s]+))?\)/g),
  ];
  return links.flatMap((match) => {
    const { file = '', id } = match.groups!;
    const target = file === '' ? path : posix.join(posix.dirname(path), file);
    if (!exists(target)) return [`${path}: ${target} does not exist`];
    if (isPacked(path) && !isPacked(target)) return [`${path}: ${target} is not in the package`];
    const isKnown = id === undefined || anchors(textOf(target) ?? '').includes(id);
    return isKnown ? [] : [`${path}: ${target} has no heading #${id}`];
  });
}

/** The anchors of a page, as GitHub makes them. */
function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return withoutBlocks(text).replace(/`[^`\n]*`/g, '');
}

/** Paths in backticks that do not exist, from the root, from `src/` or from the page's own folder. */
function missingPaths({ path, text }: Page): string[] {
  const named = [...text.matchAll(/`([\w.@-]+(?:\/[\w.@-]+)*\/?)`/g)].map((m) => m[1]!);
  const places = ['', 'src/', `${posix.dirname(path)}/`];
  return named
    .filter((name) => /^(src|test|pipelines|\.github)\//.test(name) || /\/.*\.(ts|md)$/.test(name))
    .filter((name) => !places.some((place) => exists(place + name)))
    .map((name) => `${path}: ${name} does not exist`);
}

/** Names of code in backticks, without their files: a constant, a type or a function. */
function unknownNames({ path, text }: Page, isKnown: (name: string) => boolean): string[] {
  const named = [...withoutBlocks(text).matchAll(/`([A-Za-z]\w*)(?:\(\))?`/g)].map((m) => m[1]!);
  return named
    .filter((name) => /[a-z][A-Z]|^[A-Z]\w*_\w+$/.test(name) && !isKnown(name))
    .map((name) => `${path}: ${name} is no name of the source`);
}

const withoutBlocks = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '');

describe('the package', () => {
  it('overrides no version: npm ignores that where the package is installed as a dependency', async () => {
    const text = await readFile(new URL('package.json', ROOT), 'utf8');
    expect(JSON.parse(text)).not.toHaveProperty('overrides');
  });
});

describe('the pages for readers', () => {
  it('have links that lead somewhere, also in the package', () => {
    const textOf = (path: string) => pages.find((page) => page.path === path)?.text;
    expect(pages.flatMap((page) => brokenLinks(page, textOf))).toEqual([]);
  });

  it('name files that exist', () => {
    expect(pages.flatMap(missingPaths)).toEqual([]);
  });

  it('name what the source has, where they say how to change it', async () => {
    const sources = await readTree(ROOT, 'src', 'test');
    const texts = sources.filter(({ path }) => path.endsWith('.ts')).map(({ text }) => text);
    texts.push(await readFile(new URL('tsconfig.json', ROOT), 'utf8'));
    const all = texts.join('\n');
    const isKnown = (name: string) => new RegExp(`\\b${name}\\b`).test(all);
    const guides = ['.github/CONTRIBUTING.md', 'src/ARCHITECTURE.md'];
    const found = pages.filter(({ path }) => guides.includes(path));
    expect(found).toHaveLength(2);
    expect(found.flatMap((page) => unknownNames(page, isKnown))).toEqual([]);
  });

  it('are in the package, but for those of the benchmarks', () => {
    expect(pages.filter(({ path }) => !isPacked(path)).map(({ path }) => path)).toEqual([
      'test/bench/README.md',
      'test/bench/RESULTS.md',
    ]);
  });

  it('begin with a README of at most 1,200 words', () => {
    expect(pages[0]!.text.split(/\s+/).length).toBeLessThanOrEqual(1_200);
  });

  it('explain the structure in at most 2,500 words', () => {
    const text = pages.find(({ path }) => path === 'src/ARCHITECTURE.md')!.text;
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(2_500);
  });

  it('have their faults found', () => {
    const path = 'src/README.md';
    const broken = (text: string) => brokenLinks({ path, text }, () => '# Run a `thing`\n');
    expect(broken('[a](none.md)')).toEqual(['src/README.md: src/none.md does not exist']);
    expect(broken('[a](index.ts)')).toEqual(['src/README.md: src/index.ts is not in the package']);
    expect(broken('[a](#other)')).toEqual(['src/README.md: src/README.md has no heading #other']);
    expect(broken('[a](#run-a-thing) [b](../README.md) `[c](x)`')).toEqual([]);
    expect(
      missingPaths({ path, text: '`src/no.ts` `convert/math/vec.ts` `test/unit/` `cli/no.ts`' }),
    ).toEqual([
      'src/README.md: src/no.ts does not exist',
      'src/README.md: cli/no.ts does not exist',
    ]);
    expect(
      unknownNames(
        { path, text: '`noSuch` `NO_SUCH` `aName()` `cli` `id`' },
        (name) => name === 'aName',
      ),
    ).toEqual([
      'src/README.md: noSuch is no name of the source',
      'src/README.md: NO_SUCH is no name of the source',
    ]);
  });
});
