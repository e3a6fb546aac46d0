import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearColor, luminance } from '../../../../src/convert/math/color.ts';
import type { ImageField, ServiceMaterial } from '../../../../src/convert/model/graphics.ts';
import {
  CONVERT_DEFAULTS,
  type ConvertOptions,
} from '../../../../src/convert/transform/convert-options.ts';
import type { MaterialContext } from '../../../../src/convert/transform/material-context.ts';
import { MATERIAL_TABLE, shadingOf } from '../../../../src/convert/transform/material-table.ts';
import { serviceMaterial } from '../../../helpers/graphics.ts';
import { samples } from '../../../helpers/samples.ts';

type KnownImage = NonNullable<MaterialContext['images'][ImageField]>;

const COLOR = { grey: false, meanLinear: [0.2, 0.3, 0.4] } satisfies KnownImage;
const GREY: KnownImage = { grey: true, meanLinear: [0.5, 0.5, 0.5] };

function look(
  fields: Partial<ServiceMaterial>,
  images: Partial<Record<ImageField, KnownImage>> = {},
  options: Partial<ConvertOptions> = {},
) {
  const lost: string[] = [];
  const made = shadingOf({
    material: serviceMaterial({ source: { ...fields }, ...fields }),
    images,
    options: { ...CONVERT_DEFAULTS, ...options },
    lose: (field) => lost.push(field),
  });
  return { ...made, lost };
}

describe('the table', () => {
  it('says for every field where it goes or why it is dropped', () => {
    for (const [field, { target, why }] of Object.entries(MATERIAL_TABLE)) {
      expect(why, field).toMatch(/D-\d+/);
      expect(target, field).not.toBe('');
    }
  });

  it('makes white, opaque, matt and not metallic of nothing, without a loss', () => {
    expect(look({})).toMatchObject({
      name: 'OAK',
      baseColorLinear: [1, 1, 1],
      alpha: 1,
      alphaMode: 'OPAQUE',
      metallic: 0,
      roughness: 1,
      transmission: 0,
      ior: undefined,
      specular: undefined,
      lost: [],
    });
  });

  it('keeps every factor in its range, whatever is sent', () => {
    const number = fc.option(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { nil: undefined });
    const names = [
      ...['tra', 'refr', 'shi', 'refl', 'roughness', 'metallic', 'luminance'],
      ...['clearcoat', 'clearcoat_roughness', 'sheen', 'sheen_roughness'],
    ];
    const fields = fc.record(Object.fromEntries(names.map((name) => [name, number])));
    const unit = (value: number) => value >= 0 && value <= 1;
    fc.assert(
      fc.property(
        fields,
        fc.constantFrom<KnownImage | undefined>(undefined, COLOR),
        (sent, image) => {
          const given = Object.fromEntries(Object.entries(sent).filter(([, v]) => v !== undefined));
          const pic = image ? { pic: 'WOOD' } : {};
          const made = look({ ...given, ...pic, spe: [1, 1, 1] }, image ? { pic: image } : {});
          const factors = [
            ...made.baseColorLinear,
            made.alpha,
            made.metallic,
            made.roughness,
            made.transmission,
            made.specular ?? 0,
            made.clearcoat?.factor ?? 0,
            made.clearcoat?.roughness ?? 0,
            made.sheen?.roughness ?? 0,
          ];
          expect(factors.filter((value) => !unit(value))).toEqual([]);
          expect(made.ior === undefined || made.ior > 1).toBe(true);
          expect(made.transmission > 0 && made.alphaMode === 'BLEND').toBe(false);
        },
      ),
      { seed: 500, numRuns: samples(500) },
    );
  });
});

