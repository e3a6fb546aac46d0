/** What a person is to do about each kind of warning. */
import type { WarningCode } from '../../model/warning.ts';
import { type ErrorCode, helpFor, isErrorCode } from '../../support/errors.ts';

/** A warning about the selection requires an action by itself; those about configurations require one by their number. */
export type WarningAction =
  | { of: 'selection'; help: string }
  | { of: 'configurations'; title: string; help: string };

/** It says what was done, and nothing that was asked for is missing. */
const NONE = undefined;

const ASK = 'report it to the manufacturer, whose data it is';
const LANGUAGES =
  'remove a language that is not offered from lang:, or ask the manufacturer for its texts; a new one has to be fetched first';

/** By code; total, so that a new one is decided upon. */
const ACTIONS = {
  CARTS_EMPTY: selection('check the path of the carts, if there should be some'),
  CART_ID_MADE_UP: NONE,
  CART_IS_A_CHILD: NONE,
  CART_WITHOUT_CONFIGURATION: selection('save the cart again, with its configuration'),
  CART_WITHOUT_REINIT: selection('save the cart again: the planning itself is not published'),
  CATALOGUE_CIRCULAR: NONE,
  CATALOGUE_EMPTY: selection('correct the names under catalogue:, or remove them'),
  CONFIGURATIONS_LIMITED: selection('raise max: of this entry, or name fewer properties in each:'),
  LANGUAGE_NOT_OFFERED: selection(LANGUAGES),
  LIMIT_REACHED: selection('run without --limit'),
  LIST_EMPTY: selection('find out why it has no lines, or remove this entry'),
  LIST_LINES_MERGED: selection(
    'if they are different configurations, name the columns finalarticlenumber and reinitstring',
  ),
  OVERRIDE_UNUSED: selection('correct the pattern under overrides:, or remove it'),
  SEARCH_EMPTY: selection('correct the words of the search, or remove this entry'),
  ARTICLE_REPORTED: NONE,
  // It has a list of its own.
  CONFIGURATION_INVALID: NONE,
  META_CHILD_WITHOUT_PLACEMENT: NONE,
  // The failure itself is one.
  REQUEST_FAILED: NONE,
  TEXT_CUT: configurations('a text was cut', 'raise maxTextCharacters in limits:'),
  TRANSLATION_MISSING: configurations('texts of a language are missing', LANGUAGES),
  VARIANT_DIFFERS: configurations(
    'a configuration has another final article number than asked for',
    'correct the numbers where they are listed',
  ),
  BLOCK_INVALID: leftOut('BLOCK_INVALID'),
  BLOCK_MISSING: leftOut('BLOCK_MISSING'),
  IMAGE_MISSING: leftOut('IMAGE_MISSING'),
  IMAGE_REFUSED: leftOut('IMAGE_REFUSED'),
  IMAGE_UNREADABLE: leftOut('IMAGE_UNREADABLE'),
  IMAGE_UNSUPPORTED: leftOut('IMAGE_UNSUPPORTED'),
  BLOCK_EMPTY: NONE,
  BLOCK_UNLISTED: NONE,
  DRIFT: NONE,
  MATERIAL_FIELD_INVALID: NONE,
  MATERIAL_KEY_LEFT_OUT: NONE,
  MATERIAL_KEY_UNKNOWN: NONE,
  MATERIAL_UNKNOWN: configurations('a part of an unknown material is grey', ASK),
  MORE_LOSSES: NONE,
  MORE_WARNINGS: NONE,
  NODE_TYPE_UNKNOWN: NONE,
  OPTION_INVALID: configurations('an option is invalid', 'correct it in convert:'),
  OVERRIDE_INVALID: configurations('an override is invalid', 'correct it in convert:'),
  SCALE_ZERO: NONE,
  TRIANGLES_DROPPED: NONE,
  UVS_UNUSABLE: NONE,
} as const satisfies Record<WarningCode, WarningAction | undefined>;

function selection(help: string): WarningAction {
  return { of: 'selection', help };
}

function configurations(title: string, help: string): WarningAction {
  return { of: 'configurations', title, help };
}

function leftOut(code: ErrorCode): WarningAction {
  return configurations('something was left out', helpFor(code));
}

/**
 * Returns what to do about a warning; undefined if nothing that was asked for is missing. One with the code of an error
 * says what was left out.
 *
 * @example `warningAction('CATALOGUE_EMPTY'); // → { of: 'selection', help: 'correct the names under …' }`
 */
export function warningAction(code: string): WarningAction | undefined {
  if (Object.hasOwn(ACTIONS, code)) return ACTIONS[code as WarningCode];
  return isErrorCode(code) ? leftOut(code) : undefined;
}
