/** Materials of glTF as UsdPreviewSurface, and the losses of this format. */
import type { Material, Texture, TextureInfo } from '@gltf-transform/core';
import type {
  Clearcoat,
  EmissiveStrength,
  IOR,
  Specular,
  Transmission,
} from '@gltf-transform/extensions';
import { luminance } from '../../convert/math/color.ts';
import { blendedGlass } from '../making/glass.ts';
import { type Attribute, type Prim, shaderId } from './usd-layer.ts';
import {
  isSamePlacement,
  type Placement,
  placementOf,
  relativePlacement,
  type StWriter,
  stWriter,
  transformNode,
  untransformed,
} from './usd-placement.ts';

type Rgb = readonly [number, number, number];
type Rgba = readonly [...Rgb, number];

/** An image that gives the values of an input: sample × scale + bias. */
interface ImageUse {
  path: string;
  info: TextureInfo;
  /** Placement relative to the coordinates of the meshes. */
  placement: Placement;
  output: 'r' | 'g' | 'b' | 'a' | 'rgb';
  colorSpace: 'sRGB' | 'raw';
  scale: Rgba;
  bias?: Rgba;
}

/** An input of the surface: an image, or the same value everywhere. */
type Input = { name: string; image?: ImageUse | undefined } & (
  | { type: 'color3f' | 'normal3f'; value?: Rgb }
  | { type: 'float'; value?: number }
);

interface MaterialContext {
  /** The path of a texture's image in the archive; undefined if USDZ cannot contain the image. */
  pathOf(texture: Texture): string | undefined;
  lose(sentence: string): void;
}

export interface UsdMaterial {
  prim: Prim;
  /** The coordinates of glTF that its meshes need, and their conversion to USD; undefined: none. */
  st: { uvSet: number; write: StWriter } | undefined;
}

const READ: ReadonlySet<string> = new Set([
  'KHR_materials_clearcoat',
  'KHR_materials_emissive_strength',
  'KHR_materials_ior',
  'KHR_materials_specular',
  'KHR_materials_transmission',
]);

/** Smallest opacity of glass: readers fade reflections with the opacity, and nothing else shows a clear pane. */
const CLEAREST_OPACITY = 0.1;

/** The refractive index of glTF for a material without one. */
const COMMON_IOR = 1.5;

const WRAPS: Readonly<Record<number, string>> = {
  33071: 'clamp',
  33648: 'mirror',
  10497: 'repeat',
};

/**
 * Writes a material.
 *
 * The transform of its first texture goes into the coordinates of the meshes. The transform of another texture relative
 * to it goes into the material, since readers differ in how they apply one there (Quick Look ignores it:
 * github.com/google/usd_from_gltf, README).
 *
 * @param scope - Path of the prim that contains the materials.
 */
export function usdMaterial(
  material: Material,
  name: string,
  scope: string,
  context: MaterialContext,
): UsdMaterial {
  const lose = (what: string) =>
    context.lose(`material ${JSON.stringify(material.getName())}: ${what}`);
  const path = `${scope}/${name}`;
  for (const { extensionName } of material.listExtensions()) {
    if (!READ.has(extensionName)) lose(`${extensionName} is left out`);
  }
  const inputs = inputsOf(material, { ...context, lose });
  const [first] = inputs.flatMap(({ image }) => image ?? []);
  if (first === undefined) return { prim: materialPrim(path, name, inputs), st: undefined };
  const { uvSet } = first.placement;
  for (const input of inputs) {
    if (input.image === undefined || input.image.placement.uvSet === uvSet) continue;
    lose(`the image of ${input.name} is left out: it lies on a second set of coordinates`);
    input.image = undefined;
  }
  const images = inputs.flatMap(({ image }) => image ?? []);
  const relative = images.map(({ placement }) => relativePlacement(placement, first.placement));
  const isBaked = relative.every((placement) => placement !== undefined);
  const write = stWriter(isBaked ? first.placement : untransformed(uvSet));
  if (isBaked) for (const [i, image] of images.entries()) image.placement = relative[i]!;
  return { prim: materialPrim(path, name, inputs), st: { uvSet, write } };
}

