import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { ConvertOptions } from '../../../../src/convert/transform/convert-options.ts';
import { withColourProfile } from '../../../helpers/colour-profile.ts';
import { flatJpeg } from '../../../helpers/flat-picture.ts';
import { utf8 } from '../../../helpers/graphics.ts';
import { BOX_BODY, sceneOf } from '../../../helpers/snapshot.ts';

const wood = await flatJpeg(150, 100, 50);
const bump = await flatJpeg(128, 128, 255);
const grey = await flatJpeg(90, 90, 90);
const html = utf8('<html>');
/** Of one pixel. */
const bmp = Uint8Array.from({ length: 58, 0: 0x42, 1: 0x4d, 2: 58, 10: 54, 14: 40, 18: 1, 22: 1 });

/** The scene of a box in one material. */
const boxIn = (
  material: Record<string, unknown>,
  images: Record<string, Uint8Array | undefined> = {},
  options: Partial<ConvertOptions> = {},
  mat = 'OAK',
) =>
  sceneOf(
    {
      btg: [{ type: 'imp', btgname: 'ACME::DESK::BOX', mat }],
      blocks: { 'ACME::DESK::BOX': BOX_BODY },
      mats: [{ mname: 'OAK', ...material }],
      images,
    },
    options,
  );

describe('a picture with a colour profile', () => {
  const lossesOf = ({ losses }: Awaited<ReturnType<typeof boxIn>>) =>
    losses.filter(({ field }) => field === 'pic');
  const meanOf = async (bytes: Uint8Array) =>
    (await sharp(bytes).stats()).channels.slice(0, 3).map(({ mean }) => Math.round(mean));

  it('passes byte for byte; that its samples are used as they are is a loss', async () => {
    const marked = await withColourProfile(wood);
    const scene = await boxIn({ pic: 'wood' }, { wood: marked });
    expect(scene.images).toEqual([{ name: 'wood', mimeType: 'image/jpeg', bytes: marked }]);
    expect(lossesOf(scene)).toMatchObject([
      { where: 'OAK', value: 'wood', done: expect.stringMatching(/as they are.*here .*P3/) },
    ]);
  });

  it('is in sRGB by option: the colours of who applies the profile, without it', async () => {
    const marked = await withColourProfile(wood);
    const scene = await boxIn({ pic: 'wood' }, { wood: marked }, { colourProfiles: 'convert' });
    expect(lossesOf(scene)).toEqual([]);
    const [image] = scene.images;
    expect((await sharp(image!.bytes).metadata()).icc).toBe(undefined);
    const applied = await sharp(marked).toColourspace('srgb').png().toBuffer();
    const [made, expected, samples] = await Promise.all(
      [image!.bytes, new Uint8Array(applied), wood].map(meanOf),
    );
    for (const [k, value] of made!.entries())
      expect(Math.abs(value - expected![k]!)).toBeLessThanOrEqual(2);
    expect(made![0]! - samples![0]!).toBeGreaterThan(3);
  });

  it('that is sRGB, or has none, is neither a loss nor converted; nor are data', async () => {
    const own = new Uint8Array(
      await sharp(wood).withIccProfile('srgb').jpeg({ quality: 95 }).toBuffer(),
    );
    for (const bytes of [own, wood]) {
      const scene = await boxIn({ pic: 'wood' }, { wood: bytes }, { colourProfiles: 'convert' });
      expect([scene.images[0]!.bytes, lossesOf(scene)]).toEqual([bytes, []]);
    }
    const marked = await withColourProfile(bump);
    const scene = await boxIn({ bump: 'bump' }, { bump: marked }, { colourProfiles: 'convert' });
    expect(scene.images[0]!.bytes).toEqual(marked);
  });
});

