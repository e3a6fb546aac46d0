import sharp from 'sharp';
import { describe, expect, it, test } from 'vitest';
import { blockBody } from '../../../../src/emulator/sample/blocks/blocks.ts';
import { TEXTURES } from '../../../../src/emulator/sample/images.ts';
import { createSampleRange } from '../../../../src/emulator/sample/sample-range.ts';
import { type Point, pointMover } from '../../../../src/emulator/sample/shapes/surface.ts';
import { allBlocks, allNodes, allRequests, type Wire } from '../../../helpers/sample-range.ts';

const range = createSampleRange();
const requests = allRequests(range);
const blocks = await allBlocks(range, requests);

const nodes = requests.flatMap(({ partsList }) => allNodes(partsList));
const materials = requests.flatMap(({ partsList }) => partsList.mats as Wire[]);

/** Fields of `mats[]` by Spec 2.3. */
const FIELDS =
  `mname pic bump roughness_image metallic_image roughness metallic scaleu scalev offsetx
offsety bump_scaleu bump_scalev bump_offsetx bump_offsety bump_rot amb dif spe map shi tra luminance
refr rot pho mirror refl`.split(/\s+/);

describe('the parts lists of the sample range', () => {
  it('use every node type', () => {
    const types = new Set(nodes.map(({ type }) => type));
    const known = ['top', 'imp', 'clsref', 'block', 'frame', 'cyl', 'sphere', 'ellipsoid'];
    expect([...types].sort()).toEqual(known.sort());
  });

  it('name each movable part, so that a person finds it', () => {
    const movables = nodes.filter(({ type }) => type === 'clsref');
    for (const { prop } of movables) expect(prop.lay).toMatch(/_D3_\p{L}{3,}/u);
  });

  it.each<[string, (node: Wire) => unknown]>([
    ['parameters as a list', ({ prop }) => Array.isArray(prop.params)],
    ['parameters as a text', ({ prop }) => typeof prop.params === 'string'],
    ['parameters as an object', ({ prop }) => prop.params?.constructor === Object],
    ['a part turned on three axes', ({ prop }) => prop.rot?.every((angle: number) => angle !== 0)],
    ['a mirrored part', ({ prop }) => prop.scale?.some((factor: number) => factor < 0)],
    ['an unevenly scaled part', ({ prop }) => new Set(prop.scale).size === 3],
    ['childs inside prop', ({ prop }) => prop.childs],
    ['childs beside prop', ({ childs }) => childs],
    ['an inherited material', ({ type, prop }) => type === 'imp' && prop.mat === undefined],
    ['an overriding material', ({ prop }) => prop.mat?.startsWith('$ ')],
    ['a material defined inline', ({ prop }) => /^[^$;]+;.+/.test(prop.mat ?? '')],
  ])('hold %s', (_, isThere) => {
    expect(nodes.some(isThere)).toBe(true);
  });

  it('share blocks among articles', () => {
    const users = new Map<string, number>();
    for (const { partsList } of requests.slice(0, 65)) {
      for (const name of partsList.blocks) users.set(name, (users.get(name) ?? 0) + 1);
    }
    expect(Math.max(...users.values())).toBeGreaterThanOrEqual(8);
  });

  it('use layers that are drawn and layers that are not', () => {
    const layers = nodes.map(({ prop }) => prop.lay).filter(Boolean);
    for (const mode of ['D3', 'D2', 'ATTACH', 'ORIGIN', 'TEXT', 'DIMENSIONS', 'ARTICLE_INFO']) {
      expect(layers.some((layer) => layer.toUpperCase().includes(`_${mode}`))).toBe(true);
    }
  });

  it('use every field of a material', () => {
    const used = new Set(materials.flatMap((material) => Object.keys(material)));
    expect(FIELDS.filter((field) => !used.has(field))).toEqual([]);
    expect([...used].filter((field) => !FIELDS.includes(field))).toEqual([]);
  });

  it('map automatically, turned, and as an environment', () => {
    const maps = new Set(materials.map(({ map }) => map));
    for (const map of ['auto', 'rauto', 'env', undefined]) expect(maps).toContain(map);
  });
});

