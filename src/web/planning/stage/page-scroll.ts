/** Touch gestures on a stage in a page: decides which of them scroll the page, and which the stage handles. */

/**
 * Lets a finger that first moves up or down scroll the page; all other gestures belong to the stage.
 *
 * @param root - Contains the canvas; listeners on the canvas itself do not receive gestures of the page.
 * @param isTaken - Whether the stage handles the gesture in every direction, such as drawing a drawer out.
 */
export function letPageScroll(root: ShadowRoot, canvas: HTMLElement, isTaken: () => boolean): void {
  canvas.style.touchAction = 'pan-y';
  let start: { x: number; y: number } | undefined;
  let isOfPage = false;
  const keep = (event: TouchEvent) => {
    const isOfStage = event.touches.length > 1 || isTaken() || !canScroll();
    if (event.cancelable && isOfStage) event.preventDefault();
  };
  const begin = ({ isPrimary, pointerType, clientX: x, clientY: y }: PointerEvent) => {
    start = isPrimary && pointerType === 'touch' ? { x, y } : undefined;
    isOfPage = false;
  };
  // The browser cancels the pointer when it begins to scroll; until then the stage would turn.
  const hold = (event: PointerEvent) => {
    if (start) {
      const [x, y] = [event.clientX - start.x, event.clientY - start.y].map(Math.abs);
      if (x === 0 && y === 0) return;
      isOfPage = y! > x! && !isTaken() && canScroll();
      start = undefined;
    }
    if (isOfPage) event.stopImmediatePropagation();
  };
  canvas.addEventListener('touchmove', keep, { passive: false });
  root.addEventListener('pointerdown', begin as EventListener, { capture: true });
  root.addEventListener('pointermove', hold as EventListener, { capture: true });
}

/** Whether the page can scroll; a page in a frame may scroll with the outer page. */
function canScroll(): boolean {
  const { scrollHeight, clientHeight } = document.documentElement;
  return window.parent !== window || scrollHeight > clientHeight;
}
