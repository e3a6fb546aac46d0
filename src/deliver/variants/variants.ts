/** One file with every finish: configurations of an article that differ in materials alone. */
import type { CatalogueLine } from '../../run/lists/manifest-line.ts';
import { ConverterError } from '../../support/errors.ts';
import { sha256Hex } from '../../support/files.ts';
import { groupBy } from '../../support/group-by.ts';
import {
  type Glb,
  type Gltf,
  type Primitive,
  readGlb,
  type TextureInfo,
  viewBytes,
} from '../making/glb-container.ts';
import type { ReadByPlace } from '../making/threads.ts';
import {
  type Corners,
  cornersOf,
  type Stream,
  shapeOf,
  uvStream,
  withUvSets,
} from '../profiles/corners.ts';
import { GlbBuilder, mapTextures, type PlacedTexture } from '../profiles/glb-builder.ts';

/** Increase this version if the same masters get another file. */
export const VARIANTS_VERSION = 1;

const EXTENSION = 'KHR_materials_variants';
/** Every viewer has two sets of texture coordinates. @see glTF 2.0, 3.7.2.1 */
const MOST_UV_SETS = 2;

/** Most bytes of a file: its parts are in memory while it is assembled, and browsers load a larger one for minutes. */
const MOST_BYTES = 128 * 2 ** 20;

type Properties = CatalogueLine['properties'];

export interface VariantSource {
  sha256: string;
  /** Final article number, for a name that would not be unique. */
  number: string;
  properties: Properties;
}

/** Configurations with one shape. */
export interface VariantGroup {
  /** The variants; a viewer without variants shows the first. `sources` are the configurations with this look. */
  variants: { name: string; sources: number[] }[];
}

export interface Variants {
  /** The groups in the order of their first configuration. */
  groups: VariantGroup[];
  /** Properties of which at least one changes the shape, if there are several groups. */
  splitBy: Pick<Properties[number], 'class' | 'name' | 'text'>[];
}

/**
 * Finds the configurations of an article that have one shape, and so differ in materials alone.
 *
 * One master is in memory at a time, and only its digests are kept.
 *
 * @param sources - The default configuration first.
 * @param readMaster - Reads the master of one, which is in memory only while it is examined.
 * @throws {@link ConverterError} `STORE_DAMAGED` if a master is no GLB.
 * @example
 * ```ts
 * const { groups, splitBy } = await groupVariants([oak, walnut, oakWithTray], read);
 * groups.map(({ variants }) => variants.map(({ name }) => name)); // → [['Oak', 'Walnut'], ['Oak']]
 * splitBy; // → [{ class: 'ARTIKEL', name: 'KABEL', text: 'Cable tray' }]
 * ```
 */
export async function groupVariants(
  sources: readonly VariantSource[],
  readMaster: ReadByPlace,
): Promise<Variants> {
  const groups: Group[] = [];
  const outlines = new Map<string, Outline>();
  for (const [index, source] of sources.entries()) {
    const outline = outlines.get(source.sha256) ?? outlineOf(modelOf(await readMaster(index)));
    outlines.set(source.sha256, outline);
    const group = groups.find((each) => fits(each, outline)) ?? emptyGroup(groups, outline);
    for (const [part, uvs] of outline.uvs.entries()) for (const uv of uvs) group.uvs[part]!.add(uv);
    group.members.push({ ...source, index, appearance: outline.appearance });
  }
  const members = groups.map((group) => group.members);
  return { groups: members.map(variantsOf), splitBy: splittingProperties(members) };
}

/**
 * Makes one GLB with `KHR_materials_variants` of configurations with one shape: vertices, materials and images once
 * each. The file depends only on the parameters.
 *
 * One master is in memory at a time, besides the parts of the file.
 *
 * @param readMaster - As for {@link groupVariants}.
 * @throws {@link ConverterError} `BUDGET_EXCEEDED` if the file would have more than 128 MiB; `STORE_DAMAGED`.
 */
export async function combineVariants(
  { variants }: VariantGroup,
  readMaster: ReadByPlace,
): Promise<Uint8Array> {
  const builder = new GlbBuilder();
  const extensionsUsed = new Set([EXTENSION]);
  let combined: ReturnType<typeof startCombined> | undefined;
  for (const [i, { sources: same }] of variants.entries()) {
    const model = modelOf(await readMaster(same[0]!));
    combined ??= startCombined(model);
    for (const [at, part] of model.parts.entries()) {
      const { uvs, materials } = combined.parts[at]!;
      for (const stream of usedUvs(part))
        if (!uvs.has(stream.digest)) uvs.set(stream.digest, stream);
      materials.push(builder.addMaterial(materialOf(part, [...uvs.keys()])));
    }
    for (const name of model.json.extensionsUsed ?? []) extensionsUsed.add(name);
    if (builder.byteLength > MOST_BYTES) throw tooLarge(i + 1, variants.length);
  }
  const { json, parts } = combined!;
  const meshes = new Map<number, Primitive[]>();
  for (const { node, mode, corners, uvs, materials } of parts) {
    const geometry = builder.addGeometry(withUvSets(corners, [...uvs.values()]));
    const primitive = { ...geometry, ...(mode !== undefined && { mode }), ...mapped(materials) };
    meshes.set(node, [...(meshes.get(node) ?? []), primitive]);
  }
  return builder.finish(json, meshes, {
    extensionsUsed: [...extensionsUsed].sort(),
    extensions: { [EXTENSION]: { variants: variants.map(({ name }) => ({ name })) } },
  });
}

