/**
 * Compare materials: expected values against what a written material says.
 */
import { srgbOf } from '../helpers/evaluator/colors.ts';
import { type ImageFacts, isWebPicture, rgbPixels } from '../helpers/evaluator/image-facts.ts';
import type { ExpectedMaterial } from '../helpers/evaluator/material.ts';
import type { Vec3 } from '../helpers/evaluator/vectors.ts';
import type { ReadMaterial, ReadTexture } from '../helpers/glb-reader/materials.ts';
import { count, differ, type Findings, measure } from './findings.ts';

const STEP = 1 / 255;
/** Resized pictures of another size are compared more loosely, in steps. */
const RESIZED_STEPS = 8;

/** Compares one material; a difference names its field. */
export async function compareMaterial(
  expected: ExpectedMaterial,
  read: ReadMaterial,
  findings: Findings,
): Promise<void> {
  const { name } = expected;
  const where = () => `material ${name}`;
  const number = (field: string, wanted: number, found: number) =>
    measure(findings, {
      name: `${field}`,
      value: Math.abs(wanted - found),
      limit: STEP,
      where: () => `${where()}: expected ${wanted}, found ${found}`,
    });
  const maybe = (field: string, wanted: number | undefined, found: number | undefined) => {
    if (wanted !== undefined && found !== undefined) number(field, wanted, found);
    else if (wanted !== found) differ(findings, `${where()} ${field}: ${wanted}, found ${found}`);
  };
  const color = (field: string, wanted: Vec3, found: Vec3) =>
    wanted.forEach((value, k) => {
      number(`${field} (sRGB)`, srgbOf(value), srgbOf(found[k]!));
    });
  count(findings, 'materials compared');
  color('base colour', expected.baseColor, read.baseColor);
  number('alpha', expected.blend ? expected.alpha : 1, read.alpha);
  if (expected.blend !== read.blend) differ(findings, `${where()}: blend is ${read.blend}`);
  await texture('base texture', expected.baseTexture, read.baseTexture);
  await emission(expected, read);
  if (!expected.normalFromHeights)
    await texture('normal map', expected.normalTexture, read.normalTexture);
  else if (!expected.normalTexture !== !read.normalTexture)
    differ(findings, `${where()} height map: ${read.normalTexture ? 'written' : 'not written'}`);
  number('transmission', expected.transmission, read.transmission);
  maybe('ior', expected.ior, read.ior);
  if (read.ior === 1) differ(findings, `${where()}: ior 1.0 is written`);
  maybe('specular', expected.specular, read.specular);
  maybe('clearcoat', expected.clearcoat?.factor, read.clearcoat?.factor);
  maybe('clearcoat roughness', expected.clearcoat?.roughness, read.clearcoat?.roughness);
  maybe('sheen roughness', expected.sheen?.roughness, read.sheen?.roughness);
  if (expected.sheen && read.sheen) color('sheen colour', expected.sheen.color, read.sheen.color);
  await compareSurface(expected, read, findings);

  async function texture(
    field: string,
    wanted: ImageFacts | undefined,
    found: ReadTexture | undefined,
  ) {
    if (!wanted && !found) return;
    if (!wanted || !found)
      differ(findings, `${where()} ${field}: ${wanted ? 'is missing' : 'is not expected'}`);
    else if (!(await isShown(wanted.bytes, found.bytes)))
      differ(findings, `${where()} ${field}: not its picture`);
  }

  async function emission(wanted: ExpectedMaterial, found: ReadMaterial) {
    wanted.emission.forEach((value, k) => {
      const scale = Math.max(1, value);
      number('emission (sRGB)', srgbOf(value / scale), srgbOf(found.emission[k]! / scale));
    });
    if (wanted.emission.some((value) => value > 0) || found.emissionTexture)
      await texture('emission texture', wanted.emissionTexture, found.emissionTexture);
  }
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);

/** The bytes of a picture that glTF takes, else its pixels. */
async function isShown(picture: Uint8Array, written: Uint8Array): Promise<boolean> {
  if (isWebPicture(picture)) return sameBytes(picture, written);
  const [wanted, found] = [await rgbPixels(picture), await rgbPixels(written)];
  return (
    wanted.width === found.width && isWebPicture(written) && sameBytes(wanted.data, found.data)
  );
}

/** Roughness and metallic as a viewer gets them: factor times channel, texel by texel. */
async function compareSurface(
  expected: ExpectedMaterial,
  read: ReadMaterial,
  findings: Findings,
): Promise<void> {
  const packed =
    read.metallicRoughnessTexture && (await rgbPixels(read.metallicRoughnessTexture.bytes));
  const sides = [
    { name: 'roughness', channel: 1, factor: expected.roughness, image: expected.roughnessTexture },
    { name: 'metallic', channel: 2, factor: expected.metallic, image: expected.metallicTexture },
  ] as const;
  const wantsTexture = sides.some(({ image }) => image !== undefined);
  if (wantsTexture !== (packed !== undefined))
    differ(
      findings,
      `material ${expected.name}: roughness or metallic texture ${packed ? 'not expected' : 'missing'}`,
    );
  for (const { name, channel, factor, image } of sides) {
    const wanted = image && (await rgbPixels(image.bytes));
    const sizes = [wanted, packed].map((p) => p && `${p.width}x${p.height}`);
    const limit = wanted && packed && sizes[0] !== sizes[1] ? RESIZED_STEPS * STEP : STEP;
    for (const [u, v] of SAMPLES) {
      const want = factor * (wanted ? sample(wanted, u, v, 1) / 255 : 1);
      const found = read[name] * (packed ? sample(packed, u, v, channel) / 255 : 1);
      const where = () =>
        `material ${expected.name} at ${u} ${v}: expected ${want}, found ${found}`;
      const title = limit > STEP ? `${name} (resized)` : name;
      measure(findings, { name: title, value: Math.abs(want - found), limit, where });
    }
  }
}

const SAMPLES = [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((u) =>
  [0.2, 0.5, 0.8].map((v) => [u, v] as const),
);

type Picture = { data: Uint8Array; width: number; height: number };

/** Bilinear between pixel centres. */
function sample({ data, width, height }: Picture, u: number, v: number, channel: number): number {
  const [x, y] = [u * width - 0.5, v * height - 0.5];
  const [x0, y0] = [Math.floor(x), Math.floor(y)];
  const at = (column: number, row: number): number => {
    const c = Math.min(width - 1, Math.max(0, column));
    const r = Math.min(height - 1, Math.max(0, row));
    return data[(r * width + c) * 3 + channel]!;
  };
  const top = at(x0, y0) * (1 - x + x0) + at(x0 + 1, y0) * (x - x0);
  const low = at(x0, y0 + 1) * (1 - x + x0) + at(x0 + 1, y0 + 1) * (x - x0);
  return top * (1 - y + y0) + low * (y - y0);
}