describe('dif and pic', () => {
  it('sRGB becomes linear; an image that was obtained replaces the colour', () => {
    const dif: ServiceMaterial['dif'] = [1, 0.5, 0];
    expect(look({ dif }).baseColorLinear).toEqual(linearColor(dif));
    expect(look({ dif, pic: 'WOOD' }).baseColorLinear).toEqual(linearColor(dif));
    const shown = look({ dif, pic: 'WOOD' }, { pic: COLOR });
    expect(shown.baseColorLinear).toEqual([1, 1, 1]);
    expect(shown.images.baseColor).toBe(true);
    const tinted = look({ dif, pic: 'WOOD' }, { pic: COLOR }, { tintTextures: true });
    expect(tinted.baseColorLinear).toEqual(linearColor(dif));
  });
});

describe('roughness and metallic', () => {
  it('are taken as given; an image replaces its value', () => {
    const given = { roughness: 0.3, metallic: 0.7 };
    expect(look(given)).toMatchObject(given);
    const images = { roughness_image: GREY, metallic_image: GREY };
    expect(look(given, images)).toMatchObject({
      roughness: 1,
      metallic: 1,
      images: { roughness: true, metallic: true },
    });
    expect(look({ roughness_image: 'X' })).toMatchObject({ images: { roughness: false } });
  });

  it('follows from shi and spe if none is given, and is reported; refl has no part in it', () => {
    const spe: ServiceMaterial['spe'] = [0.5, 0.6, 0.7];
    const t = Math.min(1, luminance(linearColor(spe)) / 0.1);
    const expected = 1 + ((2 / 62) ** 0.25 - 1) * (t * t * (3 - 2 * t));
    const made = look({ shi: 60, spe });
    expect(made.roughness).toBeCloseTo(expected, 12);
    expect(made.lost).toEqual(['shi', 'spe']);
    expect(look({ spe: [1, 1, 1] }).roughness).toBeCloseTo(0.5, 12);
    const dim = (fields: Partial<ServiceMaterial> = {}) =>
      look({ spe: [0.3, 0.3, 0.3], ...fields }).roughness;
    const s = luminance(linearColor([0.3, 0.3, 0.3])) / 0.1;
    expect(dim()).toBeCloseTo(1 - 0.5 * (s * s * (3 - 2 * s)), 12);
    for (const refl of [0, 0.5, 1]) expect(dim({ refl })).toBe(dim());
  });

  it('is matt for a black or missing spe, and by option', () => {
    expect(look({ shi: 100, spe: [0, 0, 0] }).roughness).toBe(1);
    expect(look({ shi: 100 }).roughness).toBe(1);
    expect(look({ shi: 100, spe: [1, 1, 1] }, {}, { roughnessStrategy: 'matt' }).roughness).toBe(1);
    expect(look({ shi: 100, spe: [1, 1, 1], roughness: 0.9 })).toMatchObject({
      roughness: 0.9,
      lost: [],
    });
  });
});