function tooLarge(read: number, all: number): ConverterError {
  const most = `${MOST_BYTES / 2 ** 20} MiB`;
  const message = `one file with ${all} finishes: expected at most ${most}, received more with the first ${read}`;
  const help =
    'select fewer configurations of this article, such as by max:, or configurations with smaller textures';
  return new ConverterError('BUDGET_EXCEEDED', message, { help });
}

/** The file that is being assembled: shapes are those of the first configuration. */
function startCombined({ json, parts }: Model) {
  const started = parts.map(({ node, primitive, corners }) => {
    /** The texture coordinates that the materials use, by content. */
    const uvs = new Map<string, Stream>();
    const materials: number[] = [];
    return { node, mode: primitive.mode, corners: withUvSets(corners, []), uvs, materials };
  });
  return { json, parts: started };
}

/** The features by which configurations differ. */
interface Outline {
  /** Digest of the drawn shapes and their places, without materials. */
  shape: string;
  /** Digest of the materials, and of the placement of their textures. */
  appearance: string;
  uvs: string[][];
}

/** Configurations that fit in one file. */
interface Group {
  shape: string;
  /** Digests of the texture coordinates that each part uses in any of the configurations. */
  uvs: Set<string>[];
  members: Member[];
}

type Member = VariantSource & Pick<Outline, 'appearance'> & { index: number };

function outlineOf({ frame, parts }: Model): Outline {
  return {
    shape: sha256Hex([frame, ...parts.map(({ node, shape }) => `${node} ${shape}`)].join('\n')),
    appearance: sha256Hex(parts.map(appearanceOf).join('\n')),
    uvs: parts.map((part) => usedUvs(part).map(({ digest }) => digest)),
  };
}

function emptyGroup(groups: Group[], { shape, uvs }: Outline): Group {
  const group = { shape, uvs: uvs.map(() => new Set<string>()), members: [] };
  groups.push(group);
  return group;
}

/** A material with its images by content, so that it can be compared with those of other files. */
interface Look {
  key: string;
  json: Record<string, unknown>;
  uvSets: number[];
}

interface Part {
  node: number;
  primitive: Primitive;
  corners: Corners;
  shape: string;
  look: Look;
}

interface Model {
  json: Gltf;
  /** The parts of the tree of nodes that determine what is drawn where. */
  frame: string;
  parts: Part[];
}

function modelOf(master: Uint8Array): Model {
  const file = readGlb(master);
  const { nodes, meshes, scenes, materials = [] } = file.json;
  const placed = nodes.map(({ children, translation, rotation, scale, matrix }) => [
    ...[children, translation, rotation, scale, matrix],
  ]);
  const looks = materials.map((material) => lookOf(file, material));
  const known = new Map<Primitive, Pick<Part, 'corners' | 'shape'>>();
  const readOnce = (primitive: Primitive) => {
    const before = known.get(primitive);
    if (before !== undefined) return before;
    const corners = cornersOf(file, primitive);
    const made = { corners, shape: `${primitive.mode ?? 4} ${shapeOf(corners)}` };
    known.set(primitive, made);
    return made;
  };
  const parts = nodes.flatMap(({ mesh }, node) =>
    (mesh === undefined ? [] : meshes[mesh]!.primitives).map((primitive) => {
      const look = looks[primitive.material ?? -1] ?? lookOf(file, {});
      return { node, primitive, look, ...readOnce(primitive) };
    }),
  );
  return { json: file.json, frame: JSON.stringify([scenes, placed]), parts };
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

/** The UV set of a texture: its transform may name another set than the texture itself. */
function uvSetOf({ texCoord = 0, extensions }: TextureInfo): number {
  const { KHR_texture_transform: transform } = (extensions ?? {}) as Record<string, TextureInfo>;
  return transform?.texCoord ?? texCoord;
}

/** Whether a configuration has the shape of a group, and no part would need too many sets of texture coordinates. */
function fits(group: Group, { shape, uvs }: Outline): boolean {
  if (group.shape !== shape) return false;
  return uvs.every((used, part) => {
    return new Set([...group.uvs[part]!, ...used]).size <= MOST_UV_SETS;
  });
}

function usedUvs({ corners, look }: Part): Stream[] {
  return look.uvSets.flatMap((set) => uvStream(corners, set) ?? []);
}

function variantsOf(members: readonly Member[]): VariantGroup {
  const looks = [...groupBy(members, ({ appearance }) => appearance).values()];
  const names = namesOf(looks);
  return {
    variants: looks.map((same, i) => {
      return { name: names[i]!, sources: same.map(({ index }) => index) };
    }),
  };
}

/** A text that is equal for parts that look alike if their shapes are equal. */
function appearanceOf({ corners, look }: Part): string {
  const uvs = look.uvSets.map((set) => uvStream(corners, set)?.digest ?? '');
  return [look.key, ...uvs].join(' ');
}

/** The material of a part, which uses the texture coordinates at their new place. */
function materialOf({ corners, look }: Part, uvs: readonly string[]): Record<string, unknown> {
  return mapTextures(look.json, ({ texCoord, extensions = {}, ...info }) => {
    const digest = uvStream(corners, uvSetOf({ texCoord, extensions, ...info }))?.digest;
    const set = Math.max(0, uvs.indexOf(digest ?? ''));
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

/** Names by the differing values, except those that change no look; if these are not unique, with the article number. */
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

/** The properties that divide the groups: a property that differs within a group changes no shape. */
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
