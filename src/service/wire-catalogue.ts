/**
 * Catalogue answers: getnodes, search and getnodesbreadcrumbs as model types.
 *
 * In: raw bodies. Out: nodes and breadcrumbs, every field filled in. It must not know who asked.
 */
import { z } from 'zod';
import type { Breadcrumb, CatalogueNode, CatalogueResource } from '../model/catalogue.ts';
import { ConverterError } from '../support/errors.ts';
import { type DriftReporter, findDrift, mayLack, oneOf } from './wire-drift.ts';
import { checkShape, list, object, parseJson, text } from './wire-fields.ts';

const resource: z.ZodType<CatalogueResource> = object({ restype: text(), rescontent: text() });

const node = object({
  nodeid: text(),
  text: text(),
  nodetype: oneOf(text(), 'F', 'A', 'I'),
  manufacturer: text(),
  manufacturername: text(),
  program: text(),
  basearticlenumber: text(),
  variantcode: text(),
  // Only on the top level.
  convertdate: mayLack(text()),
  ressources: list(resource),
});

const breadcrumb: z.ZodType<Breadcrumb> = object({ nodeid: text(), text: text() });

/**
 * Decodes an array of catalogue nodes.
 *
 * A kind of node that the specification does not name is taken for an info node: there is nothing
 * in it to walk into or to convert.
 *
 * @param body - Raw body of getnodes or search.
 * @param onDrift - Told of what had to be tolerated.
 * @throws {@link ConverterError} `RESPONSE_INVALID` if the body is no array of nodes, or a folder has no id.
 *
 * @example
 * ```ts
 * decodeNodes(utf8('[{"nodeid":"ACME;:DESK@1","text":"Desks","nodetype":"F"}]'));
 * // → [{ nodeid: 'ACME;:DESK@1', text: 'Desks', nodetype: 'F', manufacturer: '', …, resources: [] }]
 * ```
 *
 * @see Spec 2.1.
 */
export function decodeNodes(body: Uint8Array, onDrift?: DriftReporter): CatalogueNode[] {
  const value = parseJson(body);
  const nodes = checkShape(z.array(node), value, 'nodes');
  if (onDrift !== undefined) findDrift(list(node), value, 'nodes', onDrift);
  return nodes.map((wire, index) => {
    const { ressources, ...fields } = wire;
    const nodetype = kindOf(wire.nodetype);
    if (nodetype === 'F' && wire.nodeid === '') {
      const message = `nodes[${index}].nodeid: expected the id of a folder, received nothing`;
      throw new ConverterError('RESPONSE_INVALID', message);
    }
    return { ...fields, nodetype, resources: ressources };
  });
}

function kindOf(nodetype: string): CatalogueNode['nodetype'] {
  const kind = nodetype.trim().toUpperCase();
  return kind === 'F' || kind === 'A' ? kind : 'I';
}

/**
 * Decodes the path from the root to a folder.
 *
 * @param body - Raw body of getnodesbreadcrumbs.
 * @param onDrift - Told of what had to be tolerated.
 * @throws {@link ConverterError} `RESPONSE_INVALID` if the body is no array of breadcrumbs.
 *
 * @example
 * ```ts
 * decodeBreadcrumbs(utf8('[{"nodeid":"ACME;:DESK@1","text":"Desks"}]'));
 * // → [{ nodeid: 'ACME;:DESK@1', text: 'Desks' }]
 * ```
 *
 * @see Spec 2.1.
 */
export function decodeBreadcrumbs(body: Uint8Array, onDrift?: DriftReporter): Breadcrumb[] {
  const value = parseJson(body);
  const breadcrumbs = checkShape(z.array(breadcrumb), value, 'breadcrumbs');
  if (onDrift !== undefined) findDrift(list(breadcrumb), value, 'breadcrumbs', onDrift);
  return breadcrumbs;
}
