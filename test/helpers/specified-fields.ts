/** The fields of section 2 of the specification, written out. */

/** Table of the specification → its fields; `wire=ours` where our name is another one. */
export const FIELDS = {
  '2.1 node':
    'nodeid text nodetype manufacturer manufacturername program basearticlenumber variantcode convertdate ressources=resources',
  '2.2 article':
    'id rootid manufacturer program basearticlenumber typename reinit children propclasses metamessages ocd dump debugreinitstring debugiscommercialvalid debugisvisiblepropertieswithvalue',
  '2.2 ocd':
    'id finalarticlenumber price currency pricecomponents shorttext longtext varianttext reinitstring convertdate articlewithprice propclasses usermessages obligatory2c',
  '2.2 property':
    'name text proptype currentvalue enabled visible obligatory obligatory2c addvalues propclassname digits decdigits propertyvalues ranges',
  '2.2 range': 'valuefrom opfrom valueto opto raster',
  '2.3 node':
    'type prop= btgname=blockName offs=offsetMetres rot=rotationDegrees scale mat=material lay=layer params childs=children',
  '2.3 material':
    'mname pic bump roughness_image metallic_image roughness metallic scaleu scalev offsetx offsety bump_scaleu bump_scalev bump_offsetx bump_offsety bump_rot amb dif spe map shi tra luminance refr rot pho mirror refl',
  '2.4 block':
    'N=name P=positionMetres R=rotationDegrees V=positions T=uvs A=surfaces A[].F=triangles A[].TI=uvIndices A[].C=closed',
} as const;
/** Name of a table. */
export type Structure = keyof typeof FIELDS;

/** Specified in sentences, not in tables. */
export const IN_SENTENCES = {
  resource: ['restype', 'rescontent'],
  breadcrumb: ['nodeid', 'text'],
  propertyClass: ['name', 'text', 'properties'],
  propertyValue: ['valuefrom', 'text', 'previewimage', 'previewimagelarge'],
  partsList: ['btg=nodes', 'blocks=blockNames', 'mats=materials'],
};