describe('tra and refr', () => {
  const OPAQUE = { transmission: 0, alpha: 1, alphaMode: 'OPAQUE', lost: [] };
  const white = { baseColorLinear: [1, 1, 1] };
  const dim = [0.1, 0.1, 0.1] as const;

  it.each<[string, Partial<ServiceMaterial>, KnownImage | undefined, object]>([
    ['no image transmits', { tra: 0.5 }, undefined, { ...OPAQUE, ...white, transmission: 0.5 }],
    [
      'refraction transmits, its picture is a loss',
      { tra: 0.5, refr: 1.5, pic: 'WOOD', dif: [0.1, 0, 0] },
      COLOR,
      { ...OPAQUE, ...white, transmission: 0.5, ior: 1.5, lost: ['tra'] },
    ],
    [
      'a picture that is missing transmits',
      { tra: 0.5, refr: 1.5, pic: 'WOOD' },
      undefined,
      { transmission: 0.5, lost: [] },
    ],
    [
      'a tra of 0.001 is opaque',
      { tra: 0.001, refr: 1.5, dif: [0, 0, 0] },
      undefined,
      { ...OPAQUE, ior: undefined, baseColorLinear: [0, 0, 0] },
    ],
    ['a tra of 0.0011 transmits', { tra: 0.0011 }, undefined, { transmission: 0.0011 }],
    [
      'a picture without refraction blends',
      { tra: 0.25, pic: 'NET' },
      COLOR,
      { alpha: 0.75, alphaMode: 'BLEND', transmission: 0 },
    ],
    ['an alpha above 0.999 is opaque', { tra: 0.0005, pic: 'NET' }, COLOR, { alphaMode: 'OPAQUE' }],
    ['an ior is written', { refr: 1.33, tra: 0.5 }, undefined, { ior: 1.33 }],
    ['an ior without tra is not', { refr: 1.5 }, undefined, { ior: undefined, lost: [] }],
    ['an ior of opaque is not', { refr: 1.5, tra: 0 }, undefined, { ior: undefined, lost: [] }],
    ['nor one of a picture', { refr: 1.5, pic: 'WOOD' }, undefined, { ior: undefined, lost: [] }],
    ['an ior of 1 is not', { refr: 1, tra: 0.5 }, undefined, { ior: undefined, lost: [] }],
    ['an ior of 0 is not', { refr: 0, tra: 0.5 }, undefined, { ior: undefined, lost: [] }],
  ])('glass with %s', (_name, fields, pic, wanted) => {
    expect(look(fields, pic && { pic })).toMatchObject(wanted);
  });

  it('by option glass blends like anything else', () => {
    expect(look({ tra: 0.75, refr: 1.5, dif: dim }, {}, { glass: 'blend' })).toMatchObject({
      ...{ transmission: 0, alpha: 0.25, alphaMode: 'BLEND', ior: 1.5 },
      baseColorLinear: linearColor(dim),
    });
  });

  it('grey glass shows as much of its own light and of the background as blending would', () => {
    for (const [grey, tra] of [
      [0.1, 0.75],
      [0.02, 0.4],
      [0, 0.5],
      [0.6, 0.9],
    ] as const) {
      const made = look({ tra, dif: [grey, grey, grey] });
      const [base] = made.baseColorLinear;
      const [own] = linearColor([grey, grey, grey]);
      expect(base * (1 - made.transmission)).toBeCloseTo((1 - tra) * own, 12);
      expect(base * made.transmission).toBeCloseTo(tra, 12);
      expect(made.lost).toEqual([]);
    }
    expect(look({ tra: 0.75, dif: dim }).kept).toEqual({ tra: 0.75, dif: '0x1A1A1A' });
  });

  it('coloured glass keeps the sum, which is a loss; clear glass has no colour', () => {
    const dif = [0.2, 0.8, 0.4] as const;
    const made = look({ tra: 0.6, dif });
    const base = linearColor(dif).map((own) => 0.6 + 0.4 * own) as [number, number, number];
    for (const k of [0, 1, 2]) expect(made.baseColorLinear[k]).toBeCloseTo(base[k]!, 12);
    expect(made.transmission).toBeCloseTo(0.6 / luminance(base), 12);
    expect(made.lost).toEqual(['tra']);
    for (let hue = 0; hue < 256; hue++)
      expect(look({ tra: 1, dif: [hue / 255, 0.3, 0.7] })).toMatchObject({
        ...{ baseColorLinear: [1, 1, 1], transmission: 1, lost: [] },
      });
    const exact = look({ tra: 0.6, dif }, {}, { glassTint: 'exact' });
    expect(exact).toMatchObject({ transmission: 0.6, lost: ['tra'] });
    expect(exact.baseColorLinear).toEqual(linearColor(dif));
  });

  it('glass is clear unless a roughness is given', () => {
    expect(look({ tra: 0.5 }).roughness).toBe(0.1);
    expect(look({ tra: 0.5, shi: 1e9, spe: [1, 1, 1] }).roughness).toBeLessThan(0.1);
    expect(look({ tra: 0.5, roughness: 0.6 }).roughness).toBe(0.6);
    expect(look({ tra: 0.5 }, { roughness_image: GREY }).roughness).toBe(1);
    expect(look({ tra: 0.5 }, {}, { glass: 'blend' }).roughness).toBe(1);
  });
});

