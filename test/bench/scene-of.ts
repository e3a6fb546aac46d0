/**
 * A scene that draws one geometry once.
 */
import type { Geometry, Scene } from '../../src/model/scene.ts';
import { CONVERT_DEFAULTS } from '../../src/transform/convert-options.ts';
import { shadingOf } from '../../src/transform/material-table.ts';

/** The scene of one geometry in neutral white. */
export function sceneOf(geometry: Geometry): Scene {
  const material = { mname: 'white', source: {} };
  const context = { material, images: {}, options: CONVERT_DEFAULTS, lose: () => {} };
  const { images: _images, kept: _kept, ...values } = shadingOf(context);
  return {
    nodes: [
      {
        name: 'part',
        parent: -1,
        mesh: 0,
        translationMetres: [0, 0, 0],
        rotation: [0, 0, 0, 1],
        scale: [1, 1, 1],
        extras: undefined,
      },
    ],
    meshes: [{ name: 'mesh', primitives: [{ geometry: 0, material: 0 }] }],
    geometries: [geometry],
    materials: [
      {
        ...values,
        doubleSided: false,
        baseColorTexture: undefined,
        metallicRoughnessTexture: undefined,
        normalTexture: undefined,
        emissiveTexture: undefined,
        extras: undefined,
      },
    ],
    images: [],
    boundsMetres: { min: [0, 0, 0], max: [0, 0, 0] },
    triangles: geometry.indices.length / 3,
    drawCalls: 1,
    losses: [],
    warnings: [],
    counts: {
      droppedTriangles: 0,
      duplicateTriangles: 0,
      flippedSurfaces: 0,
      splitVertices: 0,
      droppedLayers: 0,
      skippedNodes: 0,
    },
  };
}
