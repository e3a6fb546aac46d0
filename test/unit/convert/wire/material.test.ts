import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeMaterial,
  imageReferences,
  isMaterialField,
  materialLookup,
} from '../../../../src/convert/wire/material.ts';
import { partsNode, serviceMaterial } from '../../../helpers/graphics.ts';
import { samples } from '../../../helpers/samples.ts';

/** A record as decoded, with what was said of it. */
function decoded(record: Record<string, unknown>) {
  const messages: string[] = [];
  const drift: string[] = [];
  const material = decodeMaterial(
    record,
    ({ message }) => messages.push(message),
    (...parts) => drift.push(parts.join(' ')),
  );
  return { material, messages, drift };
}

describe('decodeMaterial', () => {
  it('reads colours as sRGB in every spelling, and keeps the record', () => {
    const record = { mname: 'OAK', dif: '0xFF8000', spe: '#0080ff', amb: 0x010203, weight: 3 };
    const { material, messages } = decoded(record);
    expect(material.dif).toEqual([1, 128 / 255, 0]);
    expect(material.spe).toEqual([0, 128 / 255, 1]);
    expect(material.amb).toEqual([1 / 255, 2 / 255, 3 / 255]);
    expect(material.source).toBe(record);
    expect(messages).toEqual([]);
    expect(decoded({ dif: '0.2 0,4 7' }).material.dif).toEqual([0.2, 0.4, 7]);
    expect(decoded({ dif: [0.2, 0.4, -1] }).material.dif).toEqual([0.2, 0.4, -1]);
  });

  it('reads any colour that hexadecimal digits can say', () => {
    fc.assert(
      fc.property(fc.nat({ max: 0xffffff }), (rgb) => {
        const wanted = [rgb >> 16, (rgb >> 8) & 255, rgb & 255].map((part) => part / 255);
        const hex = rgb.toString(16).padStart(6, '0');
        expect(decoded({ dif: `0x${hex.toUpperCase()}` }).material.dif).toEqual(wanted);
        expect(decoded({ dif: rgb }).material.dif).toEqual(wanted);
      }),
      { seed: 160 },
    );
  });

  it('reads numbers that were sent as texts; a decimal comma is reported', () => {
    expect(decoded({ roughness: '0.5', scaleu: ' 2e0 ' }).material).toMatchObject({
      roughness: 0.5,
      scaleu: 2,
    });
    const comma = decoded({ mname: 'OAK', roughness: '0,5' });
    expect(comma.material.roughness).toBe(0.5);
    expect(comma.messages.join()).toMatch(/OAK.*roughness.*0,5/);
  });

  it.each([
    ['roughness', 'rough'],
    ['roughness', Number.POSITIVE_INFINITY],
    ['roughness', '1e999'],
    ['tra', true],
    ['dif', '0xFF80'],
    ['dif', 0x1000000],
    ['dif', [0.1, 0.2]],
    ['dif', '0.1 0.2 red'],
    ['pic', 7],
  ])('leaves out %s = %j and says so; the rest stays', (field, value) => {
    const { material, messages } = decoded({ mname: 'OAK', [field]: value, metallic: 1 });
    expect(material).not.toHaveProperty(field);
    expect(material.metallic).toBe(1);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(`material OAK: ${field}`);
  });

  it('reads keys in any letter case, a number as a name, and reports both', () => {
    const record = { MNAME: 4711, Dif: '0xFF0000', TRA: 0.5, tra: 0.2, Weight: 3 };
    const { material, drift } = decoded(record);
    expect(material).toEqual({
      ...{ mname: '4711', dif: [1, 0, 0], tra: 0.2 },
      source: { mname: 4711, dif: '0xFF0000', tra: 0.2, Weight: 3 },
    });
    expect(drift).toEqual([
      'partsList.mats[] the key mname MNAME',
      'partsList.mats[] the key dif Dif',
      'partsList.mats[] the key tra TRA',
      'partsList.mats[].mname a text 4711',
    ]);
  });

  it.each(['#FF8000', 'ff8000'])('reads the colour %s, and reports it', (dif) => {
    const { material, drift } = decoded({ mname: 'OAK', dif });
    expect(material.dif).toEqual([1, 128 / 255, 0]);
    expect(drift).toEqual([expect.stringMatching(/^partsList\.mats\[\]\.dif /)]);
  });

  it('takes null and an empty text for not sent', () => {
    const { material, messages } = decoded({ mname: 'OAK', pic: '', tra: null, dif: '' });
    expect(Object.keys(material).sort()).toEqual(['mname', 'source']);
    expect(messages).toEqual([]);
  });

  it('distinguishes its own fields from foreign keys', () => {
    expect(['mname', 'dif', 'bump_rot', 'sheen_color'].every(isMaterialField)).toBe(true);
    expect(['weight', 'DIF', 'source', ''].some(isMaterialField)).toBe(false);
  });
});

