/**
 * Deliberate faults: each breaks one rule of the conversion, and some test must notice.
 *
 * `find` occurs exactly once in its file; `replace` replaces it in a copy of the project.
 */

/** One way to be nearly right. */
export interface Fault {
  name: string;
  /** The rule that it breaks, in src/DECISIONS.md. */
  rule: string;
  file: string;
  find: string;
  replace: string;
}

/** The faults, in the order of the rules. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'rotation order Z·Y·X',
    rule: 'D-102',
    file: 'src/math/ofml-frame.ts',
    find: 'const [x, y, z] = rotationDegrees;\n  if (x === 0 && y === 0 && z === 0) return IDENTITY3;',
    replace:
      'const [x, y, z] = rotationDegrees;\n  if (x !== 0 || y !== 0 || z !== 0) {\n    const only = (a: number, b: number, c: number): Mat3 => rotationFromDegrees([a, b, c]);\n    const count = [x, y, z].filter((value) => value !== 0).length;\n    if (count > 1) return multiplyMat3(only(0, 0, z), multiplyMat3(only(0, y, 0), only(x, 0, 0)));\n  } else return IDENTITY3;',
  },
  {
    name: 'rotation clockwise',
    rule: 'D-102',
    file: 'src/math/ofml-frame.ts',
    find: 'const [x, y, z] = rotationDegrees;',
    replace:
      'const [x, y, z] = rotationDegrees.map((value) => -value) as [number, number, number];',
  },
  {
    name: 'offset turned by the own rotation',
    rule: 'D-103',
    file: 'src/math/ofml-frame.ts',
    find: 'const moved = movePoint(parent, offsetMetres);',
    replace:
      'const moved = movePoint(parent, transformVec3(rotationFromDegrees(rotationDegrees), offsetMetres));',
  },
  {
    name: 'offset not turned by the parent',
    rule: 'D-103',
    file: 'src/math/ofml-frame.ts',
    find: 'const moved = movePoint(parent, offsetMetres);',
    replace: 'const moved = movePoint({ ...parent, rotation: IDENTITY3 }, offsetMetres);',
  },
  {
    name: 'scale inherited by children',
    rule: 'D-104',
    file: 'src/transform/convert-options.ts',
    find: 'inheritScale: flag(false,',
    replace: 'inheritScale: flag(true,',
  },
  {
    name: "the block's P and R after the scale",
    rule: 'D-105',
    file: 'src/transform/vertex-data.ts',
    find: 'positions: clamped(pointsAt(plan.shape, mesh, split,',
    replace:
      'positions: clamped(pointsAt(plan.shape, { ...mesh, positionMetres: [0, 1, 2].map((k) => mesh.positionMetres[k]! / plan.projectAt[4 * k]!) as unknown as typeof mesh.positionMetres }, split,',
  },
  {
    name: "the block's R forgotten",
    rule: 'D-105',
    file: 'src/transform/block-mesh.ts',
    find: 'rotation: rotationFromDegrees(block.rotationDegrees, options),',
    replace: 'rotation: IDENTITY3,',
  },
  {
    name: 'material not inherited',
    rule: 'D-110',
    file: 'src/transform/flatten.ts',
    find: "material: node.material === '' && options.inheritMaterial ? parent.material : node.material,",
    replace: 'material: node.material,',
  },
  {
    name: 'invisible layers kept',
    rule: 'D-112',
    file: 'src/transform/flatten.ts',
    find: 'if (readLayer(place.layer, place.layerOf).isDropped) {',
    replace: 'if (readLayer(place.layer, place.layerOf).isDropped && node.layer.length > 1000) {',
  },
  {
    name: 'underscores in the names of a layer ignored',
    rule: 'D-112',
    file: 'src/transform/layers.ts',
    find: 'if (inNames > 0) return from(inNames);',
    replace: 'if (inNames > 0) return from(2);',
  },
  {
    name: 'the shortest name of a layer stripped',
    rule: 'D-112',
    file: 'src/transform/layers.ts',
    find: 'const inNames = Math.max(0, ...fitting',
    replace: 'const inNames = Math.min(fitting.length > 0 ? 99 : 0, ...fitting',
  },
  {
    name: "no known mode looked for behind another series' name",
    rule: 'D-112',
    file: 'src/transform/layers.ts',
    find: 'return from(Math.max(2, mode));',
    replace: 'return from(Math.max(2, 0 * mode));',
  },
  {
    name: 'decimal commas in params taken as separators',
    rule: 'D-202',
    file: 'src/transform/solids.ts',
    find: 'return isDecimal ? decimal : numbers;',
    replace: 'return isDecimal ? numbers : numbers;',
  },
  {
    name: 'a solid that cannot be read left out',
    rule: 'D-542',
    file: 'src/transform/load-meshes.ts',
    find: 'if (mesh) return { key, name: part.path, mesh };',
    replace:
      "if (mesh) return { key, name: part.path, mesh };\n  if (key.includes('unreadable')) return { key, name: part.path, mesh: { ...makeSolid({ type: 'sphere', params: [1] }, options)!, surfaces: [] } };",
  },
  {
    name: 'a block left without a triangle published as a hole',
    rule: 'D-303',
    file: 'src/transform/load-meshes.ts',
    find: 'if (surfaces.length === 0 && droppedTriangles > 0) {',
    replace: 'if (surfaces.length === 0 && droppedTriangles > 1e9) {',
  },
  {
    name: 'an empty block taken for a hole',
    rule: 'D-303',
    file: 'src/transform/load-meshes.ts',
    find: 'if (surfaces.length === 0 && droppedTriangles > 0) {',
    replace: 'if (surfaces.length === 0) {',
  },
  {
    name: 'dropped triangles not in the ledger',
    rule: 'D-540',
    file: 'src/transform/load-meshes.ts',
    find: "losses.add({ where: name, field: 'F', value: droppedTriangles, done: 'triangles dropped' });",
    replace: '',
  },
  {
    name: 'stride of three ignored',
    rule: 'D-302',
    file: 'src/transform/uv.ts',
    find: '{ stride: 3, firstIndex: 0, fits: (_a, b, n) => 3 * (b + 1) === n },',
    replace: '',
  },
  {
    name: '1-based points ignored',
    rule: 'D-302',
    file: 'src/transform/block-mesh.ts',
    find: 'return smallest === 1 && largest',
    replace: 'return smallest === 7 && largest',
  },
  {
    name: 'degenerate triangles kept',
    rule: 'D-303',
    file: 'src/transform/block-mesh.ts',
    find: 'return sum > 0 && sum < Number.POSITIVE_INFINITY;',
    replace: 'return sum < Number.POSITIVE_INFINITY;',
  },
  {
    name: 'winding kept as delivered',
    rule: 'D-304',
    file: 'src/transform/block-mesh.ts',
    find: "if (winding === 'keep') return;",
    replace: "if (winding !== 'flip') return;",
  },
  {
    name: 'open surfaces never follow',
    rule: 'D-304',
    file: 'src/transform/block-mesh.ts',
    find: 'draft.closed ? draft.volume < 0 : inward > outward',
    replace: 'draft.closed ? draft.volume < 0 : false',
  },
  {
    name: 'open surfaces single-sided',
    rule: 'D-305',
    file: 'src/transform/block-mesh.ts',
    find: 'doubleSided: !closed,',
    replace: 'doubleSided: false,',
  },
  {
    name: 'V not flipped',
    rule: 'D-401',
    file: 'src/transform/vertex-data.ts',
    find: '1 - (map ? map[3] * s + map[4] * t + map[5] : t);',
    replace: 'map ? map[3] * s + map[4] * t + map[5] : t;',
  },
  {
    name: 'box face by the unscaled normal',
    rule: 'D-402',
    file: 'src/transform/vertex-data.ts',
    find: 'const m = multiplyMat3(plan.projectAt, mesh.rotation);',
    replace: 'const m = mesh.rotation;',
  },
  {
    name: 'box face by the first corner instead of the triangle',
    rule: 'D-402',
    file: 'src/transform/vertex-data.ts',
    find: 'faces[t] = boxFace(nx / length, ny / length, nz / length, plan.mirrorOppositeSides);',
    replace:
      'faces[t] = boxFace(...([0, 1, 2].map((k) => mesh.normals[3 * surface.normals[3 * t]! + k]! + 0 * (nx + ny + nz + length)) as [number, number, number]));',
  },
  {
    name: 'projection before the scale',
    rule: 'D-402',
    file: 'src/transform/assemble-scene.ts',
    find: ': diagonal3(scale);',
    replace: ': diagonal3([1, 1, 1]);',
  },
  {
    name: 'rauto like auto',
    rule: 'D-403',
    file: 'src/transform/resolve-materials.ts',
    find: "swapProjected: map === 'rauto'",
    replace: "swapProjected: map === 'never'",
  },
  {
    name: 'texture transform copied field by field',
    rule: 'D-420',
    file: 'src/transform/uv.ts',
    find: 'offset: [su * (ox - s) + 0, 1 - sv * (c + oy)],',
    replace: 'offset: [ox, oy],',
  },
  {
    name: 'texture offset not turned over with V',
    rule: 'D-420',
    file: 'src/transform/uv.ts',
    find: '1 - sv * (c + oy)],',
    replace: '1 - sv * (c - oy)],',
  },
  {
    name: 'texture offset not moved by the rotation',
    rule: 'D-420',
    file: 'src/transform/uv.ts',
    find: 'offset: [su * (ox - s) + 0,',
    replace: 'offset: [su * ox + 0,',
  },
  {
    name: 'texture turned the other way',
    rule: 'D-420',
    file: 'src/transform/uv.ts',
    find: 'const s = sinDegrees(degrees);',
    replace: 'const s = -sinDegrees(degrees);',
  },
  {
    name: 'unequal scales left to the extension',
    rule: 'D-420',
    file: 'src/transform/uv.ts',
    find: 'const isExpressible = su === sv || s === 0;',
    replace: 'const isExpressible = true;',
  },
  {
    name: 'bump fallback dropped',
    rule: 'D-420',
    file: 'src/transform/uv.ts',
    find: 'rotationDegrees: material.bump_rot ?? base.rotationDegrees,',
    replace: 'rotationDegrees: material.bump_rot ?? 0,',
  },
  {
    name: 'sRGB taken as linear',
    rule: 'D-500',
    file: 'src/math/color.ts',
    find: 'return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);',
    replace: 'return value;',
  },
  {
    name: 'factor left tinted under a texture',
    rule: 'D-502',
    file: 'src/transform/material-table.ts',
    find: 'shading.baseColorLinear = replaced ? WHITE : color;',
    replace: 'shading.baseColorLinear = replaced ? color : color;',
  },
  {
    name: 'metallic left at 1',
    rule: 'D-506',
    file: 'src/transform/material-table.ts',
    find: 'shading.metallic = material.metallic ?? 0;',
    replace: 'shading.metallic = material.metallic ?? 1;',
  },
  {
    name: 'roughness and metallic channels exchanged',
    rule: 'D-507',
    file: 'src/transform/images.ts',
    find: 'if (roughness) data[3 * i + 1] = dataChannel(roughness, i);\n    if (metallic) data[3 * i + 2]',
    replace:
      'if (roughness) data[3 * i + 2] = dataChannel(roughness, i);\n    if (metallic) data[3 * i + 1]',
  },
  {
    name: 'smoked glass left black',
    rule: 'D-510',
    file: 'src/transform/glass.ts',
    find: 'const [r, g, b] = shading.baseColorLinear;\n    const base: LinearRgb = [tra',
    replace: 'const [r, g, b] = shading.baseColorLinear;\n    const base: LinearRgb = [0',
  },
  {
    name: 'smoked glass left milky',
    rule: 'D-510',
    file: 'src/transform/glass.ts',
    find: 'shading.transmission = Math.min(1, tra / luminance(base));',
    replace: 'shading.transmission = Math.min(1, tra + 0 * luminance(base));',
  },
  {
    name: 'glass blurred by a roughness that is not in its material',
    rule: 'D-510',
    file: 'src/transform/glass.ts',
    find: 'shading.roughness = Math.min(shading.roughness, CLEAR_ROUGHNESS);\n  },\n  blend',
    replace: 'shading.roughness = Math.min(shading.roughness, 1 + CLEAR_ROUGHNESS);\n  },\n  blend',
  },
  {
    name: 'coloured glass not in the ledger',
    rule: 'D-510',
    file: 'src/transform/glass.ts',
    find: 'if (!isUniform(base)) lose(',
    replace: 'if (base.length === 0) lose(',
  },
  {
    name: 'a wrong default: glass exact',
    rule: 'D-510',
    file: 'src/transform/convert-options.ts',
    find: "glassTint: choice(['balanced', 'exact'],",
    replace: "glassTint: choice(['exact', 'balanced'],",
  },
  {
    name: 'index of refraction of 1 written',
    rule: 'D-511',
    file: 'src/transform/material-table.ts',
    find: 'if (isGlass(material) && refr > 1) shading.ior',
    replace: 'if (isGlass(material) && refr >= 1) shading.ior',
  },
  {
    name: 'index of refraction of what is no glass',
    rule: 'D-511',
    file: 'src/transform/material-table.ts',
    find: 'if (isGlass(material) && refr > 1) shading.ior',
    replace: 'if (refr > 1) shading.ior',
  },
  {
    name: 'gloss depends on refl',
    rule: 'D-512',
    file: 'src/transform/material-table.ts',
    find: 'ggx: ({ shi = DEFAULT_SHI, spe = BLACK }: ServiceMaterial): number => {',
    replace:
      'ggx: ({ shi = DEFAULT_SHI, spe: sent = BLACK, refl = 1 }: ServiceMaterial): number => {\n    const spe = sent.map((value) => value * refl) as unknown as SrgbColor;',
  },
  {
    name: 'refl removes the highlight of spe',
    rule: 'D-513',
    file: 'src/transform/material-table.ts',
    find: "else if (hasEffect(spe)) lose('refl', 'dropped: it must not dim the highlight of spe');",
    replace: 'else if (spe.length === 0) return;',
  },
  {
    name: 'black highlights shine',
    rule: 'D-512',
    file: 'src/transform/material-table.ts',
    find: 'return 1 + (glossy - 1) * (t * t * (3 - 2 * t));',
    replace: 'return glossy + 0 * t;',
  },
  {
    name: 'emission tinted under a picture',
    rule: 'D-514',
    file: 'src/transform/material-table.ts',
    find: 'shading.emissiveLinear = glowing\n    ? WHITE',
    replace: 'shading.emissiveLinear = glowing\n    ? linearColor(material.dif ?? WHITE)',
  },
  {
    name: 'a value out of its range not in the ledger',
    rule: 'D-540',
    file: 'src/transform/material-table.ts',
    find: 'lose(field, `out of range: ${String(near)} is used`);',
    replace: '',
  },
  {
    name: 'a value that cannot be read not in the ledger',
    rule: 'D-540',
    file: 'src/transform/resolve-materials.ts',
    find: "losses.add({ where: mname, field, value, done: 'cannot be read: left out' });",
    replace: '',
  },
  {
    name: 'an unknown key counted once a material',
    rule: 'D-540',
    file: 'src/transform/resolve-materials.ts',
    find: "done: 'unknown: kept in extras' }, `key ${field}`);",
    replace: "done: 'unknown: kept in extras' });",
  },
  {
    name: 'an expected loss fails a strict article',
    rule: 'D-540',
    file: 'src/transform/transform-article.ts',
    find: 'const unexpected = scene.losses.filter(({ expected }) => !expected);',
    replace: 'const unexpected = scene.losses;',
  },
  {
    name: 'transforms and factors written as doubles',
    rule: 'D-750',
    file: 'src/write/glb.ts',
    find: 'const rounded = Math.fround(value);',
    replace: 'const rounded = value;\n  if (rounded === value) return value;',
  },
  {
    name: 'an angle reduced in double precision only',
    rule: 'D-750',
    file: 'src/math/elementary.ts',
    find: 'const low = left - (high - change) - (moved + change) - turns * HALF_PI[2];',
    replace: 'const low = 0 * change;',
  },
];
