/** Answers of a service about articles that are made up. */
import type { Json } from '../../src/emulator/sample/range.ts';

/** The smallest JPEG that is one: 1 × 1, grey. */
export const GREY_JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z',
  'base64',
);

/** The answer of GET articles about one without properties and children, with what is different in its `ocd`. */
export function articleAnswer(
  ids: { basearticlenumber: string; [name: string]: unknown },
  ocd: Json = {},
) {
  const id = ids.basearticlenumber;
  const own = { id, finalarticlenumber: id, reinitstring: '', ...ocd };
  return { id, rootid: id, ...ids, reinit: '', children: [], propclasses: [], ocd: own };
}
