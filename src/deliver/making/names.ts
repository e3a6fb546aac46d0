/** Names of deliveries that several parts use. No imports from Node: the page of the gallery uses this file. */

/** Replaces the name of a delivery if a file is the GLB of the conversion. */
export const MASTER = 'master';

/** Name of the delivery of pictures. */
export const PICTURES = 'pictures';

/** Name of the delivery of pictures of finishes. */
export const SWATCHES = 'swatches';

/** Name of the delivery of pages that show an article. */
export const EMBED = 'embed';

/** Name of the delivery of files with several finishes. */
export const VARIANTS = 'variants';

/** Name of the profile for pages on the web, which is that of its delivery. */
export const WEB_PROFILE = 'web';

/** Name of the delivery of USDZ files, which is that of their profile. */
export const USDZ_PROFILE = 'ar-ios';
