/** Names of deliveries that several rooms know. No Node: the page of the gallery uses them. */

/** Stands for a delivery where a file is the GLB of the conversion. */
export const MASTER = 'master';

/** Name of the delivery of pictures. */
export const PICTURES = 'pictures';

/** Name of the delivery of files with several finishes. */
export const VARIANTS = 'variants';