describe('refl, luminance, bump and map', () => {
  it('refl below 1 dims the highlight of a dielectric without a highlight of its own', () => {
    expect(look({ refl: 0.25 })).toMatchObject({ specular: 0.25, lost: [] });
    expect(look({ refl: 0.25, spe: [0, 0, 0] })).toMatchObject({ specular: 0.25, lost: [] });
    expect(look({ refl: -1 })).toMatchObject({ specular: 0, lost: ['refl'] });
    expect(look({ refl: 1, spe: [1, 1, 1], roughness: 0 })).toMatchObject({
      ...{ specular: undefined, lost: [] },
    });
    for (const [fields, images] of [
      [{ refl: 0.25, metallic: 0.5 }, {}],
      [{ refl: 0.25 }, { metallic_image: GREY }],
      [{ refl: 0.25, spe: [0.1, 0, 0], roughness: 0 }, {}],
    ] as const)
      expect(look(fields, images)).toMatchObject({ specular: undefined, lost: ['refl'] });
    const ignored = look({ refl: 0.25 }, {}, { reflection: 'ignore' });
    expect(ignored).toMatchObject({ specular: undefined, lost: ['refl'] });
    expect(look({ refl: 1 }, {}, { reflection: 'ignore' }).lost).toEqual([]);
  });

  it('luminance glows in its colour, or as its image', () => {
    expect(look({ luminance: 250, dif: [1, 0.5, 0] })).toMatchObject({
      emissiveLinear: linearColor([1, 0.5, 0]),
      emissiveStrength: 2.5,
      images: { emissive: false },
    });
    expect(
      look({ luminance: 50, pic: 'LAMP' }, { pic: COLOR }, { luminanceDivisor: 25 }),
    ).toMatchObject({
      emissiveLinear: [1, 1, 1],
      emissiveStrength: 2,
      images: { emissive: true, baseColor: true },
    });
    expect(look({ luminance: 0 }).emissiveLinear).toEqual([0, 0, 0]);
  });

  it('by option luminance glows in its colour under an image too', () => {
    const lamp = { luminance: 100, pic: 'LAMP', dif: [1, 0.5, 0] } as const;
    expect(look(lamp, { pic: COLOR }, { glowingTextures: false })).toMatchObject({
      emissiveLinear: linearColor(lamp.dif),
      images: { emissive: false, baseColor: true },
    });
  });

  it('a grey bump is a height map: dropped or turned into normals, and reported either way', () => {
    const bump = (image: KnownImage, options?: Partial<ConvertOptions>) => {
      const { images, lost } = look({ bump: 'N' }, { bump: image }, options);
      return [images.normal, lost];
    };
    expect(bump(COLOR)).toEqual([true, []]);
    expect(bump(GREY)).toEqual([false, ['bump']]);
    expect(bump(GREY, { heightMaps: 'normals' })).toEqual([true, ['bump']]);
  });

  it('env is a polished metal in the mean colour of its image, its other maps kept', () => {
    const env = { map: 'ENV', pic: 'SKY', bump: 'N', roughness: 0.8 };
    expect(look(env, { pic: COLOR, bump: COLOR })).toMatchObject({
      baseColorLinear: COLOR.meanLinear,
      roughness: 0.1,
      metallic: 1,
      images: { baseColor: false, normal: true },
      lost: ['map'],
    });
    expect(look({ map: 'env', dif: [1, 0, 0], metallic: 0.2, roughness: 0.05 })).toMatchObject({
      baseColorLinear: [1, 0, 0],
      roughness: 0.05,
      metallic: 0.2,
    });
    const texture = look(env, { pic: COLOR, bump: COLOR }, { environmentLook: 'texture' });
    expect(texture).toMatchObject({
      baseColorLinear: [1, 1, 1],
      roughness: 0.8,
      metallic: 0,
      images: { baseColor: true, normal: true },
      lost: ['map'],
    });
    expect(look({ map: 'auto' }).lost).toEqual([]);
    expect(look({ map: 'sphere' }).lost).toEqual(['map']);
  });
});

