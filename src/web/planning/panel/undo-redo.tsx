/** Buttons and keys that undo the last change, and make it again. */
import { useEffect } from 'preact/hooks';
import { nameOfSetting } from '../state/fields.ts';
import { isOpening } from '../state/planning.ts';
import { useSession } from './use-session.ts';

const OUTLINES = {
  undo: 'M9 5L4 10l5 5M4.5 10H14a5 5 0 0 1 0 10h-3',
  redo: 'M15 5l5 5-5 5M19.5 10H10a5 5 0 0 0 0 10h3',
} as const;

type Direction = keyof typeof OUTLINES;

/** Shows two buttons, once there is a change; they name what they undo or make again. */
export function UndoRedo() {
  const { texts, planning, state } = useSession();
  const { planned, past, future, pending } = state.planning;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const direction = directionOf(event);
      if (direction === undefined) return;
      event.preventDefault();
      planning[direction]();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [planning]);
  if (planned === undefined || (past.length === 0 && future.length === 0)) return null;
  const isBusy = pending.length > 0 || isOpening(state.planning);
  const directions: [Direction, (typeof past)[number] | undefined][] = [
    ['undo', past.at(-1)],
    ['redo', future.at(-1)],
  ];
  return (
    <p class="undo">
      {directions.map(([direction, step]) => {
        const name = step && nameOfSetting(step.planned.article, step.setting);
        const label = texts[direction](name ?? '');
        return (
          // A disabled button would lose the focus, and the next press is often on the same button.
          <button
            type="button"
            aria-label={label}
            title={label}
            aria-disabled={step === undefined || isBusy}
            onClick={planning[direction]}
            key={direction}
          >
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d={OUTLINES[direction]} />
            </svg>
          </button>
        );
      })}
    </p>
  );
}

/** The keys of desktop programs. In a field for text they undo what was typed, as the browser does. */
function directionOf({ target, key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) {
  const isTyping = (target as Element).matches?.('input:not([type="radio"]), textarea');
  if (isTyping || altKey || !(ctrlKey || metaKey)) return undefined;
  const pressed = key.toLowerCase();
  if (pressed === 'z') return shiftKey ? 'redo' : 'undo';
  return pressed === 'y' && !shiftKey ? 'redo' : undefined;
}
