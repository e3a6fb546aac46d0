/** Schemas of the options that all pictures have: of articles, and of their finishes. */
import { z } from 'zod';
import { PICTURE_CHOICES, PICTURE_DEFAULTS } from './picture-options.ts';

const BACKGROUND_SPELLINGS = 'expected a colour such as #f4f4f4, or transparent';

/** A side of a picture, pixels. */
export const sideSchema = () => z.int().min(1).max(PICTURE_CHOICES.mostPixelsASide);

/** The format of files. */
export const formatSchema = () =>
  z.enum(PICTURE_CHOICES.formats).default(PICTURE_DEFAULTS.format).describe('of the files');

/** What is behind a model: a colour, or nothing. */
export const backgroundSchema = () =>
  z
    .string()
    .regex(/^(?:#[0-9a-f]{6}|transparent)$/i, BACKGROUND_SPELLINGS)
    .default(PICTURE_DEFAULTS.background);
