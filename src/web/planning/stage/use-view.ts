/** The 3D view in a component: loaded after the panel is shown, and opened again after a failure. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { orderedSize, statedValues } from '../../../convert/wire/stated-size.ts';
import { useSession } from '../panel/use-session.ts';
import { millimetresText } from '../state/format.ts';
import type { PlanningView, ViewOptions } from '../state/interfaces.ts';
import { modelOf } from '../state/model-loader.ts';
import type { Session } from '../state/opened-page.ts';

/** The program of the view, beside the program of this page. */
const VIEW_PROGRAM = './view.js';

/** Opens the view of the session, and shows the model there. @param onView - Receives the view when it is open. */
export function useView(onView: (view: PlanningView | undefined) => void) {
  const session = useSession();
  const { model, planning } = session.state;
  const { planned } = planning;
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<PlanningView>();
  /** Whether the view could not be opened, or cannot show the model. */
  const [hasNoView, setHasNoView] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const [isShowing, setShowing] = useState(false);

  useEffect(() => {
    let isOver = false;
    let opened: PlanningView | undefined;
    loadView(session, place.current!).then(
      (made) => {
        if (isOver) return made.dispose();
        opened = made;
        setView(made);
        onView(made);
      },
      () => {
        if (!isOver) setHasNoView(true);
      },
    );
    return () => {
      isOver = true;
      opened?.dispose();
      setView(undefined);
      onView(undefined);
    };
  }, [session, attempt]);
  useEffect(() => {
    if (view === undefined) return;
    if (model === undefined) return view.clear();
    let isOver = false;
    setShowing(true);
    const ended = (hasFailed: boolean) => {
      if (isOver) return;
      setShowing(false);
      setHasNoView(hasFailed);
      // Without a visible model, no picture is offered.
      onView(hasFailed ? undefined : view);
    };
    const isPlanned = planned !== undefined && modelOf(session.state, planned.key) !== undefined;
    const size = isPlanned
      ? orderedSize(statedValues(planned.article), model.sizeMetres)
      : model.sizeMetres;
    view.show(model.glb, { holesMetres: model.holesMetres, sizeMetres: size }).then(
      () => ended(false),
      () => ended(true),
    );
    return () => {
      isOver = true;
    };
  }, [view, model]);
  // A file that could not be loaded may be available now.
  const reopen = () => {
    setHasNoView(false);
    setAttempt((count) => count + 1);
  };
  useEffect(() => {
    if (hasNoView && model !== undefined) reopen();
  }, [model]);
  // Derived: the page would otherwise be drawn once with the failure and with what it has ended.
  return { place, view, isShowing: isShowing && model !== undefined, hasNoView, reopen };
}

async function loadView(session: Session, stage: HTMLElement): Promise<PlanningView> {
  const studio = loadStudio();
  // `show` reports the error.
  studio.catch(() => undefined);
  const program: { openView(options: ViewOptions): PlanningView } = await import(VIEW_PROGRAM);
  const { view, movableParts, move, turn, motionOf } = session.texts;
  const millimetres = (length: number) => millimetresText(session.texts, length);
  const texts = { view, movableParts, move, turn, motionOf, millimetres };
  return program.openView({ stage, studio, texts });
}

/** Loads the light of the view; the file is deflated. */
async function loadStudio(): Promise<ArrayBuffer> {
  const response = await fetch(new URL('studio.bin', import.meta.url));
  if (!response.ok || response.body === null) throw new Error(`studio.bin: ${response.status}`);
  const inflated = response.body.pipeThrough(new DecompressionStream('deflate'));
  return new Response(inflated).arrayBuffer();
}
