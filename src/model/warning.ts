/** Warnings: findings that a person may have to check, and that did not stop the article. */

/** Codes of warnings. Codes about bodies are also codes of errors, if the article fails because of them. */
export type WarningCode =
  // Warnings about the selection.
  | 'CARTS_EMPTY'
  | 'CART_ID_MADE_UP'
  | 'CART_IS_A_CHILD'
  | 'CART_WITHOUT_CONFIGURATION'
  | 'CART_WITHOUT_REINIT'
  | 'CATALOGUE_CIRCULAR'
  | 'CATALOGUE_EMPTY'
  | 'CONFIGURATIONS_LIMITED'
  | 'LANGUAGE_NOT_OFFERED'
  | 'LIMIT_REACHED'
  | 'LIST_EMPTY'
  | 'LIST_LINES_MERGED'
  | 'OVERRIDE_UNUSED'
  | 'SEARCH_EMPTY'
  // Warnings about the record of a survey.
  | 'SURVEY_CONTRADICTED'
  | 'SURVEY_NOT_COMPARED'
  // Warnings about a configuration and what the service reports about it.
  | 'ARTICLE_REPORTED'
  | 'CONFIGURATION_INVALID'
  | 'META_CHILD_WITHOUT_PLACEMENT'
  | 'REQUEST_FAILED'
  | 'TEXT_CUT'
  | 'TRANSLATION_MISSING'
  | 'VARIANT_DIFFERS'
  // Warnings about bodies that are left out of the model.
  | 'BLOCK_INVALID'
  | 'BLOCK_MISSING'
  | 'IMAGE_MISSING'
  | 'IMAGE_REFUSED'
  | 'IMAGE_UNREADABLE'
  | 'IMAGE_UNSUPPORTED'
  // Warnings about the model.
  | 'BLOCK_EMPTY'
  | 'BLOCK_UNLISTED'
  | 'DRIFT'
  | 'MATERIAL_FIELD_INVALID'
  | 'MATERIAL_KEY_LEFT_OUT'
  | 'MATERIAL_KEY_UNKNOWN'
  | 'MATERIAL_UNKNOWN'
  | 'MORE_LOSSES'
  | 'MORE_WARNINGS'
  | 'NODE_TYPE_UNKNOWN'
  | 'OPTION_INVALID'
  | 'OVERRIDE_INVALID'
  | 'SCALE_ZERO'
  | 'TRIANGLES_DROPPED'
  | 'UVS_UNUSABLE';

/** A finding that a person should check, and that did not stop the article. */
export interface Warning {
  code: WarningCode;
  message: string;
}
