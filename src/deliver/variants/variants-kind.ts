/** Files with all finishes of an article as a kind of delivery. */
import { z } from 'zod';
import { acceptSchema, kind } from '../making/kind.ts';
import { VARIANTS } from '../making/names.ts';

/** `deliver: variants:`. */
export const variantsKind = kind({
  schema: () =>
    z
      .union([z.boolean(), z.strictObject({ accept: acceptSchema() })])
      .default(false)
      .describe(
        'one file with all finishes of an article, below variants/: true, or { accept: … }',
      ),
  names: [VARIANTS],
  async open(wanted, opening) {
    if (wanted === false) return [];
    const { openVariants } = await import('./publish-variants.ts');
    return [openVariants(wanted === true ? [] : wanted.accept, opening)];
  },
  async functions(wanted) {
    if (wanted === false) return new Map();
    const { groupVariants, combineVariants } = await import('./variants.ts');
    return new Map([[VARIANTS, { group: groupVariants, combine: combineVariants }]]);
  },
});
