/** The choice of the mode: how catalogue and article share the page. */
import type { PlanningMode } from '../state/mode.ts';
import { useSession } from './use-session.ts';

/** The modes in their order, with the outlines of their icons. */
const OUTLINES = {
  catalogue: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  hybrid: 'M3 5h18v14H3zM9.5 5v14M5.5 9h1.5M5.5 12h1.5M5.5 15h1.5',
  configurator: 'M12 2.5l8.5 4.75v9.5L12 21.5l-8.5-4.75v-9.5zM3.5 7.25L12 12l8.5-4.75M12 12v9.5',
} as const satisfies Record<PlanningMode, string>;

/** Shows the three modes, each with a line that explains it; where there is no room, only the line of the chosen one. */
export function Modes() {
  const session = useSession();
  const { texts, state } = session;
  const { mode: chosen } = state.shown;
  return (
    <fieldset class="modes">
      <legend class="label">{texts.modes}</legend>
      <div class="mode-list">
        {(Object.keys(OUTLINES) as PlanningMode[]).map((mode) => {
          const [name, line] = texts.modeOf[mode];
          return (
            <label class="choice" key={mode}>
              <input
                type="radio"
                name="mode"
                checked={mode === chosen}
                onChange={() => session.setMode(mode)}
              />
              <span class="face">
                <svg viewBox="0 0 24 24" aria-hidden="true">
                  <path d={OUTLINES[mode]} />
                </svg>
                <span>
                  <b>{name}</b> <span class="line">{line}</span>
                </span>
              </span>
            </label>
          );
        })}
      </div>
      <p class="chosen-line" aria-hidden="true">
        {texts.modeOf[chosen][1]}
      </p>
    </fieldset>
  );
}
