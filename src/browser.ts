/** The converter in a browser: `btg2gltf/browser`. */
export { openConverter } from './planning/converter.ts';
export type {
  ConvertedModel,
  MissingBody,
  PlanningConverter,
  PlanningSnapshot,
} from './planning/interfaces.ts';
export { imageReferences } from './service/wire-material.ts';
export { decodePartsList } from './service/wire-parts-list.ts';
export { canonicalName } from './service/wire-value.ts';
