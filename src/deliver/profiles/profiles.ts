/** Target profiles: requirements of shops, phones and planners. This table is the only place with their limits. */
import { type GlbFigures, readFigures } from '../making/glb-figures.ts';

/** Formats of textures; `kept` is the format in the master. */
export type TextureFormat = 'kept' | 'jpeg' | 'webp' | 'ktx2';

/** Formats of geometry; all but `plain` also use fewer bits for coordinates. */
export type GeometryFormat = 'plain' | 'meshopt' | 'draco';

export interface Profile {
  /** Sides of textures, pixels. No texture is ever enlarged. */
  textures: { smallest: number; largest: number };
  /** How textures are stored. With WebP, which halves the chroma, normal maps stay JPEG. */
  format: TextureFormat;
  /** Longest side of a normal map, as a share of that of other textures. */
  normalScale: number;
  triangles: number;
  bytes: number;
  /** Number of drawn primitives. Beyond it, parts of one material are joined. */
  drawCalls: number;
  geometry: GeometryFormat;
  /** Whether the file is one GLB, or a `.gltf` whose meshes and textures are files that articles share. */
  files: 'one' | 'shared';
  /** How far a surface may move if there are too many triangles or bytes, millimetres. */
  simplifyMillimetres: number;
  /** Whether a mesh at several places is drawn at once; its parts then have no names, and model-viewer frames them wrongly. */
  instancing: boolean;
  /** The place of the origin: `floor` is below the middle of the bounds. */
  origin: 'kept' | 'floor';
  /** Whether the transforms of textures, and of mirrored and sheared parts, are in the vertices. */
  transforms: 'kept' | 'baked';
  glass: 'transmission' | 'blend';
  /** Whether materials that differ only in their names stay separate. @defaultValue they are merged, and drawn at once */
  keepsMaterialNames?: boolean;
  /** Extensions that a file may use; a reader may ignore them. */
  mayUse: readonly string[];
  /** Extensions that a file may require: a reader must know them. */
  mayRequire: readonly string[];
}

/** A limit that is not known. */
const ANY = Number.POSITIVE_INFINITY;
const MEGABYTE = 1e6;

const SURFACES = [
  'KHR_materials_clearcoat',
  'KHR_materials_emissive_strength',
  'KHR_materials_ior',
  'KHR_materials_sheen',
  'KHR_materials_specular',
];
const GLASS = 'KHR_materials_transmission';
const TRANSFORM = 'KHR_texture_transform';
const INSTANCING = 'EXT_mesh_gpu_instancing';

/** Requirements that fit every reader of plain glTF 2.0 with the usual optional extensions. */
const PLAIN = {
  textures: { smallest: 1, largest: 2048 },
  format: 'jpeg',
  normalScale: 1,
  triangles: ANY,
  bytes: ANY,
  drawCalls: ANY,
  geometry: 'plain',
  files: 'one',
  simplifyMillimetres: 1,
  instancing: false,
  origin: 'kept',
  transforms: 'kept',
  glass: 'transmission',
  mayUse: [...SURFACES, GLASS, TRANSFORM],
  mayRequire: [],
} as const satisfies Profile;

/** The extensions that a file requires for each way to store textures and geometry. */
const REQUIRED: Readonly<Record<TextureFormat | GeometryFormat, readonly string[]>> = {
  kept: [],
  jpeg: [],
  webp: ['EXT_texture_webp'],
  ktx2: ['KHR_texture_basisu'],
  plain: [],
  meshopt: ['EXT_meshopt_compression', 'KHR_mesh_quantization'],
  draco: ['KHR_draco_mesh_compression'],
};

interface WebOptions {
  files: Profile['files'];
  textures: Extract<TextureFormat, 'webp' | 'ktx2'>;
  geometry: Extract<GeometryFormat, 'meshopt' | 'draco'>;
  instancing: boolean;
}

/** The form that every current browser reads with the smallest decoder. */
export const WEB_DEFAULTS: WebOptions = {
  files: 'one',
  textures: 'webp',
  geometry: 'meshopt',
  instancing: false,
};

/**
 * The profile `web` with the options of a pipeline.
 *
 * @example `webProfile({ geometry: 'draco' }).mayRequire; // → ['EXT_texture_webp', 'KHR_draco_mesh_compression']`
 */
export function webProfile(options: Partial<WebOptions>): Profile {
  const { textures: format, ...chosen } = { ...WEB_DEFAULTS, ...options };
  const instances = chosen.instancing ? [INSTANCING] : [];
  const mayRequire = [...REQUIRED[format], ...REQUIRED[chosen.geometry], ...instances];
  // Otherwise normal maps, which repeat every few centimetres, would be half of the bytes of the sample range.
  return { ...PLAIN, ...chosen, format, normalScale: 0.5, keepsMaterialNames: true, mayRequire };
}

