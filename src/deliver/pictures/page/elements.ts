/** Creates elements: values become text and attributes, never markup. */

/** An element that the page contains, by its id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/**
 * Makes an element.
 *
 * @param attributes - No event handlers, and only addresses made by `addressOf`.
 * @param children - Empty texts and undefined are left out.
 * @example
 * ```ts
 * element('b', { class: 'name' }, '<i>');   // → <b class="name">&lt;i&gt;</b>
 * ```
 */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== undefined && child !== '').map((c) => c!));
  return made;
}

/** Makes a button. */
export function button(
  text: string,
  attributes: Readonly<Record<string, string>>,
  onClick: () => void,
): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', onClick);
  return made;
}
