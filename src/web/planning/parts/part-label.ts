/** The label of a part: its name and, where it is selected, what a drag does with it. */
import { button, element } from '../../../deliver/pictures/page/elements.ts';
import type { ViewTexts } from '../state/interfaces.ts';
import type { Motion } from './part-shape.ts';

const EDGE_PIXELS = 4;
/** The label lies so far above the middle of its part, which a person holds. */
const ABOVE_PIXELS = 22;

/** One for all parts of a view. */
export interface PartLabel {
  readonly element: HTMLElement;
  /**
   * Shows a name.
   *
   * @param order - Which of all parts it is, such as `2/5`, or empty.
   * @param kind - What a drag does; without it there is no choice.
   */
  show(name: string, order: string, kind: Motion['kind'] | undefined): void;
  hide(): void;
  /** Puts it above a point, inside a stage of this size. */
  place(at: { x: number; y: number }, width: number, height: number): void;
}

/** Makes a label, hidden at first. @param onKind - A person wants a drag to do this. */
export function createPartLabel(
  texts: ViewTexts,
  onKind: (kind: Motion['kind']) => void,
): PartLabel {
  const nameText = element('span', { class: 'name', 'aria-hidden': 'true' });
  // The arrows that choose another.
  const orderText = element('span', { class: 'order', 'aria-hidden': 'true' });
  const buttons = {
    move: button(texts.move, {}, () => onKind('move')),
    turn: button(texts.turn, {}, () => onKind('turn')),
  } satisfies Record<Motion['kind'], HTMLButtonElement>;
  const choice = element('span', { class: 'kinds', role: 'group' }, ...Object.values(buttons));
  const label = element('div', { class: 'part-name', hidden: '' }, nameText, orderText, choice);
  // The tap that shows the choice ends with a click at its place, which may be that of a button by then.
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
  // The focus stays at the part, and the part selected.
  label.addEventListener('mousedown', (event) => event.preventDefault());
  return {
    element: label,
    show(name, order, kind) {
      nameText.textContent = name;
      orderText.textContent = order && `${order} ↕`;
      choice.setAttribute('aria-label', texts.motionOf(name));
      choice.hidden = kind === undefined;
      for (const [of, each] of Object.entries(buttons))
        each.setAttribute('aria-pressed', String(of === kind));
      label.hidden = false;
    },
    hide() {
      label.hidden = true;
    },
    place({ x, y }, width, height) {
      const { offsetWidth, offsetHeight } = label;
      const inside = (value: number, most: number) =>
        Math.round(Math.max(Math.min(value, most - EDGE_PIXELS), EDGE_PIXELS));
      const left = inside(x - offsetWidth / 2, width - offsetWidth);
      const top = inside(y - offsetHeight - ABOVE_PIXELS, height - offsetHeight);
      label.style.transform = `translate(${left}px, ${top}px)`;
    },
  };
}