describe('materialLookup', () => {
  const oak = serviceMaterial({ mname: 'Oak', dif: [1, 0, 0], tra: 0.1, source: { mname: 'Oak' } });
  const semicolon = serviceMaterial({ mname: 'A;B' });
  const find = materialLookup([oak, semicolon, serviceMaterial({ mname: 'oak' })], () => {}, true);

  it('finds an entry without regard to case and a leading ::; the first of equal names', () => {
    expect(find('OAK')).toBe(oak);
    expect(find('::oak')).toBe(oak);
    expect(find('ELM')).toBeUndefined();
    expect(find('ELM;tra 0.5')).toBeUndefined();
  });

  it('prefers a name that holds a semicolon to a base with overrides', () => {
    expect(find('a;b')).toBe(semicolon);
  });

  it('applies what follows the first semicolon to the base, under a name of its own', () => {
    const found = find('::OAK;tra 0.5;dif 0.2 0.2 0.4;scale 2 3;offset 0.5;rotation 0 0 1 45')!;
    expect(found).toMatchObject({
      mname: '::OAK;tra 0.5;dif 0.2 0.2 0.4;scale 2 3;offset 0.5;rotation 0 0 1 45',
      tra: 0.5,
      dif: [0.2, 0.2, 0.4],
      scaleu: 2,
      scalev: 3,
      offsetx: 0.5,
      offsety: 0.5,
      rot: 45,
    });
    expect(oak).toMatchObject({ tra: 0.1, dif: [1, 0, 0] });
    expect(find('OAK;roughness 0.3')).toMatchObject({ dif: [1, 0, 0], roughness: 0.3 });
  });

  it('reads a complete definition after $', () => {
    expect(find('$ dif 0.8 0.1 0.1;roughness 0.4; pic A::B::WOOD')).toMatchObject({
      dif: [0.8, 0.1, 0.1],
      roughness: 0.4,
      pic: 'A::B::WOOD',
    });
    expect(find('$ dif 0xFF0000;TRA 0,5')).toMatchObject({ dif: [1, 0, 0], tra: 0.5 });
  });

  it.each<[string, object]>([
    ['tex image jpg WOOD', { pic: 'WOOD' }],
    ['TEX IMAGE PNG a\\b\\Wood 2.png', { pic: 'a\\b\\Wood 2.png' }],
    ['tex image WOOD', { pic: 'WOOD' }],
    ['pic tga WOOD', { pic: 'WOOD' }],
    ['bumps jpg GRAIN', { bump: 'GRAIN' }],
    ['Roughness Image jpg DULL;roughness 0.4', { roughness_image: 'DULL', roughness: 0.4 }],
    ['metallic_image SHINE;metallic image jpg STEEL', { metallic_image: 'STEEL' }],
    ['scale 2 3 0;offset 0,5 0 0', { scaleu: 2, scalev: 3, offsetx: 0.5, offsety: 0 }],
    ['nscale 4 5 0;noffset .1 .2 0', { bump_scaleu: 4, bump_scalev: 5, bump_offsety: 0.2 }],
    ['rotate 0 0 45;nrotate 0 0 30', { rot: 45, bump_rot: 30 }],
    ['rotation 0 0 90;NROTATION 15', { rot: 90, bump_rot: 15 }],
    ['rot 0 0 1;bump_rot 2', { rot: 1, bump_rot: 2 }],
    ['reflection 0.2;refraction 1.5', { refl: 0.2, refr: 1.5 }],
    ['ref 1.4;refl 0.1', { refr: 1.4, refl: 0.1 }],
    ['phong_level 3;amb 1 1 1;mirror 1;map env', { pho: 3, amb: [1, 1, 1], mirror: 1, map: 'env' }],
    ['spe 1 0 0;emission 0x00FF00;shi 20', { spe: [1, 0, 0], emission: [0, 1, 0], shi: 20 }],
    ['sheen 1;sheen_color 0 0 1;sheen_roughness 0.3', { sheen: 1, sheen_color: [0, 0, 1] }],
    ['clearcoat 1;clearcoat_roughness 0.2', { clearcoat: 1, clearcoat_roughness: 0.2 }],
    [
      'luminance 100;BUMP_SCALEU 7;Dif 0x0000FF',
      { luminance: 100, bump_scaleu: 7, dif: [0, 0, 1] },
    ],
    ['map rauto;auto', { map: 'auto' }],
    ['auto;import', { map: 'import' }],
  ])('reads %s inline and as a modifier', (definition, fields) => {
    expect(find(`$ ${definition}`)).toMatchObject(fields);
    expect(find(`Oak;${definition}`)).toMatchObject({ tra: 0.1, ...fields });
  });

  it('keeps what it does not read by its own key, so that it is reported', () => {
    const text =
      'opacity image jpg HOLES;Emission Image png GLOW;clearcoat_bumps jpg B;type glass;auto 1 0 0;prjx;glitter 3';
    const { source, ...fields } = find(`$ ${text}`)!;
    expect(fields).toEqual({ mname: `$ ${text}`, map: 'auto' });
    expect(source).toEqual({
      'opacity image': 'jpg HOLES',
      'emission image': 'png GLOW',
      clearcoat_bumps: 'jpg B',
      type: 'glass',
      map: 'auto',
      auto: '1 0 0',
      prjx: '',
      glitter: '3',
    });
  });

  it('survives any reference', () => {
    fc.assert(
      fc.property(fc.constantFrom('', '$', 'OAK;', '::'), fc.string(), (start, rest) => {
        const found = find(start + rest);
        if (found && found !== oak) expect(found.mname).toBe(start + rest);
      }),
      { seed: 161, numRuns: samples(500) },
    );
  });
});

describe('imageReferences', () => {
  it('lists each image of a material that a node wears, once, inline definitions too', () => {
    const materials = [
      serviceMaterial({ mname: 'OAK', pic: 'WOOD', bump: 'GRAIN', roughness_image: 'DULL' }),
      serviceMaterial({ mname: 'UNUSED', pic: 'NEVER' }),
      serviceMaterial({ mname: 'STEEL', metallic_image: 'SHINE', bump: 'GRAIN' }),
    ];
    const leaf = partsNode('imp', { material: '$ pic PAINT' });
    const nodes = [
      partsNode('top', { material: '::oak', children: [partsNode('imp', { children: [leaf] })] }),
      partsNode('imp', { material: 'STEEL' }),
      partsNode('imp', { material: 'NOWHERE' }),
    ];
    const references = imageReferences({
      nodes,
      depth: 3,
      nodeCount: 5,
      materials,
      blockNames: [],
      warnings: [],
    });
    expect(references).toEqual(['WOOD', 'GRAIN', 'DULL', 'PAINT', 'SHINE']);
  });
});
