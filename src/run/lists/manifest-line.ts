/** The lines of manifest and catalogue that describe a published GLB. */
import type { ArticleKey, ArticleRequest } from '../../model/article.ts';
import {
  type AssetFigures,
  type GeometryCounts,
  type Loss,
  NO_GEOMETRY_COUNTS,
} from '../../model/asset.ts';
import {
  type ArticleId,
  articleLabel,
  compareConfigurations,
  configurationKey,
  configurationLabel,
} from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import type { Warning } from '../../model/warning.ts';

/** Outcome of a configuration in this run. */
export type AssetStatus = 'converted' | 'unchanged' | 'skipped' | 'failed';

/** The names of the counts of geometry, in the order of the report. */
export const GEOMETRY_COUNTS = Object.keys(NO_GEOMETRY_COUNTS) as readonly (keyof GeometryCounts)[];

/** The figures in the order in which a manifest line lists them. */
export const FIGURE_FIELDS = Object.keys({
  glb: true,
  sha256: true,
  bytes: true,
  triangles: true,
  drawCalls: true,
  materials: true,
  textures: true,
  boundsMetres: true,
} satisfies Record<keyof AssetFigures, true>) as readonly (keyof AssetFigures)[];

/** A request, and the sources of its line. */
export interface ListedRequest extends ArticleRequest {
  /**
   * Digest of the answers, in each language, from which catalogue, date and warnings of the line come, and of the options
   * that shape them. Missing if the request failed, and in lines of an older version.
   */
  answers?: Digest | undefined;
}

/** One line of `manifest.jsonl`: one configuration. */
export interface ManifestLine extends ArticleKey, Partial<AssetFigures> {
  status: AssetStatus;
  /** Conversion date: `YYYY-MM-DD`, or empty. */
  convertdate: string;
  /** Digest of all inputs, all options and the converter's version. */
  source: Digest;
  losses: Loss[];
  warnings: Warning[];
  /** Every request that resolved to this configuration. */
  requested: ListedRequest[];
  /** Whether only carts select the configuration: then it counts apart, and no gate compares it. */
  onlyCarts?: true | undefined;
  /** Reason why a skipped configuration has no GLB. */
  reason?: { code: string; message: string };
  error?: { code: string; message: string };
  /** The GLB that stays published while its configuration fails; the next GLB is compared with its figures. */
  lastGood?: Pick<AssetFigures, 'glb' | 'sha256'> & Partial<AssetFigures>;
}

/** What the catalogue of the service calls an article's place, in the first language; empty if it has no name. */
export interface CatalogueNames {
  manufacturername: string;
  programname: string;
  /** Kind of furniture, such as `Chairs`: the folder of the article within its series or manufacturer. */
  category: string;
}

/** One line of `catalogue.jsonl`: the data that a shop shows with the GLB; values are display texts too. */
export interface CatalogueLine extends ArticleKey, CatalogueNames {
  shorttext: string;
  longtext: string;
  varianttext: string;
  /** Price; null if there is none. */
  price: number | null;
  currency: string;
  /** Price components as the service sends them: their structure is not specified. */
  pricecomponents: unknown;
  properties: { class: string; name: string; text: string; value: string; valueText: string }[];
  /** Whether every property that needs a value has one. */
  complete: boolean;
  /** `CLASS.PROPERTY` of those without a value; for a child `NUMBER/CLASS.PROPERTY`. */
  missing: string[];
  /** Size of the GLB; null without a GLB, like the next two fields. */
  sizeMillimetres: { width: number; depth: number; height: number } | null;
  /** Path below the output folder; for a failed configuration, of its last good GLB. */
  glb: string | null;
  sha256: Digest | null;
}

/** The fields of a catalogue line that come from the article. */
export type CatalogueEntry = Omit<
  CatalogueLine,
  keyof ArticleKey | keyof CatalogueNames | GlbField
>;
type GlbField = 'sizeMillimetres' | 'glb' | 'sha256';

/** The parts of a configuration that may change. `delivery`: files other than its GLB and its pictures. */
export const PARTS = ['model', 'picture', 'delivery', 'price', 'text', 'properties'] as const;
/** One of {@link PARTS}. */
export type Part = (typeof PARTS)[number];

/** Returns requests once each, in the order of {@link compareConfigurations}. */
export function uniqueRequests<T extends ArticleRequest>(requests: readonly T[]): T[] {
  const byKey = new Map(requests.map((request) => [configurationKey(request), request]));
  return [...byKey.values()].sort(compareConfigurations);
}

/** Returns the labels that a glob may match: by base number and, if there is one, by final number. */
export function configurationLabels(id: ArticleId & { finalarticlenumber?: string }): string[] {
  return [...new Set([articleLabel(id), configurationLabel(id)])];
}