describe('the blocks of the sample range', () => {
  it('are there for every name of a parts list, and for no other', async () => {
    for (const { partsList } of requests) {
      for (const name of partsList.blocks) expect(blocks.has(name), name).toBe(true);
      for (const { prop } of allNodes(partsList)) {
        if (prop.btgname) expect(partsList.blocks).toContain(prop.btgname);
      }
    }
    expect(await range.block('FJEL::BASIS::NOTHING')).toBeUndefined();
    expect(await range.block('FJEL::BASIS::PLATTE_100X100')).toBeUndefined();
  });

  it('have indices and numbers that fit', () => {
    for (const [name, { V, T, A }] of blocks) {
      expect([...V, ...T].every(Number.isFinite), name).toBe(true);
      for (const { F, TI } of A) {
        expect(Math.max(...F) * 3, name).toBeLessThan(V.length);
        expect(TI.length === 0 || TI.length === F.length, name).toBe(true);
      }
    }
  });

  it('are closed by their edges where they say so, and face outwards but for the panels', () => {
    for (const [name, { V, A }] of blocks) {
      for (const { F } of A.filter(({ C }: Wire) => C)) {
        expect(openEdges(F), name).toBe(0);
        // Panels are clockwise on purpose.
        expect(volume(V, F) > 0, name).toBe(!name.includes('::PANEEL_'));
      }
    }
  });

  it('hold sheets, blocks without coordinates, three-float and one-based coordinates', () => {
    const all = [...blocks.values()];
    const least = (block: Wire): number =>
      Math.min(...block.A.flatMap((surface: Wire) => surface.TI));
    expect(all.some((block) => block.A.some(({ C }: Wire) => C === false))).toBe(true);
    expect(all.some((block) => block.T.length === 0)).toBe(true);
    expect(all.some((block) => block.T.length > 0 && least(block) === 1)).toBe(true);
    const gleiter = all.find(({ N }) => N.includes('::GLEITER_'))!;
    expect(gleiter.T.length / 3).toBe(
      Math.max(...gleiter.A.flatMap((surface: Wire) => surface.TI)) + 1,
    );
  });

  it('make articles of a believable number of triangles', () => {
    for (const { article, partsList } of requests) {
      const count = allNodes(partsList)
        .flatMap(({ prop }) => blocks.get(prop.btgname)?.A ?? [])
        .reduce((sum: number, { F }: Wire) => sum + F.length / 3, 0);
      expect(count, article.basearticlenumber).toBeGreaterThan(100);
      expect(count, article.basearticlenumber).toBeLessThan(22_000);
    }
  });
});

describe('the articles of the sample range', () => {
  it('stand on the floor and are as large as furniture', () => {
    for (const { article, partsList } of requests) {
      const { min, max } = boundsOf(partsList);
      const name = article.basearticlenumber;
      for (const axis of [0, 1, 2]) {
        expect(max[axis]! - min[axis]!, name).toBeGreaterThan(0.05);
        expect(max[axis]! - min[axis]!, name).toBeLessThan(2.7);
      }
      expect(min[1], name).toBeGreaterThan(-0.06);
      // Solids are not measured here: the pouf stands on one, a globe is one.
      expect(min[1], name).toBeLessThan(article.program === 'LUMO' ? 0.3 : 0.03);
    }
  });

  it('have their origin below the middle of a chair, else at the left rear corner', () => {
    for (const { article, partsList } of requests) {
      const { min, max } = boundsOf(partsList);
      if (article.program === 'AKTA') expect(Math.abs(min[0]! + max[0]!)).toBeLessThan(0.1);
      if (article.program === 'DEPOT') expect(Math.abs(min[0]!)).toBeLessThan(0.02);
    }
  });
});