describe('references', () => {
  it('a part without a material, or with an unknown one, is grey and reported', async () => {
    for (const mat of ['', 'ELM', 'ELM;tra 0.5']) {
      const scene = await boxIn({}, {}, {}, mat);
      expect(scene.materials[0]).toMatchObject({ name: 'default', metallic: 0, roughness: 1 });
      const [r, g, b] = scene.materials[0]!.baseColorLinear;
      expect(r === g && g === b && r > 0.1 && r < 0.5).toBe(true);
      expect(scene.warnings.map(({ code }) => code)).toContain('MATERIAL_UNKNOWN');
      expect(scene.losses).toContainEqual(expect.objectContaining({ field: 'mat', value: mat }));
    }
  });

  it('what has no material is shown in the colour of the option', async () => {
    for (const [defaultColorSrgb, linear] of [
      ['0xFF0000', [1, 0, 0]],
      ['0 1 0', [0, 1, 0]],
    ] as const) {
      const scene = await boxIn({}, {}, { defaultColorSrgb }, '');
      expect(scene.materials[0]!.baseColorLinear).toEqual(linear);
      expect(scene.warnings[0]!.message).toContain(defaultColorSrgb);
    }
  });

  it('by option only the names of mats[] count', async () => {
    for (const mat of ['$ dif 1 0 0', 'OAK;tra 0.5']) {
      const written = await boxIn({}, {}, {}, mat);
      expect(written.materials[0]!.name).toBe(mat);
      const scene = await boxIn({}, {}, { writtenMaterials: false }, mat);
      expect(scene.materials[0]!.name).toBe('default');
      expect(scene.losses).toContainEqual(expect.objectContaining({ field: 'mat', value: mat }));
    }
  });

  it('a definition written out keeps its own name', async () => {
    const name = 'OAK;roughness 0.25';
    const { materials } = await boxIn({ dif: '0xFF0000' }, {}, {}, name);
    expect(materials).toMatchObject([{ name, baseColorLinear: [1, 0, 0], roughness: 0.25 }]);
  });

  it.each(['$ constructor 1', 'OAK;__proto__ 1;toString x', '$', '$;;;'])(
    'even %j does no harm',
    async (mat) => {
      expect((await boxIn({}, {}, {}, mat)).triangles).toBe(12);
    },
  );
});

describe('images', () => {
  it('pass through byte for byte under their last segment without extension', async () => {
    const pic = '::acme::textures::wood_1.jpg';
    const scene = await boxIn({ pic }, { [pic]: wood });
    expect(scene.images).toEqual([{ name: 'wood_1', mimeType: 'image/jpeg', bytes: wood }]);
    expect(scene.materials[0]!.baseColorTexture).toEqual({
      image: 0,
      uvSet: 0,
      transform: undefined,
    });
    expect(scene.losses).toEqual([]);
  });

  it.each([
    ['missing', undefined, 'IMAGE_MISSING', {}],
    ['a BMP', bmp, 'IMAGE_UNSUPPORTED', {}],
    ['corrupt, by option,', wood.subarray(0, 60), 'IMAGE_UNREADABLE', { allowMissingParts: true }],
    ['no image, by option,', html, 'IMAGE_UNREADABLE', { allowMissingParts: true }],
  ])('one that is %s is a loss: the colour is shown', async (_name, bytes, code, options) => {
    const scene = await boxIn({ pic: 'WOOD', dif: '0xFF0000' }, { WOOD: bytes }, options);
    expect(scene.materials[0]).toMatchObject({
      baseColorLinear: [1, 0, 0],
      baseColorTexture: undefined,
    });
    const done = 'not available: the value or colour is used instead';
    expect(scene.losses).toEqual([{ where: 'OAK', field: 'pic', value: 'WOOD', done }]);
    expect(scene.warnings).toMatchObject([{ code, message: expect.stringContaining('WOOD') }]);
  });

  it.each(['gif', 'webp'] as const)('a %s becomes a PNG of the same pixels', async (kind) => {
    const png = await sharp(wood).png().toBuffer();
    const options = kind === 'webp' ? { lossless: true } : {};
    const sent = new Uint8Array(await sharp(png).toFormat(kind, options).toBuffer());
    const scene = await boxIn({ pic: 'WOOD.JPG' }, { 'WOOD.JPG': sent }, { strict: true });
    expect(scene.images).toMatchObject([{ name: 'WOOD', mimeType: 'image/png' }]);
    const pixels = (bytes: Uint8Array) => sharp(bytes).removeAlpha().raw().toBuffer();
    expect(await pixels(scene.images[0]!.bytes)).toEqual(await pixels(sent));
  });

  it.each([
    ['corrupt', wood.subarray(0, 60)],
    ['no image', html],
  ])('one that is %s fails the article by name', async (_name, bytes) => {
    const failure = boxIn({ pic: 'WOOD', dif: '0xFF0000' }, { WOOD: bytes });
    await expect(failure).rejects.toMatchObject({
      code: 'IMAGE_UNREADABLE',
      message: expect.stringContaining('WOOD'),
    });
  });

  it('a grey roughness image alone passes through; with metallic it is packed', async () => {
    const images = { ROUGH: grey, SHINE: grey };
    const alone = await boxIn({ roughness_image: 'ROUGH' }, images);
    expect(alone.images[0]!.bytes).toBe(grey);
    expect(alone.materials[0]).toMatchObject({ roughness: 1, metallic: 0 });
    const metal = await boxIn({ roughness_image: 'ROUGH', metallic: 0.5 }, images);
    expect(metal.images[0]!.mimeType).toBe('image/png');
    const both = await boxIn({ roughness_image: 'ROUGH', metallic_image: 'SHINE' }, images);
    expect(both.images).toHaveLength(1);
    expect(both.materials[0]).toMatchObject({ roughness: 1, metallic: 1 });
  });

  it('of equal content are written once', async () => {
    const scene = await boxIn(
      { pic: 'A', luminance: 100, bump: 'B' },
      { A: bump, B: Uint8Array.from(bump) },
    );
    expect(scene.images).toHaveLength(1);
    expect(scene.materials[0]!.emissiveTexture).toEqual(scene.materials[0]!.baseColorTexture);
  });
});

