/** Downloads of the model of a configuration as files. */
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { ConverterError } from '../../../support/errors.ts';
import type { PlanningConverter, PlanningView } from '../state/interfaces.ts';
import { modelOf } from '../state/model-loader.ts';
import type { PlannedArticle } from '../state/planned-article.ts';
import { CancelLate, Failure } from './failure.tsx';
import { useAction } from './use-action.ts';
import { useSession } from './use-session.ts';

const PICTURE = { widthPixels: 1600, heightPixels: 1200 };

interface DownloadParts {
  planned: PlannedArticle;
  view: PlanningView | undefined;
}

/** Shows the files of the model, if it is the model of the planned article. */
export function Downloads({ planned, view }: DownloadParts) {
  const { texts, converter, state } = useSession();
  const action = useAction<void>(planned);
  const { isRunning, run } = action;
  const heading = useRef<HTMLElement>(null);
  const current = modelOf(state, planned.key);
  const isCurrent = current !== undefined;
  const { glb } = current ?? state.model ?? {};
  if (glb === undefined) return null;
  const name = fileName(planned);
  const make = (suffix: string, content: () => Promise<Blob>) => () =>
    run(async (signal) => {
      const made = await content();
      if (!signal.aborted) save(made, `${name}${suffix}`);
    });
  const files: [label: string, onClick: () => void][] = [
    [texts.glb, make('.glb', async () => new Blob([glb], { type: 'model/gltf-binary' }))],
    [texts.usdz, make('.usdz', () => usdzOf(converter, glb))],
  ];
  if (view !== undefined) {
    const { widthPixels, heightPixels } = PICTURE;
    files.push([texts.picture, make('.png', () => view.picture(widthPixels, heightPixels))]);
  }
  return (
    <div class="downloads">
      <details>
        <summary ref={heading}>{texts.download}</summary>
        <div class="row">
          {files.map(([label, onClick]) => (
            <button
              type="button"
              disabled={!isCurrent || state.refused.length > 0}
              aria-disabled={isRunning}
              onClick={onClick}
              key={label}
            >
              {label}
            </button>
          ))}
        </div>
        {!isCurrent && <p class="quiet">{texts.filesLater}</p>}
        <FileStatus action={action} origin={heading} />
      </details>
    </div>
  );
}

/**
 * Shows that a file is being made, with a button to cancel that, or why the file could not be made.
 *
 * @param props.ready - Shown while no file is being made.
 * @param props.origin - Takes the focus after a cancellation.
 */
export function FileStatus({
  action: { isRunning, failure, cancel },
  ready = '',
  origin,
}: {
  action: { isRunning: boolean; failure?: ConverterError; cancel(): void };
  ready?: string;
  origin: RefObject<HTMLElement | null>;
}) {
  const { texts } = useSession();
  return (
    <>
      <p class="working" role="status">
        {isRunning ? texts.making : ready}
        {isRunning && <CancelLate origin={origin} onCancel={() => cancel()} />}
      </p>
      {failure !== undefined && (
        <Failure failure={failure} title={texts.downloadFailed} onDismiss={() => cancel()} />
      )}
    </>
  );
}

/** Makes the USDZ file of the model, which devices of Apple show. */
export async function usdzOf(
  converter: PlanningConverter,
  glb: Uint8Array<ArrayBuffer>,
): Promise<Blob> {
  return new Blob([await converter.usdz(glb)], { type: 'model/vnd.usdz+zip' });
}

/** A file name without suffix that every file system accepts. */
export function fileName({ key }: PlannedArticle): string {
  const number = key.finalarticlenumber || key.basearticlenumber;
  return `${key.manufacturer} ${number}`.replace(/[^\p{L}\p{N}.+-]+/gu, '_').slice(0, 100);
}

function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