describe('the textures of the sample range', () => {
  it('are there for every image that a material names', async () => {
    for (const field of ['pic', 'bump', 'roughness_image', 'metallic_image']) {
      for (const material of materials) {
        if (material[field] === undefined) continue;
        const name = material[field]
          .split(/::|[\\/]/)
          .at(-1)!
          .replace(/\.jpg$/i, '');
        const manufacturer = material.mname.split('::')[0]!;
        expect(Object.keys(TEXTURES[manufacturer]!), material[field]).toContain(name);
      }
    }
  });

  it('are JPEGs of 1024 × 1024 pixels, and undefined where there is none', async () => {
    for (const [manufacturer, names] of Object.entries(TEXTURES)) {
      for (const name of Object.keys(names)) {
        const image = sharp(await range.material(manufacturer, name));
        expect(await image.metadata()).toMatchObject({ format: 'jpeg', width: 1024, height: 1024 });
      }
    }
    expect(await range.material('FJEL', 'NOTHING')).toBeUndefined();
    expect(await range.material('NOBODY', 'EICHE')).toBeUndefined();
  });

  it('tile: opposite borders differ no more than neighbouring rows', async () => {
    for (const name of ['EICHE', 'STOFF_GRAU', 'FILZ_GRAU', 'LOCHBLECH']) {
      const data = await sharp(await range.material('FJEL', name))
        .greyscale()
        .raw()
        .toBuffer();
      const row = (y: number): number[] => [...data.subarray(y * 1024, (y + 1) * 1024)];
      const far = (a: number, b: number): number => {
        const other = row(b);
        return row(a).reduce((sum, value, x) => sum + Math.abs(value - other[x]!), 0) / 1024;
      };
      expect(far(1023, 0), name).toBeLessThan(1.5 * Math.max(far(510, 511), far(511, 512)) + 3);
    }
  });
});

test('a block made twice has equal bytes', async () => {
  for (const name of [...blocks.keys()].slice(0, 40)) {
    // A hundred times as fast as a comparison byte by byte.
    expect(Buffer.compare(blockBody(name)!, (await range.block(name))!)).toBe(0);
  }
});

/** Bounds of what is drawn by blocks, metres. */
function boundsOf(partsList: Wire): { min: number[]; max: number[] } {
  const [min, max] = [Array<number>(3).fill(9), Array<number>(3).fill(-9)];
  const walk = (node: Wire, outer: (point: Point) => Point): void => {
    const { btgname, lay = 'D3', offs, rot, scale } = node.prop;
    const frame = pointMover({ at: offs, rot });
    const place = (point: Point): Point => outer(frame(point));
    if (btgname && /_?D3/i.test(lay)) {
      const { V, P, R } = blocks.get(btgname);
      const [own, sized] = [pointMover({ at: P, rot: R }), pointMover({ scale })];
      for (let i = 0; i < V.length; i += 3) {
        place(sized(own([V[i], V[i + 1], V[i + 2]]))).forEach((value, k) => {
          min[k] = Math.min(min[k]!, value);
          max[k] = Math.max(max[k]!, value);
        });
      }
    }
    for (const child of node.prop.childs ?? node.childs ?? []) walk(child, place);
  };
  for (const root of partsList.btg) walk(root, (point) => point);
  return { min, max };
}

/** Edges that are not used exactly once in each direction. */
function openEdges(F: number[]): number {
  const edges = new Map<number, number>();
  const key = (a: number, b: number): number => a * 1e6 + b;
  for (let i = 0; i < F.length; i += 3) {
    const [a, b, c] = [F[i]!, F[i + 1]!, F[i + 2]!];
    for (const edge of [key(a, b), key(b, c), key(c, a)]) {
      edges.set(edge, (edges.get(edge) ?? 0) + 1);
    }
  }
  let open = 0;
  for (const [edge, count] of edges) {
    const [a, b] = [Math.floor(edge / 1e6), edge % 1e6];
    if (count !== 1 || edges.get(key(b, a)) !== 1) open++;
  }
  return open;
}

/** Signed volume about the first point. */
function volume(V: number[], F: number[]): number {
  const point = (i: number): number[] => [0, 1, 2].map((k) => V[i * 3 + k]! - V[F[0]! * 3 + k]!);
  let sum = 0;
  for (let i = 0; i < F.length; i += 3) {
    const [a, b, c] = [point(F[i]!), point(F[i + 1]!), point(F[i + 2]!)];
    sum += a[0]! * (b[1]! * c[2]! - b[2]! * c[1]!);
    sum += a[1]! * (b[2]! * c[0]! - b[0]! * c[2]!);
    sum += a[2]! * (b[0]! * c[1]! - b[1]! * c[0]!);
  }
  return sum / 6;
}
