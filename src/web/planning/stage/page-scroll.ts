/** Fingers on a stage that lies on a page: which scroll the page, and which belong to the stage. */

/**
 * Lets one finger that goes up or down first scroll the page; all other gestures are the stage's.
 *
 * @param root - Contains the canvas; those who listen to the canvas itself hear nothing of what is the page's.
 * @param isTaken - What the finger has begun is the stage's in every direction, such as to draw a drawer out.
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
  // The browser takes the finger away when it begins to scroll; until then the stage would turn.
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

/** A page inside another may scroll with that one. */
function canScroll(): boolean {
  const { scrollHeight, clientHeight } = document.documentElement;
  return window.parent !== window || scrollHeight > clientHeight;
}
