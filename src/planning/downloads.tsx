/** What can be taken of the model of a configuration: files, and a view of it in the room of a person. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { CancelLate, Failure } from './failure.tsx';
import type { PlanningView } from './interfaces.ts';
import { modelOf } from './model-loader.ts';
import type { PlannedArticle } from './planned-article.ts';
import type { Session } from './session.ts';
import { useAction } from './use-action.ts';

const PICTURE = { widthPixels: 1600, heightPixels: 1200 };

/** A box in a room; Quick Look opens only links that begin with an image. */
const AR_ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#fff" stroke-width="1.7" stroke-linejoin="round"><path d="M12 6.5l5 2.8v5.4l-5 2.8-5-2.8V9.3zM7 9.3l5 2.8 5-2.8M12 12.1v5.4M2.5 7V2.5H7M17 2.5h4.5V7M21.5 17v4.5H17M7 21.5H2.5V17"/></svg>',
)}`;

interface DownloadParts {
  session: Session;
  planned: PlannedArticle;
  view: PlanningView | undefined;
}

/** Shows the files of the model, where it is that of what is planned. */
export function Downloads({ session, planned, view }: DownloadParts) {
  const { texts, converter, state } = session;
  const { isRunning, failure, run, cancel } = useAction<void>(planned, session);
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
  const usdz = async () => new Blob([await converter.usdz(glb)], { type: 'model/vnd.usdz+zip' });
  const files: [label: string, onClick: () => void][] = [
    [texts.glb, make('.glb', async () => new Blob([glb], { type: 'model/gltf-binary' }))],
    [texts.usdz, make('.usdz', usdz)],
  ];
  if (view !== undefined) {
    const { widthPixels, heightPixels } = PICTURE;
    files.push([texts.picture, make('.png', () => view.picture(widthPixels, heightPixels))]);
  }
  return (
    <div class="downloads">
      {offersQuickLook() && <InRoom {...{ session, planned, usdz, name, isCurrent }} />}
      <details>
        <summary ref={heading}>{texts.download}</summary>
        <div class="row">
          {files.map(([label, onClick]) => (
            <button
              type="button"
              disabled={!isCurrent}
              aria-disabled={isRunning}
              onClick={onClick}
              key={label}
            >
              {label}
            </button>
          ))}
        </div>
        {!isCurrent && <p class="quiet">{texts.filesLater}</p>}
        <p class="working" role="status">
          {isRunning ? texts.making : ''}
          {isRunning && (
            <CancelLate
              session={session}
              onCancel={() => {
                heading.current?.focus();
                cancel();
              }}
            />
          )}
        </p>
        {failure !== undefined && (
          <Failure
            {...{ session, failure }}
            title={texts.downloadFailed}
            onDismiss={() => cancel()}
          />
        )}
      </details>
    </div>
  );
}

/**
 * Shows a button that makes the USDZ file, then the link that opens it in Quick Look. A person has to press the link:
 * Safari downloads what a program presses some time after a click.
 *
 * @see https://webkit.org/blog/8421/viewing-augmented-reality-assets-in-safari-for-ios/, and
 *   https://bugs.webkit.org/show_bug.cgi?id=272321 of the click
 */
function InRoom({
  session,
  planned,
  usdz,
  name,
  isCurrent,
}: {
  session: Session;
  planned: PlannedArticle;
  usdz: () => Promise<Blob>;
  name: string;
  isCurrent: boolean;
}) {
  const { texts } = session;
  const { isRunning, result, failure, run, cancel } = useAction<Blob>(planned, session);
  const address = useAddress(isCurrent ? result : undefined);
  const link = useRef<HTMLAnchorElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // The button, which had it, is gone.
  useEffect(() => link.current?.focus(), [address]);
  return (
    <>
      {address === undefined ? (
        <button
          type="button"
          ref={button}
          disabled={!isCurrent}
          aria-disabled={isRunning}
          onClick={() => run(usdz)}
        >
          {texts.ar}
        </button>
      ) : (
        <a ref={link} class="primary ar" rel="ar" href={address} download={`${name}.usdz`}>
          <img src={AR_ICON} alt="" />
          {texts.arOpen}
        </a>
      )}
      <p class="working" role="status">
        {isRunning ? texts.making : address !== undefined ? texts.arReady : ''}
        {isRunning && (
          <CancelLate
            session={session}
            onCancel={() => {
              button.current?.focus();
              cancel();
            }}
          />
        )}
      </p>
      {failure !== undefined && (
        <Failure
          {...{ session, failure }}
          title={texts.downloadFailed}
          onDismiss={() => cancel()}
        />
      )}
    </>
  );
}

/** The address of a content, as long as it is shown. */
function useAddress(content: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (content === undefined) return undefined;
    const made = URL.createObjectURL(content);
    setAddress(made);
    return () => {
      setAddress(undefined);
      URL.revokeObjectURL(made);
    };
  }, [content]);
  return content && address;
}

/** What every file system accepts. */
function fileName({ key }: PlannedArticle): string {
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

/**
 * Whether this device shows a USDZ file of a page in a room. Scene Viewer of Android is not offered: it is an app of its
 * own, which loads an https address by itself, and no address has this model without a token.
 */
function offersQuickLook(): boolean {
  return document.createElement('a').relList.supports('ar');
}
