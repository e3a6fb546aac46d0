/**
 * HTML text: the one place where a text becomes part of the page.
 *
 * In: templates and values. Out: HTML in which every value is a text. What a template says itself is
 * ours; whatever is put into it is escaped, unless it is HTML that was made here.
 *
 * @see D-858.
 */

import { visibleText } from './visible.ts';

/** A piece of finished HTML. */
export interface Html {
  readonly html: string;
}

type Value = Html | string | number | undefined | readonly Value[];

/**
 * Makes HTML of a template; texts are escaped, lists joined, undefined left out.
 *
 * @example
 * ```ts
 * html`<b>${'<i>'}</b>`.html;   // → '<b>&lt;i&gt;</b>'
 * ```
 */
export function html(template: TemplateStringsArray, ...values: Value[]): Html {
  const parts = values.map((value, i) => inPage(value) + template[i + 1]!);
  return { html: template[0]! + parts.join('') };
}

function inPage(value: Value): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  return 'html' in value ? value.html : value.map(inPage).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/**
 * Escapes a text for the content of an element and for an attribute in quotes; what cannot be seen
 * is spelled out, so that no article number looks like another.
 *
 * @example
 * ```ts
 * escapeText('<a>\u202E');   // → '&lt;a&gt;\\u202E'
 * ```
 */
export function escapeText(text: string): string {
  return visibleText(text).replace(/[&<>"'`]/g, (character) => ENTITIES[character]!);
}

/**
 * The address of a file of the output folder, seen from the folder of a run.
 *
 * It is always relative and below the output folder, whatever the path says.
 */
export function outputLink(path: string): string {
  const segments = path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return `../../${segments.map((part) => encodeURIComponent(part.toWellFormed())).join('/')}`;
}
