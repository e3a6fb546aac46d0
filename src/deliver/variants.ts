/** One file with every finish: configurations of an article that differ in materials alone. */
import type { CatalogueLine } from '../model/asset.ts';
import { sha256Hex } from '../support/files.ts';
import { groupBy } from '../support/group-by.ts';
import { type Corners, cornersOf, type Stream, shapeOf, uvStream, withUvSets } from './corners.ts';
import { createGlbBuilder, mapTextures, type PlacedTexture } from './glb-builder.ts';
import { type Glb, type Primitive, readGlb, type TextureInfo, viewBytes } from './glb-container.ts';

const EXTENSION = 'KHR_materials_variants';
/** Every viewer has two sets of texture coordinates. @see glTF 2.0, 3.7.2.1 */
const MOST_UV_SETS = 2;

type Properties = CatalogueLine['properties'];

/** A configuration of an article. */
export interface VariantSource {
  /** Its master. */
  glb: Uint8Array;
  /** Its final article number, for a name that would not be unique. */
  number: string;
  properties: Properties;
}

/** Configurations in one file. */
interface VariantGroup {
  glb: Uint8Array;
  /** The first is the one that a viewer without variants shows; `sources` are the configurations that look so. */
  variants: { name: string; sources: number[] }[];
}

/** What became of the configurations of an article. */
interface Variants {
  /** In the order of their first configuration. */
  groups: VariantGroup[];
  /** Properties of which at least one changes the shape, where there are several groups. */
  splitBy: Pick<Properties[number], 'class' | 'name' | 'text'>[];
}

/**
 * Makes one GLB with `KHR_materials_variants` of all configurations of an article with one shape: vertices, materials
 * and images once each. It depends on its parameters alone.
 *
 * @param sources - The default configuration first.
 * @throws {@link ConverterError} `STORE_DAMAGED` where a master is no GLB.
 *
 * @example
 * ```ts
 * const { groups, splitBy } = combineVariants([oak, walnut, oakWithTray]);
 * groups.map(({ variants }) => variants.map(({ name }) => name)); // → [['Oak', 'Walnut'], ['Oak']]
 * splitBy; // → [{ class: 'ARTIKEL', name: 'KABEL', text: 'Cable tray' }]
 * ```
 */
export function combineVariants(sources: readonly VariantSource[]): Variants {
  const groups: Member[][] = [];
  for (const [index, source] of sources.entries()) {
    const member = { ...readModel(readGlb(source.glb)), ...source, index };
    const group = groups.find((members) => fits(members, member));
    if (group === undefined) groups.push([member]);
    else group.push(member);
  }
  return {
    groups: groups.map((members) => combine(members)),
    splitBy: splittingProperties(groups),
  };
}

/** A material with its images by content, so that it can be compared with those of other files. */
interface Look {
  key: string;
  json: Record<string, unknown>;
  /** Sets of texture coordinates that it uses. */
  uvSets: number[];
}

/** A primitive of a node. */
interface Part {
  node: number;
  primitive: Primitive;
  corners: Corners;
  shape: string;
  look: Look;
}

interface Model {
  file: Glb;
  /** Everything of the tree of nodes that decides what is drawn where. */
  frame: string;
  parts: Part[];
}

type Member = Model & VariantSource & { index: number };

function readModel(file: Glb): Model {
  const { nodes, meshes, scenes, materials = [] } = file.json;
  const placed = nodes.map(({ children, translation, rotation, scale, matrix }) => [
    ...[children, translation, rotation, scale, matrix],
  ]);
  const looks = materials.map((material) => lookOf(file, material));
  const read = new Map<Primitive, Pick<Part, 'corners' | 'shape'>>();
  const readOnce = (primitive: Primitive) => {
    const known = read.get(primitive);
    if (known !== undefined) return known;
    const corners = cornersOf(file, primitive);
    const made = { corners, shape: `${primitive.mode ?? 4} ${shapeOf(corners)}` };
    read.set(primitive, made);
    return made;
  };
  const parts = nodes.flatMap(({ mesh }, node) =>
    (mesh === undefined ? [] : meshes[mesh]!.primitives).map((primitive) => {
      const look = looks[primitive.material ?? -1] ?? lookOf(file, {});
      return { node, primitive, look, ...readOnce(primitive) };
    }),
  );
  return { file, frame: JSON.stringify([scenes, placed]), parts };
}