/** Every profile. */
export const PROFILES = {
  // Our own choice: what three, Babylon.js and model-viewer read with the decoder of meshopt, which
  // deliver/embed/decoders.ts names, as all others by the extensions that a profile may require.
  web: webProfile(WEB_DEFAULTS),
  // Our own choice: a range stores, and a browser caches, each texture and mesh once; nothing is lost.
  shared: {
    ...PLAIN,
    textures: { smallest: 1, largest: ANY },
    format: 'kept',
    files: 'shared',
    keepsMaterialNames: true,
  },
  // Google, "Scene Viewer": at most 10 MB, textures of 2048, JPEG preferred to PNG.
  'ar-android': {
    ...PLAIN,
    bytes: 10 * MEGABYTE,
    origin: 'floor',
    transforms: 'baked',
    glass: 'blend',
    mayUse: SURFACES,
  },
  // Khronos, 3D Commerce "Asset Creation Guidelines", values of a product in a web page: fewer than 20 draw calls.
  'khronos-commerce': {
    ...PLAIN,
    triangles: 150_000,
    bytes: 3 * MEGABYTE,
    drawCalls: 19,
  },
  // Our own choice: a room of 50 articles stays below 2 million triangles and 50 MB.
  planner: {
    ...PLAIN,
    textures: { smallest: 1, largest: 1024 },
    triangles: 40_000,
    bytes: MEGABYTE,
    simplifyMillimetres: 2,
  },
  // support.google.com/merchants/answer/13674896: at most 15 MB, textures up to 2K; 4K is not supported.
  google: { ...PLAIN, bytes: 15 * MEGABYTE },
  // help.shopify.com, "3D modeling checklist": larger files are reduced by the shop.
  shopify: { ...PLAIN, textures: { smallest: 1, largest: 4096 }, bytes: 15 * MEGABYTE },
  // Amazon Seller Central, requirements of 3D models: fewer than 150,000 triangles, textures of 2048 to 4096.
  amazon: {
    ...PLAIN,
    textures: { smallest: 2048, largest: 4096 },
    triangles: 149_999,
  },
} as const satisfies Record<string, Profile>;

/** Names of profiles, which are also the names of their deliveries. */
export type ProfileName = keyof typeof PROFILES;

/** The names of all profiles, in the order of the table. */
export const PROFILE_NAMES = Object.keys(PROFILES) as [ProfileName, ...ProfileName[]];

export interface Breach {
  limit: keyof typeof LIMITS;
  expected: string;
  received: string;
}

type Check = (figures: GlbFigures, profile: Profile) => Omit<Breach, 'limit'> | undefined;

function atMost(most: number, received: number): Omit<Breach, 'limit'> | undefined {
  if (received <= most) return undefined;
  return { expected: `at most ${most}`, received: String(received) };
}

function within(allowed: readonly string[], names: readonly string[]) {
  const others = names.filter((name) => !allowed.includes(name));
  if (others.length === 0) return undefined;
  return { expected: allowed.join(', ') || 'none', received: others.join(', ') };
}

const ENLARGES_NONE = '; btg2gltf enlarges no texture';

const LIMITS = {
  triangles: ({ triangles }, profile) => atMost(profile.triangles, triangles),
  bytes: ({ bytes }, profile) => atMost(profile.bytes, bytes),
  'draw calls': ({ drawCalls }, profile) => atMost(profile.drawCalls, drawCalls),
  textures: ({ images }, { textures: { smallest, largest } }) => {
    const wrong = images.find(
      ({ width, height }) =>
        Math.min(width, height) < smallest || Math.max(width, height) > largest,
    );
    if (wrong === undefined) return undefined;
    const { name, width, height } = wrong;
    const sides = smallest > 1 ? `${smallest} to ${largest}` : `at most ${largest}`;
    const why = Math.min(width, height) < smallest ? ENLARGES_NONE : '';
    const received = `${width} × ${height} (texture ${name})${why}`;
    return { expected: `${sides} pixels a side`, received };
  },
  'required extensions': ({ extensionsRequired }, { mayRequire }) =>
    within(mayRequire, extensionsRequired),
  extensions: ({ extensionsUsed, extensionsRequired }, { mayUse, mayRequire }) => {
    const optional = extensionsUsed.filter((name) => !extensionsRequired.includes(name));
    return within([...mayUse, ...mayRequire], optional);
  },
} as const satisfies Record<string, Check>;

/**
 * The limits of a profile that a file exceeds; none if the file fits.
 *
 * @example
 * ```ts
 * breachesOf(await readFigures(glb), PROFILES.planner);
 * // → [{ limit: 'triangles', expected: 'at most 40000', received: '51234' }]
 * ```
 */
export function breachesOf(figures: GlbFigures, profile: Profile): Breach[] {
  return Object.entries(LIMITS).flatMap(([limit, check]) => {
    const breach = (check as Check)(figures, profile);
    return breach === undefined ? [] : [{ limit: limit as Breach['limit'], ...breach }];
  });
}

type Breaches = Record<ProfileName, (Breach & { sentence: string })[]>;

/** The figures of a GLB, and the limits of each profile that it exceeds. */
export async function inspectGlb(glb: Uint8Array): Promise<GlbFigures & { breaches: Breaches }> {
  const figures = await readFigures(glb);
  const breaches = PROFILE_NAMES.map((name) => {
    const all = breachesOf(figures, PROFILES[name]);
    return [name, all.map((breach) => ({ ...breach, sentence: breachText(breach) }))] as const;
  });
  return { ...figures, breaches: Object.fromEntries(breaches) as Breaches };
}

/** What to do about breaches that no maker can solve; undefined if one can. */
export function breachHelp(breaches: readonly Breach[]): string | undefined {
  const isTooSmall = breaches.some(({ received }) => received.endsWith(ENLARGES_NONE));
  return isTooSmall ? 'use a model with larger textures, or leave out this profile' : undefined;
}

/** Lists of extensions: the file has too many, which `expected` and `received` do not say. */
const TEXTS: Partial<Record<Breach['limit'], (received: string) => string>> = {
  'required extensions': (names) =>
    `the file requires ${names}, which readers of this profile may not support`,
  extensions: (names) => `the file uses ${names}, which this profile does not allow`,
};

/** A breach as a sentence. */
export function breachText({ limit, expected, received }: Breach): string {
  const text = TEXTS[limit]?.(received) ?? `expected ${expected}, received ${received}`;
  return `${limit}: ${text}`;
}