describe('an environment look', () => {
  it('is a metal without its picture, or by option shows it as a texture', async () => {
    const metal = await boxIn({ map: 'env', pic: 'W' }, { W: wood });
    expect(metal.images).toEqual([]);
    const options = { environmentLook: 'texture' } as const;
    const shown = await boxIn({ map: 'env', pic: 'W' }, { W: wood }, options);
    expect(shown.images).toHaveLength(1);
    expect(shown.materials[0]).toMatchObject({ metallic: 0, baseColorLinear: [1, 1, 1] });
  });
});

describe('UV sets', () => {
  const images = { W: wood, N: bump };

  it('base and normal map that are baked differently have one each', async () => {
    const scene = await boxIn(
      { pic: 'W', bump: 'N', scaleu: 2, scalev: 3, rot: 30, bump_rot: 40 },
      images,
    );
    expect(scene.geometries[0]!.uvs).toHaveLength(2);
    expect(scene.materials[0]!.baseColorTexture!.uvSet).toBe(0);
    expect(scene.materials[0]!.normalTexture!.uvSet).toBe(1);
  });

  it('share one where placement is the same, and where the extension says the difference', async () => {
    const same = await boxIn({ pic: 'W', bump: 'N', scaleu: 2, scalev: 3, rot: 30 }, images);
    expect(same.geometries[0]!.uvs).toHaveLength(1);
    expect(same.materials[0]!.normalTexture!.uvSet).toBe(0);
    const extension = await boxIn(
      { pic: 'W', bump: 'N', scaleu: 2, scalev: 2, bump_rot: 40 },
      images,
    );
    expect(extension.geometries[0]!.uvs).toHaveLength(1);
    const { baseColorTexture, normalTexture } = extension.materials[0]!;
    expect(baseColorTexture!.transform!.scale).toEqual([2, 2]);
    expect(normalTexture!.transform!.rotationRadians).toBeCloseTo((40 * Math.PI) / 180, 12);
  });

  it('of rauto are exchanged, or by option those of auto', async () => {
    const uvsOf = async (map: string, options: Partial<ConvertOptions> = {}) => [
      ...(await boxIn({ map }, {}, options)).geometries[0]!.uvs[0]!,
    ];
    const plain = await uvsOf('auto');
    const exchanged = plain.map((_, i) => (i % 2 === 0 ? 1 - plain[i + 1]! : 1 - plain[i - 1]!));
    expect(await uvsOf('rauto')).toEqual(exchanged);
    expect(await uvsOf('rauto', { rauto: 'auto' })).toEqual(plain);
  });

  it('of a material without textures are kept or dropped by option', async () => {
    expect((await boxIn({})).geometries[0]!.uvs).toHaveLength(1);
    expect((await boxIn({}, {}, { unusedUvs: 'drop' })).geometries[0]!.uvs).toEqual([]);
  });
});

