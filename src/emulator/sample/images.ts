/**
 * The images of GET materials, preview and ressource: files of `images/`, which `npm run sample-images` draws.
 *
 * Two manufacturers that use the same texture get the same bytes.
 */
import { join } from 'node:path';
import { readBytes } from '../../support/files.ts';
import { packageFile } from '../../support/package-file.ts';
import { imageName } from './catalogue.ts';
import type { EmulatedRange } from './range.ts';
import { ARTICLES, MANUFACTURERS } from './series/range.ts';

const BRUSHED = { GEBÜRSTET_N: 'brushedNormal', GEBÜRSTET_R: 'brushedRoughness' };
const CLOTH = { STOFF_N: 'fabricNormal', STOFF_R: 'fabricRoughness' };
const LEATHER = {
  LEDER_COGNAC: 'leatherCognac',
  LEDER_N: 'leatherNormal',
  LEDER_R: 'leatherRoughness',
};

/** The textures of each manufacturer: the name of GET materials → the texture. */
export const TEXTURES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  FJEL: {
    EICHE: 'oak',
    EICHE_RAU: 'oakRoughness',
    NUSSBAUM: 'walnut',
    BUCHE: 'beech',
    FILZ_GRAU: 'feltGrey',
    FILZ_BLAU: 'feltBlue',
    FILZ_OCKER: 'feltOchre',
    FILZ_N: 'feltNormal',
    LOCHBLECH: 'perforated',
    LOCHBLECH_M: 'perforatedMetallic',
    LOCHBLECH_N: 'perforatedNormal',
    LOCHBLECH_R: 'perforatedRoughness',
    ...BRUSHED,
    STOFF_GRAU: 'fabricGrey',
    STOFF_N: 'fabricNormal',
  },
  BRNK: {
    STOFF_PETROL: 'fabricPetrol',
    STOFF_GRAU: 'fabricGrey',
    STOFF_ROST: 'fabricRust',
    ...CLOTH,
    ...LEATHER,
    LEDER_SCHWARZ: 'leatherBlack',
    BUCHE: 'beech',
    EICHE: 'oak',
    NETZ: 'mesh',
    RAUM: 'room',
    ...BRUSHED,
  },
  AULI: {
    'EICHE NATUR': 'oak',
    NUSSBAUM: 'walnut',
    ESCHE: 'ash',
    STOFF_SAND: 'fabricSand',
    STOFF_MOOS: 'fabricMoss',
    STOFF_ROST: 'fabricRust',
    ...CLOTH,
    ...LEATHER,
    TERRAZZO: 'terrazzo',
    ...BRUSHED,
  },
};

/** A path below `images/`. Paths are in ASCII, which every file system keeps unchanged. */
const texturePath = (texture: string): string => `textures/${texture}.jpg`;

/** The image operations of a range that answer with a file. Each image is read at its first request, and kept. */
export function createImages(): Required<Pick<EmulatedRange, 'material' | 'preview' | 'resource'>> {
  const [previews, resources] = [previewPaths(), resourcePaths()];
  const known = new Map<string, Promise<Uint8Array>>();
  const imageOf = async (path: string | undefined): Promise<Uint8Array | undefined> => {
    if (path === undefined) return undefined;
    const image = known.get(path) ?? readImage(path);
    known.set(path, image);
    return image;
  };
  return {
    material(manufacturer, name) {
      const texture = textureOf(manufacturer, name);
      return imageOf(texture && texturePath(texture));
    },
    preview: (...names) => imageOf(previews.get(names.join('/'))),
    async resource(segments) {
      const [language, name] = segments.slice(-2);
      if (!/^(?:any|[a-z]{2})$/.test(language ?? '')) return undefined;
      return imageOf(resources.get([...segments.slice(0, -2), name].join('/')));
    },
  };
}

/** Reads an image by its path below `images/`. */
export function readImage(path: string): Promise<Uint8Array> {
  return readBytes(imageFile(path));
}

/** The file of an image. */
export function imageFile(path: string): string {
  return packageFile(join('src/emulator/sample/images', path));
}

/** The path of every image, each once, sorted. */
export function imagePaths(): string[] {
  const textures = Object.values(TEXTURES).flatMap((names) => Object.values(names));
  const paths = [...textures.map(texturePath), ...previewPaths().values()];
  return [...new Set([...paths, ...resourcePaths().values()])].sort();
}

function textureOf(manufacturer: string, name: string): string | undefined {
  const names = Object.hasOwn(TEXTURES, manufacturer) ? TEXTURES[manufacturer]! : {};
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

/** The preview of each property value, small and large, by `<manufacturer>/<program>/<file name>`. */
function previewPaths(): Map<string, string> {
  const paths = new Map<string, string>();
  for (const { manufacturer, program, properties } of ARTICLES) {
    for (const { preview } of properties.flatMap((property) => property.choices ?? [])) {
      if (preview === undefined) continue;
      const texture = textureOf(manufacturer, preview.replace(/\.JPG$/, ''));
      if (texture === undefined) throw new Error(`sample range: no texture for ${preview}`);
      const folder = `${manufacturer}/${program}`;
      paths.set(`${folder}/${preview}`, `previews/small/${texture}.jpg`);
      paths.set(`${folder}/L_${preview}`, `previews/large/${texture}.jpg`);
    }
  }
  return paths;
}

/** Logos and catalogue images by `<manufacturer>/[<program>/]<file name>`; the language does not matter. */
function resourcePaths(): Map<string, string> {
  const paths = new Map<string, string>();
  for (const { id, series } of MANUFACTURERS) {
    paths.set(`${id}/LOGO.PNG`, `catalogue/${id}/logo.png`);
    paths.set(`${id}/INFO.JPG`, `catalogue/${id}/info.jpg`);
    for (const { program, articles } of series) {
      const folder = `${id}/${program}`;
      for (const article of articles) {
        const path = `catalogue/${folder}/${encodeURIComponent(article.number)}.jpg`;
        paths.set(`${folder}/${imageName(article)}`, path);
        if (article === articles[0]) paths.set(`${folder}/${program}.JPG`, path);
      }
    }
  }
  return paths;
}