function inputsOf(material: Material, { pathOf, lose }: MaterialContext): Input[] {
  const imageOf = (
    texture: Texture | null,
    info: TextureInfo | null,
    use: Pick<ImageUse, 'output' | 'colorSpace' | 'scale' | 'bias'>,
  ): ImageUse | undefined => {
    const path = texture ? pathOf(texture) : undefined;
    if (texture && path === undefined)
      lose(`an image of ${texture.getMimeType() || 'no type'} is left out`);
    if (path === undefined || info === null) return undefined;
    return { path, info, placement: placementOf(info), ...use };
  };
  const all = (factor: number): Rgba => [factor, factor, factor, factor];
  const number = (
    name: string,
    factor: number,
    texture: Texture | null,
    info: TextureInfo | null,
    output: ImageUse['output'],
  ): Input => ({
    ...{ name, type: 'float', value: factor },
    // A factor of 0 needs no image; three.js and Quick Look ignore the factor of such an image.
    image:
      factor === 0
        ? undefined
        : imageOf(texture, info, { output, colorSpace: 'raw', scale: all(factor) }),
  });

  const { color, opacity } = seenThrough(material, lose);
  const base = material.getBaseColorTexture();
  const emissive = emissiveOf(material);
  const normalScale = material.getNormalScale();
  const occlusion = material.getOcclusionStrength();
  const inputs: Input[] = [
    {
      ...{ name: 'diffuseColor', type: 'color3f', value: color },
      image: imageOf(base, material.getBaseColorTextureInfo(), {
        ...{ output: 'rgb', colorSpace: 'sRGB', scale: [...color, opacity] },
      }),
    },
    number('metallic', material.getMetallicFactor(), ...metallicRoughness(material), 'b'),
    number('roughness', material.getRoughnessFactor(), ...metallicRoughness(material), 'g'),
    {
      ...{ name: 'normal', type: 'normal3f' },
      image: imageOf(material.getNormalTexture(), material.getNormalTextureInfo(), {
        ...{ output: 'rgb', colorSpace: 'raw' },
        scale: [2 * normalScale, 2 * normalScale, 2, 1],
        bias: [-normalScale, -normalScale, -1, 0],
      }),
    },
    {
      ...{ name: 'occlusion', type: 'float' },
      image: imageOf(material.getOcclusionTexture(), material.getOcclusionTextureInfo(), {
        ...{ output: 'r', colorSpace: 'raw', scale: all(occlusion), bias: all(1 - occlusion) },
      }),
    },
    ...clearcoatInputs(material, number, lose),
  ];
  if (emissive.some((value) => value > 0)) {
    inputs.push({
      ...{ name: 'emissiveColor', type: 'color3f', value: emissive },
      image: imageOf(material.getEmissiveTexture(), material.getEmissiveTextureInfo(), {
        ...{ output: 'rgb', colorSpace: 'sRGB', scale: [...emissive, 1] },
      }),
    });
  }
  inputs.push(...opacityInputs(material, opacity, imageOf));
  const ior = iorOf(material, lose);
  if (ior !== COMMON_IOR) inputs.push({ name: 'ior', type: 'float', value: ior });
  return inputs;
}

type Lose = MaterialContext['lose'];

/** The light that comes through glass becomes a part of the background, as for a blended surface. */
function seenThrough(material: Material, lose: Lose): { color: Rgb; opacity: number } {
  const [r, g, b, alpha] = material.getBaseColorFactor();
  const coverage = material.getAlphaMode() === 'OPAQUE' ? 1 : alpha;
  const transmission = material.getExtension<Transmission>('KHR_materials_transmission');
  const share = transmission?.getTransmissionFactor() ?? 0;
  if (share === 0) return { color: [r, g, b], opacity: coverage };
  lose('light that comes through is a part of the background that does not refract');
  if (transmission?.getTransmissionTexture()) lose('the image of the transmission is left out');
  const { color, opacity } = blendedGlass([r, g, b], share, CLEAREST_OPACITY);
  return { color, opacity: opacity * coverage };
}

type Image = readonly [Texture | null, TextureInfo | null];

function metallicRoughness(material: Material): Image {
  return [material.getMetallicRoughnessTexture(), material.getMetallicRoughnessTextureInfo()];
}

function emissiveOf(material: Material): Rgb {
  const strength = material.getExtension<EmissiveStrength>('KHR_materials_emissive_strength');
  const [r, g, b] = material.getEmissiveFactor();
  const times = strength?.getEmissiveStrength() ?? 1;
  return [r * times, g * times, b * times];
}

function clearcoatInputs(
  material: Material,
  number: (name: string, factor: number, ...image: [...Image, ImageUse['output']]) => Input,
  lose: Lose,
): Input[] {
  const coat = material.getExtension<Clearcoat>('KHR_materials_clearcoat');
  if (coat === null || coat.getClearcoatFactor() === 0) return [];
  if (coat.getClearcoatNormalTexture()) lose('the normal map of the clear coat is left out');
  const [texture, info] = [coat.getClearcoatTexture(), coat.getClearcoatTextureInfo()];
  const rough = [
    coat.getClearcoatRoughnessTexture(),
    coat.getClearcoatRoughnessTextureInfo(),
  ] as const;
  return [
    number('clearcoat', coat.getClearcoatFactor(), texture, info, 'r'),
    number('clearcoatRoughness', coat.getClearcoatRoughnessFactor(), ...rough, 'g'),
  ];
}