describe('overrides and extras', () => {
  it('overrides mend what a name matches, later ones win', async () => {
    const overrides = {
      '*K': { metallic: 1, roughness: 0.5 },
      oak: { roughness: '0.1' },
      ELM: { metallic: 0 },
    };
    const scene = await boxIn({ shi: 100, spe: '0xFFFFFF' }, {}, { overrides });
    expect(scene.materials[0]).toMatchObject({ metallic: 1, roughness: 0.1 });
    expect(scene.losses).toEqual([]);
  });

  it('an override that cannot be read is reported', async () => {
    const scene = await boxIn({}, {}, { overrides: { '*': { metallic: 'very' } } });
    expect(scene.warnings[0]).toMatchObject({ code: 'OVERRIDE_INVALID' });
  });

  it('a value that cannot be read is a loss, with the value as received', async () => {
    const sent = { dif: 'rot', tra: 'abc', map: 7, amb: {}, refr: '' };
    const { losses } = await boxIn(sent);
    const done = 'cannot be read: left out';
    expect(losses).toEqual([
      { where: 'OAK', field: 'amb', value: 'an object', done, expected: true },
      { where: 'OAK', field: 'dif', value: 'rot', done },
      { where: 'OAK', field: 'map', value: 7, done },
      { where: 'OAK', field: 'tra', value: 'abc', done },
    ]);
    const overridden = await boxIn({ dif: 'rot' }, {}, { overrides: { '*': { dif: '0x010203' } } });
    expect(overridden.losses).toEqual([]);
    const modified = await boxIn({ dif: 'rot', tra: 0.5 }, {}, {}, 'OAK;dif 1 1 1;tra abc');
    expect(modified.losses).toEqual([
      { where: 'OAK;dif 1 1 1;tra abc', field: 'tra', value: 'abc', done },
    ]);
  });

  it('a value out of its range is a loss, with the value as received', async () => {
    const { losses } = await boxIn({ roughness: '50', metallic: -3 });
    expect(losses).toEqual([
      { where: 'OAK', field: 'roughness', value: '50', done: 'out of range: 1 is used' },
      { where: 'OAK', field: 'metallic', value: -3, done: 'out of range: 0 is used' },
    ]);
  });

  it('an unknown key is one loss of the article, however many materials have it', async () => {
    const { losses } = await sceneOf({
      btg: ['OAK', 'ELM'].map((mat) => ({ type: 'imp', btgname: 'ACME::DESK::BOX', mat })),
      blocks: { 'ACME::DESK::BOX': BOX_BODY },
      mats: [
        { mname: 'OAK', weight: 3 },
        { mname: 'ELM', weight: 4 },
      ],
    });
    expect(losses).toEqual([
      { where: 'OAK and 1 more', field: 'weight', value: 3, done: 'unknown: kept in extras' },
    ]);
  });

  it('unknown keys are kept in extras and reported, dropped fields kept with them', async () => {
    let abyss: unknown = 1;
    for (let depth = 0; depth < 20; depth++) abyss = [abyss];
    const kept = { weight: 3, constructor: 'x', nested: { deep: 1 }, mirror: 1 };
    const scene = await boxIn({ ...kept, abyss });
    expect(scene.materials[0]!.extras).toEqual({ service: kept });
    expect(scene.warnings.map(({ code }) => code)).toContain('MATERIAL_KEY_LEFT_OUT');
    const unknown = scene.warnings.filter(({ code }) => code === 'MATERIAL_KEY_UNKNOWN');
    expect(unknown).toHaveLength(4);
    const all = await boxIn({ dif: '0x010203' }, {}, { keepSourceExtras: true });
    expect(all.materials[0]!.extras).toEqual({ service: { mname: 'OAK', dif: '0x010203' } });
  });
});
