/** Answers of getnodes, search and getnodesbreadcrumbs: catalogue nodes and breadcrumbs. */
import type { Breadcrumb, CatalogueNode } from '../../model/catalogue.ts';
import { ConverterError } from '../../support/errors.ts';
import { type DriftReporter, decodeFields, type Field, fields } from './fields.ts';
import { parseJson } from './value.ts';

const { text, identifier } = fields;

const resource: Field<CatalogueNode['resources'][number]> = fields.object({
  restype: text,
  rescontent: text,
});

const NODE = {
  nodeid: identifier,
  text,
  nodetype: fields.oneOf(['F', 'A', 'I']),
  manufacturer: identifier,
  manufacturername: text,
  program: identifier,
  // The numbers have a meaning in articles only.
  basearticlenumber: text,
  variantcode: text,
  // The date exists only on the top level.
  convertdate: fields.optional(text),
  ressources: fields.records(resource),
};
const folder = fields.object(NODE);
const article = fields.object({ ...NODE, basearticlenumber: identifier, variantcode: identifier });

const node: typeof folder = (value, at) => {
  const { nodetype } = (value ?? {}) as { nodetype?: unknown };
  return (String(nodetype).trim().toUpperCase() === 'A' ? article : folder)(value, at);
};

const breadcrumb: Field<Breadcrumb> = fields.object({ nodeid: text, text });

/**
 * Decodes the body of getnodes or search (spec 2.1). A kind of node that the specification does not name becomes
 * an info node, which is neither opened nor converted. A folder may lack its id, an article its number.
 *
 * @throws `RESPONSE_INVALID` if the body is no array of nodes that have a kind.
 */
export function decodeNodes(body: Uint8Array, onDrift?: DriftReporter): CatalogueNode[] {
  const nodes = decodeFields(fields.list(node), parseJson(body), 'nodes', onDrift);
  return nodes.map((node) => ({
    nodeid: node.nodeid,
    text: node.text,
    nodetype: kindOf(node.nodetype),
    manufacturer: node.manufacturer,
    manufacturername: node.manufacturername,
    program: node.program,
    basearticlenumber: node.basearticlenumber,
    variantcode: node.variantcode,
    convertdate: node.convertdate,
    resources: node.ressources,
  }));
}

function kindOf(nodetype: string): CatalogueNode['nodetype'] {
  const kind = nodetype.trim().toUpperCase();
  if (kind === '') {
    const message = 'nodes: expected nodetype F, A or I, received a node without it';
    throw new ConverterError('RESPONSE_INVALID', message);
  }
  return kind === 'F' || kind === 'A' ? kind : 'I';
}

/** Decodes the body of getnodesbreadcrumbs, the path from the root to a folder (spec 2.1). */
export function decodeBreadcrumbs(body: Uint8Array, onDrift?: DriftReporter): Breadcrumb[] {
  return decodeFields(fields.list(breadcrumb), parseJson(body), 'breadcrumbs', onDrift);
}