/** A weaker reflection is expressed by a smaller refractive index. */
function iorOf(material: Material, lose: Lose): number {
  const ior = material.getExtension<IOR>('KHR_materials_ior')?.getIOR() ?? COMMON_IOR;
  const specular = material.getExtension<Specular>('KHR_materials_specular');
  if (specular === null) return ior;
  const strength = specular.getSpecularFactor() * luminance(specular.getSpecularColorFactor());
  if (specular.getSpecularTexture() || specular.getSpecularColorTexture())
    lose('the images of KHR_materials_specular are left out');
  if (strength === 1) return ior;
  lose('KHR_materials_specular is expressed by the refractive index');
  // Fresnel: at a right angle, a surface reflects ((ior - 1) / (ior + 1))².
  const amplitude = (Math.abs(ior - 1) / (ior + 1)) * Math.sqrt(strength);
  const most = 0.99;
  return (1 + Math.min(most, amplitude)) / (1 - Math.min(most, amplitude));
}

function opacityInputs(
  material: Material,
  opacity: number,
  imageOf: (
    ...use: [...Image, Pick<ImageUse, 'output' | 'colorSpace' | 'scale'>]
  ) => ImageUse | undefined,
): Input[] {
  const mode = material.getAlphaMode();
  const base = material.getBaseColorTexture();
  // A JPEG has no alpha channel.
  const hasAlpha = mode !== 'OPAQUE' && base?.getMimeType() !== 'image/jpeg';
  const scale: Rgba = [opacity, opacity, opacity, opacity];
  const image = hasAlpha
    ? imageOf(base, material.getBaseColorTextureInfo(), { output: 'a', colorSpace: 'raw', scale })
    : undefined;
  if (opacity === 1 && image === undefined && mode !== 'MASK') return [];
  const input: Input = { name: 'opacity', type: 'float', value: opacity, image };
  if (mode !== 'MASK') return [input];
  const threshold = material.getAlphaCutoff();
  return [input, { name: 'opacityThreshold', type: 'float', value: threshold }];
}

function materialPrim(path: string, name: string, inputs: readonly Input[]): Prim {
  const surface: Attribute[] = [shaderId('UsdPreviewSurface')];
  const nodes: Prim[] = [];
  for (const { name: input, image, ...given } of inputs) {
    const attribute: Attribute = { ...given, name: `inputs:${input}` };
    if (image !== undefined) {
      const connect = `${path}/${input}_image.outputs:${image.output}`;
      surface.push({ type: given.type, name: attribute.name, connect });
      nodes.push(...imageNodes(path, input, image));
    } else if (given.value !== undefined) surface.push(attribute);
  }
  surface.push({ type: 'int', name: 'inputs:useSpecularWorkflow', value: 0 });
  surface.push({ type: 'token', name: 'outputs:surface' });
  const reader: Prim = {
    ...{ type: 'Shader', name: 'coordinates' },
    properties: [
      shaderId('UsdPrimvarReader_float2'),
      { type: 'string', name: 'inputs:varname', value: 'st' },
      { type: 'float2', name: 'outputs:result' },
    ],
  };
  return {
    ...{ type: 'Material', name },
    properties: [
      { type: 'token', name: 'outputs:surface', connect: `${path}/surface.outputs:surface` },
    ],
    children: [
      { type: 'Shader', name: 'surface', properties: surface },
      ...(nodes.length > 0 ? [reader] : []),
      ...nodes,
    ],
  };
}

function imageNodes(path: string, input: string, image: ImageUse): Prim[] {
  const { info, placement, output, colorSpace, scale, bias } = image;
  const coordinates = `${path}/coordinates.outputs:result`;
  const isPlain = isSamePlacement(placement, untransformed(placement.uvSet));
  const transform = `${input}_transform`;
  const properties: Attribute[] = [
    shaderId('UsdUVTexture'),
    { type: 'asset', name: 'inputs:file', value: image.path },
    { type: 'token', name: 'inputs:sourceColorSpace', value: colorSpace },
    {
      ...{ type: 'float2', name: 'inputs:st' },
      connect: isPlain ? coordinates : `${path}/${transform}.outputs:result`,
    },
    { type: 'token', name: 'inputs:wrapS', value: WRAPS[info.getWrapS()] ?? 'repeat' },
    { type: 'token', name: 'inputs:wrapT', value: WRAPS[info.getWrapT()] ?? 'repeat' },
  ];
  if (scale.some((value) => value !== 1))
    properties.push({ type: 'float4', name: 'inputs:scale', value: scale });
  if (bias?.some((value) => value !== 0))
    properties.push({ type: 'float4', name: 'inputs:bias', value: bias });
  const result = output === 'rgb' ? 'float3' : 'float';
  properties.push({ type: result, name: `outputs:${output}` });
  const node: Prim = { type: 'Shader', name: `${input}_image`, properties };
  return isPlain ? [node] : [transformNode(placement, transform, coordinates), node];
}
