/** A published GLB, and the lines of manifest and catalogue that describe it. */
import type { ArticleKey, ArticleRequest } from './article.ts';
import type { Bounds, GeometryCounts, Loss } from './scene.ts';
import type { Digest } from './snapshot.ts';
import type { Warning } from './warning.ts';

/** What this run did with a configuration. */
export type AssetStatus = 'converted' | 'unchanged' | 'skipped' | 'failed';

/** The figures of one GLB; kept for unchanged articles too. */
export interface AssetFigures {
  /** Path of the hard link below the output folder, with `/`. */
  glb: string;
  sha256: Digest;
  bytes: number;
  triangles: number;
  drawCalls: number;
  materials: number;
  textures: number;
  boundsMetres: Bounds;
}

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

/** The counts of geometry that lost and changed nothing, in the order of the report. */
export const NO_GEOMETRY_COUNTS: Readonly<GeometryCounts> = {
  droppedTriangles: 0,
  duplicateTriangles: 0,
  flippedSurfaces: 0,
  splitVertices: 0,
  droppedLayers: 0,
  skippedNodes: 0,
};

/** The names of the counts of geometry, in the order of the report. */
export const GEOMETRY_COUNTS = Object.keys(NO_GEOMETRY_COUNTS) as readonly (keyof GeometryCounts)[];

/** A GLB as it was built: everything of a line that its content alone decides. */
export interface Built extends Omit<AssetFigures, 'glb'> {
  losses: Loss[];
  warnings: Warning[];
  /** For the report, not for a line; undefined if the cache does not have them. */
  counts?: GeometryCounts | undefined;
  /** As in its scene; for the report, too. */
  usedOverrides?: readonly string[] | undefined;
}

/** A request, and of what its line is made. */
export interface ListedRequest extends ArticleRequest {
  /**
   * Digest of the answers, in each language, from which catalogue, date and warnings of the line come, and of the options
   * that shape them. Missing of a request that failed, and in lines of an older version.
   */
  answers?: Digest | undefined;
}

/** One line of `manifest.jsonl`: one configuration. */
export interface ManifestLine extends ArticleKey, Partial<AssetFigures> {
  status: AssetStatus;
  /** `YYYY-MM-DD`, or empty. */
  convertdate: string;
  /** Digest of all inputs, all options and the converter's version. */
  source: Digest;
  losses: Loss[];
  warnings: Warning[];
  /** Every request that resolved to this configuration. */
  requested: ListedRequest[];
  /** Only carts select it: it counts apart, and no gate compares it. */
  onlyCarts?: true | undefined;
  /** Of a skipped configuration: why it has no GLB. */
  reason?: { code: string; message: string };
  error?: { code: string; message: string };
  /** The GLB that stays published while its configuration fails; the next one is compared with its figures. */
  lastGood?: Pick<AssetFigures, 'glb' | 'sha256'> & Partial<AssetFigures>;
}

/** One line of `catalogue.jsonl`: what a shop shows beside the GLB; values are display texts too. */
export interface CatalogueLine extends ArticleKey {
  shorttext: string;
  longtext: string;
  varianttext: string;
  /** Null where there is none. */
  price: number | null;
  currency: string;
  /** As the service sends them: their structure is not specified. */
  pricecomponents: unknown;
  properties: { class: string; name: string; text: string; value: string; valueText: string }[];
  /** Whether every property has a value that needs one. */
  complete: boolean;
  /** `CLASS.PROPERTY` of those that have none; of a child `NUMBER/CLASS.PROPERTY`. */
  missing: string[];
  /** Of the GLB; null without one, as are the two below. */
  sizeMillimetres: { width: number; depth: number; height: number } | null;
  /** Path below the output folder; of a failed configuration, of its last good GLB. */
  glb: string | null;
  sha256: Digest | null;
}

/** What a line of the catalogue takes from the article. */
export type CatalogueEntry = Omit<CatalogueLine, keyof ArticleKey | GlbField>;
type GlbField = 'sizeMillimetres' | 'glb' | 'sha256';

/** What of a configuration may change. `delivery`: files other than its GLB and its pictures. */
export const PARTS = ['model', 'picture', 'delivery', 'price', 'text', 'properties'] as const;
/** One of {@link PARTS}. */
export type Part = (typeof PARTS)[number];

/** Why a configuration was or was not built. */
export interface Decision {
  /**
   * What decided, the cheapest first: nothing was requested (`kept`); the parts list was, or blocks and
   * images too, and they are the same. The values are stored in the database.
   */
  tier: 'kept' | 'parts-list' | 'digest' | 'built' | 'skipped' | 'failed';
  /** Reasons in words if it was built; else empty. */
  why: string[];
}
