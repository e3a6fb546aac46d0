/** The feed for an ERP: a table of final article numbers, in the dialect of CSV that it reads. */
import { type Cell, type CsvDialect, csvRow } from './delimited.ts';
import type { Article, Product } from './product.ts';

/** The byte order mark by which Excel recognizes UTF-8. */
const BOM = '\ufeff';

/** Dialects by name: `excel-de` is what Excel opens where numbers have a decimal comma. */
export const ERP_DIALECTS = {
  rfc4180: { delimiter: ',', decimal: '.', lineBreaks: 'keep', bom: false },
  'excel-de': { delimiter: ';', decimal: ',', lineBreaks: 'space', bom: true },
  'excel-en': { delimiter: ',', decimal: '.', lineBreaks: 'space', bom: true },
} as const satisfies Record<string, CsvDialect & { bom: boolean }>;

/** How `erp.csv` is written; what is given besides `dialect` differs from it. */
export interface ErpOptions {
  dialect: keyof typeof ERP_DIALECTS;
  delimiter?: ',' | ';' | 'tab' | undefined;
  decimal?: '.' | ',' | undefined;
  lineBreaks?: 'keep' | 'space' | undefined;
  bom?: boolean | undefined;
  /** `keep` for a program that reads texts as they are: a person must not open the file in a spreadsheet then. */
  formulas?: 'escape' | 'keep' | undefined;
}

interface Row {
  article: Article;
  product: Product;
}

/** The columns; paths are relative to the output folder, and contain no space. */
const COLUMNS: Readonly<Record<string, (row: Row) => Cell>> = {
  manufacturer: ({ product: { line } }) => line.manufacturer,
  program: ({ product: { line } }) => line.program,
  manufacturername: ({ article }) => article.brand,
  programname: ({ article }) => article.series,
  basearticlenumber: ({ product: { line } }) => line.basearticlenumber,
  finalarticlenumber: ({ product: { line } }) => line.finalarticlenumber,
  reinitstring: ({ product: { line } }) => line.reinitstring,
  metareinitstring: ({ product: { line } }) => line.metareinitstring,
  id: ({ product }) => product.id,
  shorttext: ({ product: { line } }) => line.shorttext,
  longtext: ({ product: { line } }) => line.longtext,
  varianttext: ({ product: { line } }) => line.varianttext,
  price: ({ product: { line } }) => line.price,
  currency: ({ product: { line } }) => line.currency,
  widthMillimetres: ({ product: { sizeMillimetres } }) => sizeMillimetres?.width ?? null,
  depthMillimetres: ({ product: { sizeMillimetres } }) => sizeMillimetres?.depth ?? null,
  heightMillimetres: ({ product: { sizeMillimetres } }) => sizeMillimetres?.height ?? null,
  picture: ({ product }) => product.pictures[0]?.path ?? null,
  pictureUrl: ({ product: { pictures, addressOf } }) => addressOf(pictures[0]),
  glb: ({ product: { line } }) => line.glb,
  glbUrl: ({ product: { models, addressOf } }) => addressOf(models[0]),
  models: ({ product: { models } }) => models.map(({ path }) => path).join(' '),
};

/** The first row. */
export function erpHead(options: ErpOptions | undefined): string {
  const { bom, ...dialect } = dialectOf(options);
  return `${bom ? BOM : ''}${csvRow(Object.keys(COLUMNS), dialect)}`;
}

/** The row of a configuration. */
export function erpRow(row: Row, options: ErpOptions | undefined): string {
  return csvRow(
    Object.values(COLUMNS).map((cell) => cell(row)),
    dialectOf(options),
  );
}

function dialectOf(options: ErpOptions = { dialect: 'rfc4180' }): CsvDialect & { bom: boolean } {
  const { dialect, delimiter, decimal, lineBreaks, bom, formulas } = options;
  const preset = ERP_DIALECTS[dialect];
  return {
    delimiter: delimiter === 'tab' ? '\t' : (delimiter ?? preset.delimiter),
    decimal: decimal ?? preset.decimal,
    lineBreaks: lineBreaks ?? preset.lineBreaks,
    bom: bom ?? preset.bom,
    isForSpreadsheets: formulas !== 'keep',
  };
}
