/** The tree of folders, articles and info nodes; field names as specified, except `resources`. @see Spec 2.1 */

/** A picture or document of a catalogue node. */
export interface CatalogueResource {
  /** Type of the resource; `IT` is a catalogue image. */
  restype: string;
  /** Relative path, from `xcf/ressource/`. */
  rescontent: string;
}

/** A node of the catalogue. */
export interface CatalogueNode {
  /** Opaque id; the parent of a further listing. */
  nodeid: string;
  /** Label in the chosen language. */
  text: string;
  /** Kind of node: `F` folder, `A` article, `I` info. */
  nodetype: 'F' | 'A' | 'I';
  manufacturer: string;
  manufacturername: string;
  /** Series id. */
  program: string;
  /** Base article number; empty unless the node is an article. */
  basearticlenumber: string;
  /** Final article number; empty unless the node is an article. */
  variantcode: string;
  /** Conversion date, `YYYY-MM-DD`; only on the top level, else empty. */
  convertdate: string;
  resources: CatalogueResource[];
}

/** A step of the path from the root to a folder. */
export type Breadcrumb = Pick<CatalogueNode, 'nodeid' | 'text'>;
