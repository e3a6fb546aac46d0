/**
 * Catalogue: the tree of folders, articles and info nodes that the service shows to a person.
 *
 * Field names are the specification's, but for `resources`.
 *
 * @see Spec 2.1.
 */

/** A picture or document that a catalogue node refers to. */
export interface CatalogueResource {
  /** Resource type; `IT` is a catalogue image. */
  restype: string;
  /** Relative path that starts with `xcf/ressource/`. */
  rescontent: string;
}

/** One node of the catalogue tree. */
export interface CatalogueNode {
  /** Unique id including its path; opaque, usable as the parent of a further listing. */
  nodeid: string;
  /** Display text in the chosen language. */
  text: string;
  /** `F` folder, `A` article, `I` info. */
  nodetype: 'F' | 'A' | 'I';
  manufacturer: string;
  manufacturername: string;
  /** Series id. */
  program: string;
  /** Empty unless the node is an article. */
  basearticlenumber: string;
  /** Resolved article number; empty unless the node is an article. */
  variantcode: string;
  /** `YYYY-MM-DD`; only on the top level, else empty. */
  convertdate: string;
  resources: CatalogueResource[];
}

/** One step of the path from the root to a folder. */
export interface Breadcrumb {
  /** Opaque, as {@link CatalogueNode.nodeid}. */
  nodeid: string;
  /** Display text in the chosen language. */
  text: string;
}
