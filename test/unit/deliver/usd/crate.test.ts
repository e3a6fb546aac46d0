/** A crate file by two readers: the one of the tests, and that of three.js. */
import { USDCParser } from 'three/addons/loaders/usd/USDCParser.js';
import { describe, expect, it } from 'vitest';
import { writeCrate } from '../../../../src/deliver/usd/crate.ts';
import type { Layer, Prim, Property } from '../../../../src/deliver/usd/usd-layer.ts';
import { readUsdc, withDescendants } from '../../../helpers/usdc-judge.ts';

const POINTS = Float32Array.from({ length: 60 }, (_, i) => i / 8);
const INDICES = Int32Array.from({ length: 30 }, (_, i) => (i * 7) % 20);
const MATRIX = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.1, 0.2, 0.3, 1];

const mesh = (name: string): Prim => ({
  ...{ type: 'Mesh', name, apiSchemas: ['MaterialBindingAPI'] },
  properties: [
    { type: 'point3f[]', name: 'points', value: POINTS.slice(), interpolation: 'vertex' },
    { type: 'int[]', name: 'faceVertexIndices', value: INDICES.slice() },
    { type: 'int[]', name: 'faceVertexCounts', value: Int32Array.of(3, 3, 4) },
    { type: 'matrix4d', name: 'xformOp:transform', value: MATRIX },
    { type: 'token[]', name: 'xformOpOrder', isUniform: true, value: ['xformOp:transform'] },
    { name: 'material:binding', target: '/Model/Oak' },
  ],
});

const OAK: Property[] = [
  { type: 'color3f', name: 'inputs:diffuseColor', value: [0.5, 0.25, 1] },
  { type: 'float', name: 'inputs:roughness', connect: '/Model/One/Two.outputs:r' },
  { type: 'asset', name: 'inputs:file', value: 'textures/oak.jpg' },
  { type: 'string', name: 'inputs:varname', value: 'st' },
  { type: 'int', name: 'inputs:useSpecularWorkflow', value: -1 },
];

/** Prims with children, siblings, both and neither. */
const LAYER: Layer = {
  ...{ upAxis: 'Y', metersPerUnit: 1, creator: 'a test' },
  root: {
    ...{ type: 'Xform', name: 'Model', kind: 'component', properties: [] },
    children: [
      {
        ...{ type: 'Scope', name: 'One', properties: [] },
        children: [
          mesh('Left'),
          { type: 'Shader', name: 'Two', properties: [{ type: 'float', name: 'outputs:r' }] },
        ],
      },
      { type: 'Scope', name: 'Empty', properties: [] },
      { type: 'Material', name: 'Oak', properties: OAK },
      { type: 'Scope', name: 'Last', properties: [], children: [mesh('Right')] },
    ],
  },
};

describe('a crate file', () => {
  const bytes = writeCrate(LAYER);

  it('has all prims, attributes, connections and targets of its layer', () => {
    const { metadata, prims } = readUsdc(bytes);
    expect(metadata).toEqual({
      ...{ customLayerData: { creator: 'a test' }, defaultPrim: 'Model', metersPerUnit: 1 },
      ...{ upAxis: 'Y', primChildren: ['Model'] },
    });
    const found = prims.flatMap(withDescendants);
    expect(found.map(({ path, type }) => `${type} ${path}`)).toEqual([
      ...['Xform /Model', 'Scope /Model/One', 'Mesh /Model/One/Left', 'Shader /Model/One/Two'],
      ...['Scope /Model/Empty', 'Material /Model/Oak', 'Scope /Model/Last'],
      'Mesh /Model/Last/Right',
    ]);
    const values = Object.fromEntries(
      found.flatMap(({ path, properties }) =>
        [...properties].map(([name, { value, connect }]) => [`${path}.${name}`, connect ?? value]),
      ),
    );
    const written = (path: string) => ({
      [`${path}.points`]: POINTS,
      [`${path}.faceVertexIndices`]: INDICES,
      [`${path}.faceVertexCounts`]: Int32Array.of(3, 3, 4),
      [`${path}.xformOp:transform`]: { tuple: MATRIX },
      [`${path}.xformOpOrder`]: ['xformOp:transform'],
      [`${path}.material:binding`]: { path: '/Model/Oak' },
    });
    expect(values).toEqual({
      ...{ ...written('/Model/One/Left'), ...written('/Model/Last/Right') },
      '/Model/One/Two.outputs:r': undefined,
      '/Model/Oak.inputs:diffuseColor': { tuple: [0.5, 0.25, 1] },
      '/Model/Oak.inputs:roughness': '/Model/One/Two.outputs:r',
      '/Model/Oak.inputs:file': 'textures/oak.jpg',
      '/Model/Oak.inputs:varname': 'st',
      '/Model/Oak.inputs:useSpecularWorkflow': -1,
    });
  });

  it('is the same to three.js', () => {
    const { specsByPath } = new USDCParser().parseData(bytes.slice().buffer);
    const defaultOf = (path: string) => specsByPath[path]?.fields.default;
    expect(Object.keys(specsByPath)).toHaveLength(1 + 8 + 2 * 6 + 1 + 5);
    expect(defaultOf('/Model/Last/Right.points')).toEqual(POINTS);
    expect([...defaultOf('/Model/Last/Right.faceVertexIndices')]).toEqual([...INDICES]);
    expect([...defaultOf('/Model/Last/Right.faceVertexCounts')]).toEqual([3, 3, 4]);
    expect(defaultOf('/Model/Last/Right.xformOp:transform')).toEqual(MATRIX);
    expect(defaultOf('/Model/Oak.inputs:file')).toBe('textures/oak.jpg');
    const { connectionPaths } = specsByPath['/Model/Oak.inputs:roughness']!.fields;
    expect(connectionPaths).toEqual(['/Model/One/Two.outputs:r']);
  });

  it('has equal values once', () => {
    const [left, right] = readUsdc(bytes)
      .prims.flatMap(withDescendants)
      .filter(({ type }) => type === 'Mesh');
    for (const [name, { place }] of left!.properties)
      expect(right!.properties.get(name)!.place).toBe(place);
  });

  it('refers to no path that is not there', () => {
    const root: Prim = {
      ...{ type: 'Xform', name: 'Model' },
      properties: [{ name: 'material:binding', target: '/Model/Oak' }],
    };
    expect(() => writeCrate({ ...LAYER, root })).toThrow('received /Model/Oak');
  });
});
