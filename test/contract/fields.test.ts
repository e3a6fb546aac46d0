/**
 * The fields of section 2: each of them arrives in the model, under our name.
 *
 * Where the specification itself lies beside the project, the list of fields is compared with its tables.
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeArticle } from '../../src/convert/wire/article.ts';
import { decodeBlock } from '../../src/convert/wire/block.ts';
import { decodeBreadcrumbs, decodeNodes } from '../../src/convert/wire/catalogue.ts';
import { decodePartsList } from '../../src/convert/wire/parts-list.ts';
import { FIELDS, IN_SENTENCES, type Structure } from '../helpers/specified-fields.ts';

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const pairs = (structure: Structure) =>
  FIELDS[structure].split(' ').map((field) => field.split('=') as [string, string?]);
const wireNames = (structure: Structure) => pairs(structure).map(([wire]) => wire);
const ourNames = (structure: Structure) => pairs(structure).map(([wire, ours = wire]) => ours);

/** An object with every field of a table; those that are not stated otherwise are texts. */
function wire(names: readonly string[], values: object): Record<string, unknown> {
  return { ...Object.fromEntries(names.map((name) => [name, `a ${name}`])), ...values };
}

const property = wire(wireNames('2.2 property'), {
  ...{ enabled: true, visible: true, obligatory: true, obligatory2c: true, addvalues: true },
  ...{ digits: 4, decdigits: 1 },
  propertyvalues: [wire(IN_SENTENCES.propertyValue, {})],
  ranges: [{ valuefrom: 1, opfrom: 'GT', valueto: 5, opto: 'LE', raster: 2 }],
});
const propclasses = [wire(IN_SENTENCES.propertyClass, { properties: [property] })];
const ocd = wire(wireNames('2.2 ocd'), {
  ...{ price: 12.5, articlewithprice: true, obligatory2c: true, propclasses },
});
const article = wire(wireNames('2.2 article'), { children: [], propclasses, ocd });
const node = wire(wireNames('2.1 node'), {
  nodetype: 'A',
  ressources: [wire(IN_SENTENCES.resource, {})],
});

describe('every field of the specification arrives', () => {
  it('of a catalogue node and a breadcrumb (2.1)', () => {
    const [decoded] = decodeNodes(bytes([node]));
    expect(Object.keys(decoded!).sort()).toEqual(ourNames('2.1 node').sort());
    expect(decoded).toMatchObject({ nodeid: 'a nodeid', resources: node.ressources });
    const breadcrumb = wire(IN_SENTENCES.breadcrumb, {});
    expect(decodeBreadcrumbs(bytes([breadcrumb]))).toEqual([breadcrumb]);
  });

  it('of an article, all of them with the value that was sent (2.2)', () => {
    expect(decodeArticle(bytes(article))).toEqual(article);
    const { children } = decodeArticle(bytes({ ...article, children: [article] }));
    expect(children).toEqual([article]);
  });

  it('of an article, even if what is not specified has any shape', () => {
    const shapes = { metamessages: [{ a: 1 }], debugreinitstring: { b: [null] } };
    const inOcd = { pricecomponents: [{ value: 3 }], usermessages: [[1], 'x'] };
    const sent = { ...article, ...shapes, ocd: { ...ocd, ...inOcd } };
    expect(decodeArticle(bytes(sent))).toEqual(sent);
  });

  it('of a parts list, its nodes and materials (2.3)', () => {
    const [offs, rot, scale, params] = [[1, 2, 3], [4, 5, 6], [7, 8, 9], { any: 'shape' }];
    const prop = wire(wireNames('2.3 node'), { offs, rot, scale, params, childs: [] });
    const material = wire(wireNames('2.3 material'), { amb: '0x000000', dif: '0xFFFFFF' });
    for (const name of wireNames('2.3 material')) {
      if (/rough|metallic$|scale|offset|^rot|_rot|shi|tra|lumi|ref|pho|mirror/.test(name)) {
        if (!name.endsWith('_image')) material[name] = 0.5;
      }
    }
    material.spe = '0x0000FF';
    const partsList = decodePartsList(
      bytes({ btg: [{ type: 'imp', prop }], blocks: ['A::B::C'], mats: [material] }),
    );
    const lists = IN_SENTENCES.partsList.map((field) => field.split('=')[1]);
    expect(Object.keys(partsList)).toEqual(expect.arrayContaining(lists));
    expect(partsList.warnings).toEqual([]);
    const names = ourNames('2.3 node').filter((name) => name !== '');
    expect(Object.keys(partsList.nodes[0]!).sort()).toEqual(names.sort());
    expect(partsList.nodes[0]).toMatchObject({
      blockName: 'a btgname',
      ...{ offsetMetres: offs, rotationDegrees: rot, scale, params },
      ...{ material: 'a mat', layer: 'a lay' },
    });
    const { source, ...fields } = partsList.materials[0]!;
    expect(Object.keys(fields).sort()).toEqual(ourNames('2.3 material').sort());
    expect(source).toEqual(material);
  });

  it('of a block (2.4)', () => {
    const surface = { F: [0, 1, 2], TI: [0, 1, 2], C: true };
    const sent = { N: 'A', P: [1, 0, 0], R: [0, 90, 0], V: [0, 0, 0, 1, 0, 0, 0, 1, 0] };
    const block = decodeBlock(bytes({ ...sent, T: [0, 0, 1, 0, 0, 1], A: [surface] }));
    const names = [...Object.keys(block), ...Object.keys(block.surfaces[0]!)];
    expect(names).toEqual(expect.arrayContaining(ourNames('2.4 block')));
    expect(block).toMatchObject({ name: 'A', positionMetres: sent.P, rotationDegrees: sent.R });
    expect(block.surfaces[0]).toMatchObject({ closed: true });
  });
});

const SPECIFICATION = new URL('../../../shared/spec/interface-specification.md', import.meta.url);

describe.skipIf(!existsSync(SPECIFICATION))('the text of the specification', () => {
  it('has these fields in the tables of section 2, and no others', () => {
    const text = readFileSync(SPECIFICATION, 'utf8');
    const section = text.slice(text.indexOf('\n## 2.'), text.indexOf('\n## 3.'));
    const tables = section.split(/\n\n/).filter((part) => part.includes('|---'));
    const read = tables.map((table) => {
      const names = [...table.matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)].map(
        ([, cell = '']) => cell,
      );
      return [...names.join(' ').matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    });
    expect(read).toEqual((Object.keys(FIELDS) as Structure[]).map(wireNames));
  });
});