function lookOf(file: Glb, material: Record<string, unknown>): Look {
  const uvSets = new Set<number>();
  const json = mapTextures(material, (info) => {
    uvSets.add(uvSetOf(info));
    return { ...info, index: textureOf(file, info.index) };
  });
  return { key: JSON.stringify(json), json, uvSets: [...uvSets].sort() };
}

function textureOf({ json, binary }: Glb, index: number): PlacedTexture {
  const { source, sampler } = json.textures![index]!;
  const { bufferView, ...image } = json.images![source]!;
  const bytes = viewBytes({ json, binary }, bufferView);
  const filter = sampler === undefined ? undefined : json.samplers![sampler];
  const key = JSON.stringify([sha256Hex(bytes), image, filter]);
  return { image, bytes, sampler: filter, toJSON: () => key };
}

/** A texture transform may name another set than the texture itself. */
function uvSetOf({ texCoord = 0, extensions }: TextureInfo): number {
  const { KHR_texture_transform: transform } = (extensions ?? {}) as Record<string, TextureInfo>;
  return transform?.texCoord ?? texCoord;
}

/** Whether a configuration has the shape of a group, and no part would need too many sets of texture coordinates. */
function fits(members: readonly Member[], other: Member): boolean {
  const [first] = members as [Member];
  if (first.frame !== other.frame || first.parts.length !== other.parts.length) return false;
  return other.parts.every(({ node, shape }, i) => {
    const part = first.parts[i]!;
    if (part.node !== node || part.shape !== shape) return false;
    return usedUvs([...members, other], i).size <= MOST_UV_SETS;
  });
}

/** The texture coordinates that the materials of a part use, by content. */
function usedUvs(members: readonly Model[], part: number): Map<string, Stream> {
  const used = new Map<string, Stream>();
  for (const { parts } of members) {
    const { corners, look } = parts[part]!;
    for (const set of look.uvSets) {
      const stream = uvStream(corners, set);
      if (stream !== undefined) used.set(stream.digest, stream);
    }
  }
  return used;
}

function combine(members: readonly Member[]): VariantGroup {
  const [first] = members as [Member];
  const looks = [...groupBy(members, ({ parts }) => parts.map(appearanceOf).join('\n'))];
  const shown = looks.map(([, same]) => same[0]!);
  const names = namesOf(looks.map(([, same]) => same));
  const variants = looks.map(([, same], i) => {
    return { name: names[i]!, sources: same.map(({ index }) => index) };
  });
  if (looks.length === 1) return { glb: first.glb, variants };
  const builder = createGlbBuilder();
  const meshes = new Map<number, Primitive[]>();
  for (const [i, part] of first.parts.entries()) {
    const uvs = [...usedUvs(shown, i).values()];
    const materials = shown.map(({ parts }) => builder.material(materialOf(parts[i]!, uvs)));
    const geometry = builder.geometry(withUvSets(part.corners, uvs));
    const { mode } = part.primitive;
    const primitive = { ...geometry, ...(mode !== undefined && { mode }), ...mapped(materials) };
    meshes.set(part.node, [...(meshes.get(part.node) ?? []), primitive]);
  }
  const used = shown.flatMap(({ file }) => file.json.extensionsUsed ?? []);
  const glb = builder.finish(first.file.json, meshes, {
    extensionsUsed: [...new Set([...used, EXTENSION])].sort(),
    extensions: { [EXTENSION]: { variants: names.map((name) => ({ name })) } },
  });
  return { glb, variants };
}

