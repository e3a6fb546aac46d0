/** The converter in a browser: `btg2gltf/browser`. */

export { imageReferences } from './convert/wire/material.ts';
export { decodePartsList } from './convert/wire/parts-list.ts';
export { canonicalName } from './convert/wire/value.ts';
export { openConverter } from './web/planning/converter.ts';
export type {
  ConvertedModel,
  MissingBody,
  PlanningConverter,
  PlanningSnapshot,
} from './web/planning/state/interfaces.ts';
