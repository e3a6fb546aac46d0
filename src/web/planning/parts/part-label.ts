/** The label of a part: its name and, if it is selected, the motion of a drag. */
import { element } from '../../../deliver/pictures/page/elements.ts';
import type { ViewTexts } from '../state/interfaces.ts';
import type { Motion } from './part-shape.ts';

const EDGE_PIXELS = 4;
/** Distance of the label above the middle of its part, which a person holds. */
const ABOVE_PIXELS = 22;

/** The label of a view for all its parts; hidden at first. */
export class PartLabel {
  readonly element: HTMLElement;
  readonly #texts: ViewTexts;
  readonly #name = element('span', { class: 'name', 'aria-hidden': 'true' });
  /** Arrows that show that keys select another part. */
  readonly #order = element('span', { class: 'order', 'aria-hidden': 'true' });
  readonly #buttons: Readonly<Record<Motion['kind'], HTMLButtonElement>>;
  readonly #choice: HTMLElement;

  constructor(texts: ViewTexts, onKind: (kind: Motion['kind']) => void) {
    this.#texts = texts;
    this.#buttons = {
      move: element('button', { type: 'button' }, texts.move),
      turn: element('button', { type: 'button' }, texts.turn),
    };
    const buttons = Object.values(this.#buttons);
    for (const kind of ['move', 'turn'] as const)
      this.#buttons[kind].addEventListener('click', () => onKind(kind));
    this.#choice = element('span', { class: 'kinds', role: 'group' }, ...buttons);
    const children = [this.#name, this.#order, this.#choice];
    this.element = element('div', { class: 'part-name', hidden: '' }, ...children);
    ignoreTapsOfOthers(this.#choice);
    // The part keeps the focus, and stays selected.
    this.element.addEventListener('mousedown', (event) => event.preventDefault());
  }

  /**
   * Shows a name.
   *
   * @param order - Position of the part among all parts, such as `2/5`, or empty.
   * @param kind - The motion of a drag; undefined shows no choice.
   */
  show(name: string, order: string, kind: Motion['kind'] | undefined): void {
    this.#name.textContent = name;
    this.#order.textContent = order && `${order} ↕`;
    this.#choice.setAttribute('aria-label', this.#texts.motionOf(name));
    this.#choice.hidden = kind === undefined;
    for (const [of, each] of Object.entries(this.#buttons))
      each.setAttribute('aria-pressed', String(of === kind));
    this.element.hidden = false;
  }

  hide(): void {
    this.element.hidden = true;
  }

  place({ x, y }: { x: number; y: number }, width: number, height: number): void {
    const { offsetWidth, offsetHeight } = this.element;
    const inside = (value: number, most: number) =>
      Math.round(Math.max(Math.min(value, most - EDGE_PIXELS), EDGE_PIXELS));
    const left = inside(x - offsetWidth / 2, width - offsetWidth);
    const top = inside(y - offsetHeight - ABOVE_PIXELS, height - offsetHeight);
    this.element.style.transform = `translate(${left}px, ${top}px)`;
  }
}

/** The tap that shows the choice ends with a click at the same place, where a button may be by then. */
function ignoreTapsOfOthers(choice: HTMLElement): void {
  let isPressed = false;
  choice.addEventListener('pointerdown', () => {
    isPressed = true;
  });
  const ignoreOther = (event: MouseEvent) => {
    const isTouch = (event as PointerEvent).pointerType === 'touch';
    if (isTouch && !isPressed) event.stopPropagation();
    isPressed = false;
  };
  choice.addEventListener('click', ignoreOther, { capture: true });
}