/** Equal for parts that look alike where their shapes are equal. */
function appearanceOf({ corners, look }: Part): string {
  const uvs = look.uvSets.map((set) => uvStream(corners, set)?.digest ?? '');
  return [look.key, ...uvs].join(' ');
}

/** The material of a part, which uses the texture coordinates at their new place. */
function materialOf({ corners, look }: Part, uvs: readonly Stream[]): Record<string, unknown> {
  return mapTextures(look.json, ({ texCoord, extensions = {}, ...info }) => {
    const digest = uvStream(corners, uvSetOf({ texCoord, extensions, ...info }))?.digest;
    const set = Math.max(
      0,
      uvs.findIndex((stream) => stream.digest === digest),
    );
    const { KHR_texture_transform: transform, ...others } = extensions as Record<string, object>;
    const { texCoord: __, ...placed } = { texCoord: 0, ...transform };
    const all = { ...others, ...(transform && { KHR_texture_transform: placed }) };
    return {
      ...info,
      ...(set > 0 && { texCoord: set }),
      ...(Object.keys(all).length > 0 && { extensions: all }),
    };
  });
}

/** The first material, and those of the variants where they differ. */
function mapped(materials: readonly number[]): Pick<Primitive, 'material' | 'extensions'> {
  const [material] = materials as [number];
  const byMaterial = groupBy(materials.keys(), (variant) => materials[variant]!);
  if (byMaterial.size === 1) return { material };
  const mappings = Array.from(byMaterial, ([index, variants]) => ({ material: index, variants }));
  return { material, extensions: { [EXTENSION]: { mappings } } };
}

const idOf = (property: Properties[number]) => `${property.class}.${property.name}`;
const textOf = (member: VariantSource, id: string) => {
  const property = member.properties.find((each) => idOf(each) === id);
  return property === undefined ? '' : property.valueText || property.value;
};
const chosenIn = ({ properties }: VariantSource, id: string) =>
  properties.find((each) => idOf(each) === id)?.value ?? '';

/** All properties by id, in the order in which the configurations have them. */
function propertiesOf(members: readonly VariantSource[]): Map<string, Properties[number]> {
  const all = members.flatMap(({ properties }) => properties).toReversed();
  const byId = new Map(all.map((property) => [idOf(property), property]));
  return new Map([...byId].toReversed());
}

/** Names by the values that differ, but for those that change no look; where that is not enough, with the article number. */
function namesOf(looks: readonly (readonly VariantSource[])[]): string[] {
  const ids = [...propertiesOf(looks.flat()).keys()].filter((id) => isConstantInEach(looks, id));
  const shown = looks.map(([first]) => first!);
  const differing = ids.filter((id) => areDifferent(shown, id));
  const names = shown.map((source) =>
    differing
      .map((id) => textOf(source, id))
      .filter((text) => text !== '')
      .join(' · '),
  );
  const taken = new Set<string>();
  return names.map((name, i) => {
    const isUnique = names.filter((other) => other === name).length === 1 && name !== '';
    const plain = isUnique ? name : [name, shown[i]!.number].filter((x) => x !== '').join(' · ');
    let unique = plain;
    for (let copy = 2; taken.has(unique); copy++) unique = `${plain} · ${copy}`;
    taken.add(unique);
    return unique;
  });
}

const areDifferent = (sources: readonly VariantSource[], id: string) =>
  new Set(sources.map((source) => chosenIn(source, id))).size > 1;
const isConstantInEach = (groups: readonly (readonly VariantSource[])[], id: string) =>
  groups.every((group) => !areDifferent(group, id));

/** A property that differs within a group changes no shape: the others of those that differ. */
function splittingProperties(groups: readonly (readonly Member[])[]): Variants['splitBy'] {
  const all = groups.flat();
  const differing = [...propertiesOf(all)].filter(([id]) => areDifferent(all, id));
  const constant = differing.filter(([id]) => isConstantInEach(groups, id));
  if (groups.length < 2) return [];
  return (constant.length > 0 ? constant : differing).map(([, property]) => {
    const { class: own, name, text } = property;
    return { class: own, name, text };
  });
}
