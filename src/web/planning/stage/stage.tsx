/** The stage: the 3D view with its tools, the progress of the model, and notices about it. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { orderedSize, statedValues } from '../../../convert/wire/stated-size.ts';
import type { ErrorCode } from '../../../support/errors.ts';
import { Failure } from '../panel/failure.tsx';
import { useSession } from '../panel/use-session.ts';
import { sizeText } from '../state/format.ts';
import type { ConvertedModel, PlanningView } from '../state/interfaces.ts';
import { type ModelProgress, modelOf } from '../state/model-loader.ts';
import { type Texts, warningText } from '../state/texts.ts';
import { useView } from './use-view.ts';

/** Errors after which there is no model: nothing can be drawn, or there is no parts list. */
const WITHOUT_MODEL: ReadonlySet<string> = new Set<ErrorCode>([
  'NOTHING_TO_DRAW',
  'ARTICLE_NOT_FOUND',
]);

/** Shows the model. @param onView - Receives the view when it is open. */
export function Stage({ onView }: { onView: (view: PlanningView | undefined) => void }) {
  const { texts, state } = useSession();
  const { model, planning } = state;
  const current = modelOf(state, planning.planned?.key);
  const article = planning.planned?.article;
  const size = current && article && orderedSize(statedValues(article), current.sizeMetres);
  const isEmpty =
    planning.planned === undefined &&
    planning.opening === undefined &&
    planning.failure === undefined;
  const { place, view, isShowing, hasNoView, reopen } = useView(onView);
  const [hasDimensions, setHasDimensions] = useState(false);
  useEffect(() => view?.showDimensions(hasDimensions), [view, hasDimensions]);
  return (
    <section class="stage" aria-label={texts.stage}>
      {isEmpty ? (
        <Hint text={texts.stageEmpty} />
      ) : (
        // The bar has a constant height: its content must not move the model.
        <div class="bar">
          {current !== undefined && size !== undefined && (
            <div class="facts">
              <p>{texts.size(sizeText(texts, size))}</p>
              {current.warnings.length > 0 && <Warnings model={current} />}
            </div>
          )}
          {model !== undefined && view !== undefined && (
            <Tools {...{ view, hasDimensions }} onDimensions={setHasDimensions} />
          )}
        </div>
      )}
      {/* After the tools: the keyboard reaches them before the parts, which may be many. */}
      <div class="view" ref={place} key="view" />
      <Notice {...{ isShowing, hasNoView }} onReopen={reopen} />
    </section>
  );
}

function Notice({
  isShowing,
  hasNoView,
  onReopen,
}: {
  isShowing: boolean;
  hasNoView: boolean;
  onReopen: () => void;
}) {
  const { texts, state, models } = useSession();
  const { model, progress, failure, isCancelled } = state;
  const retry = () => models.retry();
  return (
    <div class="notice">
      {/* Numbers that run are for the eye. */}
      <p role="status" class="progress" aria-live={progress?.step === 'parts' ? 'off' : 'polite'}>
        {progress !== undefined ? (
          <>
            <span>{progressText(texts, progress)}</span>
            <progress
              aria-label={texts.stage}
              max={progress.total || 1}
              {...(progress.total > 0 && { value: progress.done })}
            />
            <button type="button" onClick={() => models.cancel()}>
              {texts.cancel}
            </button>
          </>
        ) : isShowing ? (
          <span>{texts.steps.show}</span>
        ) : (
          ''
        )}
      </p>
      {isCancelled && (
        <p class="row note">
          {model === undefined ? texts.cancelled : texts.cancelledLater}
          <button type="button" onClick={retry}>
            {texts.load}
          </button>
        </p>
      )}
      {failure !== undefined && WITHOUT_MODEL.has(failure.code) ? (
        <p class="note">{texts.noModel}</p>
      ) : (
        failure !== undefined && (
          <Failure failure={failure} title={texts.modelFailed} onRetry={retry} />
        )
      )}
      {hasNoView && (
        <p class="row note">
          {texts.noView}
          <button type="button" onClick={onReopen}>
            {texts.retry}
          </button>
        </p>
      )}
    </div>
  );
}

function Tools({
  view,
  hasDimensions,
  onDimensions,
}: {
  view: PlanningView;
  hasDimensions: boolean;
  onDimensions: (visible: boolean) => void;
}) {
  const { texts } = useSession();
  const [isMoved, setMoved] = useState(false);
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    view.watchParts(setMoved);
  }, [view]);
  const reset = () => {
    // This button disappears.
    next.current?.focus();
    view.resetParts();
  };
  const tools: [label: string, outline: string, onClick: () => void][] = [
    [texts.resetParts, 'M5 5v5h5M5.5 10a7.5 7.5 0 1 1-1 5', reset],
    [texts.zoomIn, 'M12 5v14M5 12h14', () => view.zoom(1.25)],
    [texts.zoomOut, 'M5 12h14', () => view.zoom(0.8)],
    [texts.fit, 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5', () => view.fit()],
  ];
  return (
    <div class="tools">
      {tools.slice(isMoved ? 0 : 1).map(([label, outline, onClick]) => (
        <button
          type="button"
          ref={label === texts.zoomIn ? next : null}
          aria-label={label}
          title={label}
          onClick={onClick}
          key={label}
        >
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d={outline} />
          </svg>
        </button>
      ))}
      <button
        type="button"
        class="wide"
        aria-pressed={hasDimensions}
        onClick={() => onDimensions(!hasDimensions)}
      >
        {texts.dimensions}
      </button>
    </div>
  );
}

function Hint({ text }: { text: string }) {
  return (
    <div class="hint">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M12 2.5l8.5 4.75v9.5L12 21.5l-8.5-4.75v-9.5zM3.5 7.25L12 12l8.5-4.75M12 12v9.5" />
      </svg>
      <p>{text}</p>
    </div>
  );
}

function Warnings({ model: { warnings, holesMetres } }: { model: ConvertedModel }) {
  const { texts } = useSession();
  const isIncomplete = warnings.some(({ code }) => /_(?:MISSING|INVALID|UNREADABLE)$/.test(code));
  return (
    <details class={isIncomplete ? 'warnings incomplete' : 'warnings'}>
      <summary>{isIncomplete ? texts.incompleteModel : texts.notes(warnings.length)}</summary>
      <ul>
        {holesMetres.length > 0 && <li>{texts.missingParts}</li>}
        {Array.from(new Set(warnings.map((warning) => warningText(texts, warning))), (text) => (
          <li key={text}>{text}</li>
        )).slice(0, 50)}
      </ul>
    </details>
  );
}

function progressText({ steps }: Texts, progress: ModelProgress): string {
  const { step, done, total } = progress;
  return step === 'parts' ? steps.parts(done, total) : steps[step];
}