describe('a value out of its range', () => {
  it.each<[string, Partial<ServiceMaterial>, object]>([
    ['tra', { tra: 80 }, { transmission: 1 }],
    ['tra', { tra: -1 }, { transmission: 0, alpha: 1 }],
    ['roughness', { roughness: 50 }, { roughness: 1 }],
    ['metallic', { metallic: -3 }, { metallic: 0 }],
    ['refl', { refl: 3 }, { specular: undefined }],
    ['luminance', { luminance: -5 }, { emissiveLinear: [0, 0, 0] }],
    ['refr', { refr: 0.5, tra: 0.5 }, { ior: undefined }],
    ['refr', { refr: -1 }, { ior: undefined }],
    ['shi', { shi: -1 }, { roughness: 1 }],
    ['dif', { dif: [2, 0.5, -1] }, { baseColorLinear: linearColor([1, 0.5, 0]) }],
    ['clearcoat', { clearcoat: 2 }, { clearcoat: { factor: 1, roughness: 0 } }],
  ])('of %s is a loss: %j', (field, fields, wanted) => {
    expect(look(fields)).toMatchObject({ ...wanted, lost: [field] });
  });

  it('at the ends of the range is none', () => {
    const dif: ServiceMaterial['dif'] = [0, 1, 0];
    const ends = { tra: 1, roughness: 1, metallic: 0, refl: 1, luminance: 0, dif };
    expect(look(ends).lost).toEqual([]);
  });
});

describe('the rest', () => {
  it('amb, mirror and pho are reported; the last two are kept', () => {
    const made = look({ amb: [0.1, 0, 0], mirror: 1, pho: 2 });
    expect(made.lost.sort()).toEqual(['amb', 'mirror', 'pho']);
    expect(made.kept).toEqual({ mirror: 1, pho: 2 });
  });

  it('nothing is lost where there was nothing: black amb, mirror 0, a black highlight', () => {
    expect(look({ amb: [0, 0, 0], mirror: 0, pho: 0, shi: 40, spe: [0, 0, 0] }).lost).toEqual([]);
  });

  it('a scale of zero is reported', () => {
    expect(look({ scaleu: 0, bump_scalev: 0, scalev: 1 }).lost).toEqual(['scaleu', 'bump_scalev']);
  });

  it('clearcoat, sheen and emission of the later format are understood', () => {
    const coat = { clearcoat: 0.5, clearcoat_roughness: 0.2 };
    const sheen = { sheen: 0.5, sheen_color: [1, 0, 0] } as const;
    expect(look({ ...coat, ...sheen, emission: [0, 1, 0] })).toMatchObject({
      clearcoat: { factor: 0.5, roughness: 0.2 },
      sheen: { colorLinear: [0.5, 0, 0], roughness: 0.5 },
      emissiveLinear: [0, 1, 0],
      emissiveStrength: 1,
      lost: [],
    });
    const fields = { clearcoat: 0.5, sheen: 1, sheen_roughness: 0.2, emission: [0, 1, 0] } as const;
    expect(look(fields, {}, { extendedFields: false })).toMatchObject({
      clearcoat: undefined,
      sheen: undefined,
      emissiveLinear: [0, 0, 0],
      kept: fields,
      lost: ['emission', 'clearcoat', 'sheen', 'sheen_roughness'],
    });
    const none = { clearcoat: undefined, sheen: undefined };
    expect(look({ clearcoat: 0, sheen: 0 })).toMatchObject(none);
  });
});
