/** The schema of the `convert:` section of a pipeline file, derived from the table of options. */
import { z } from 'zod';
import { IMAGE_FIELDS, readFields } from '../service/wire-material.ts';
import {
  CONVERT_OPTIONS,
  type ConvertOption,
  type ConvertOptions,
} from '../transform/convert-options.ts';
import { MATERIAL_TABLE } from '../transform/material-table.ts';

/** What the material decoder reads as a colour. */
const color = z
  .string()
  .regex(
    /^(?:(?:0x|#)[0-9A-Fa-f]{6}|(?:0(?:\.\d+)?|1(?:\.0+)?)(?: (?:0(?:\.\d+)?|1(?:\.0+)?)){2})$/,
    'expected 0xRRGGBB or three numbers 0..1',
  );
const COLOR_SPELLINGS = 'expected a colour: 0xRRGGBB or three numbers 0..1';

/** A value of a material, as the material decoder reads it; a text such as `0,5` becomes a number. */
function materialValue(field: string) {
  return z
    .union([z.number(), z.string()], 'expected a number or a text')
    .superRefine((value, context) => {
      const { read, complaint } = readValue(field, value);
      if (read !== undefined || complaint === undefined) return;
      const expected = /expected an? \w+/.exec(complaint)?.[0] ?? complaint;
      const message = expected === 'expected a color' ? COLOR_SPELLINGS : expected;
      context.addIssue({ code: 'custom', message });
    })
    .transform((value) => {
      const { read } = readValue(field, value);
      return typeof read === 'number' ? read : value;
    });
}

function readValue(field: string, value: unknown): { read: unknown; complaint?: string } {
  let first: string | undefined;
  const fields = readFields({ [field]: value }, (complaint) => {
    first ??= complaint;
  });
  const read = (fields as Record<string, unknown>)[field];
  return first === undefined ? { read } : { read, complaint: first };
}

const IMAGES: ReadonlySet<string> = new Set(IMAGE_FIELDS);

/** Values of a material by the fields of the material table; images cannot be overridden. */
const materialValues = z.strictObject(
  Object.fromEntries(
    Object.keys(MATERIAL_TABLE)
      .filter((field) => field !== 'mname' && !IMAGES.has(field))
      .map((field) => [field, materialValue(field).optional()]),
  ),
);

const KINDS: { [K in ConvertOption['kind']]: (option: OptionOf<K>) => z.ZodType } = {
  flag: () => z.boolean(),
  choice: ({ choices }) =>
    choices.every((choice) => typeof choice === 'string') ? z.enum(choices) : z.literal(choices),
  number: ({ min, above, max, integer }) => {
    let number: z.ZodNumber = integer ? z.int() : z.number();
    if (min !== undefined) number = number.min(min);
    if (above !== undefined) number = number.gt(above);
    return max === undefined ? number : number.max(max);
  },
  color: () => color,
  patterns: () => z.array(z.string()),
  overrides: () => z.record(z.string(), materialValues),
};

type OptionOf<K> = Extract<ConvertOption, { kind: K }>;

function schemaOf(option: ConvertOption): z.ZodType {
  const kind = KINDS[option.kind] as (option: ConvertOption) => z.ZodType;
  return kind(option).describe(option.doc).prefault(option.default);
}

/** The options of a conversion, every default filled in. */
export const convertSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(CONVERT_OPTIONS).map(([name, option]) => [name, schemaOf(option)]),
  ),
) as unknown as z.ZodType<ConvertOptions, Partial<ConvertOptions>>;
