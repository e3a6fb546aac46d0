/** The forms in which a configuration can be asked for, and what makes each. */
import type { z } from 'zod';
import { ConverterError } from '../support/errors.ts';
import { didYouMean } from '../support/nearest.ts';
import { PICTURES, USDZ_PROFILE } from './making/names.ts';
import { PICTURE_FORMATS } from './pictures/picture-options.ts';
import { PROFILE_NAMES } from './profiles/profiles.ts';
import { deliverSchema } from './section.ts';

/** What is made of a configuration, by the ending of its file; without a profile, a GLB is the one that a run publishes. */
export type AssetForm =
  | { form: 'glb'; profile?: string }
  | { form: 'usdz' }
  | { form: 'json' }
  /** The picture that the service has of a value of a property, `CLASS.PROPERTY`. */
  | { form: 'swatch'; property: string; value: string }
  | ({ form: keyof typeof PICTURE_FORMATS } & Partial<Shown>);

/** How a picture shows a model; the defaults are those of the pictures of a run. */
interface Shown {
  camera: string;
  /** In place of a camera: a picture of a turn about the model in {@link FRAMES} equal steps, from 1, the front. */
  frame: number;
  /** Pixels. */
  width: number;
  height: number;
  /** `transparent`, or `#` and six hexadecimal digits, sRGB. */
  background: string;
}

/** Pictures of a turn about a model. */
export const FRAMES = 32;

/** The media type of each form. */
export const FORM_TYPES: Readonly<Record<AssetForm['form'], string>> = {
  glb: 'model/gltf-binary',
  usdz: 'model/vnd.usdz+zip',
  json: 'application/json',
  swatch: 'image/jpeg',
  jpg: PICTURE_FORMATS.jpg.mimeType,
  png: PICTURE_FORMATS.png.mimeType,
  webp: PICTURE_FORMATS.webp.mimeType,
  avif: PICTURE_FORMATS.avif.mimeType,
};

/** What makes a form: a delivery, with its section where it is not one of the pipeline. */
export type FormMaker =
  | { kind: 'master' }
  | { kind: 'description' }
  | { kind: 'swatch'; property: string; value: string }
  | { kind: 'delivery'; name: string; section?: object };

/**
 * Finds what makes a form.
 *
 * @throws {@link ConverterError} `USAGE` naming the wrong field, with what it may be.
 */
export function makerOf(form: AssetForm): FormMaker {
  if (form.form === 'json') return { kind: 'description' };
  if (form.form === 'swatch') {
    const { property, value } = form;
    return { kind: 'swatch', property, value };
  }
  if (form.form === 'usdz') return { kind: 'delivery', name: USDZ_PROFILE };
  if (form.form !== 'glb') return picturesOf(form);
  const { profile } = form;
  if (profile === undefined) return { kind: 'master' };
  if (PROFILE_NAMES.some((name) => name === profile)) return { kind: 'delivery', name: profile };
  const expected = `profile: expected one of ${PROFILE_NAMES.join(', ')}`;
  const received = `received ${JSON.stringify(profile)}${didYouMean(profile, PROFILE_NAMES)}`;
  throw new ConverterError('USAGE', `${expected}, ${received}`);
}

function picturesOf({
  form: format,
  camera,
  frame,
  ...shown
}: Extract<AssetForm, { form: keyof typeof PICTURE_FORMATS }>): FormMaker {
  if (camera !== undefined && frame !== undefined) {
    throw new ConverterError('USAGE', 'frame: expected no camera beside it, received both');
  }
  if (frame !== undefined && !(Number.isInteger(frame) && frame >= 1 && frame <= FRAMES)) {
    const message = `frame: expected a whole number from 1 to ${FRAMES}, received ${frame}`;
    throw new ConverterError('USAGE', message);
  }
  const viewed = frame === undefined ? {} : { cameras: [], frames: FRAMES };
  const own = { ...shown, format, ...viewed, ...(camera !== undefined && { cameras: [camera] }) };
  const read = deliverSchema.safeParse({ pictures: own });
  if (read.success) {
    const pictures = { ...read.data.pictures, ...(frame !== undefined && { frame }) };
    return { kind: 'delivery', name: PICTURES, section: { pictures } };
  }
  const [{ path, message }] = read.error.issues as [z.core.$ZodIssue];
  const name = path[1] === 'cameras' ? 'camera' : String(path[1] ?? 'picture');
  throw new ConverterError('USAGE', `${name}: ${message}`);
}
