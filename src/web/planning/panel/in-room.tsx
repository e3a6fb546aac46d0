/** The view of a model in the room of the person. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { modelOf } from '../state/model-loader.ts';
import type { PlannedArticle } from '../state/planned-article.ts';
import { FileStatus, fileName, usdzOf } from './downloads.tsx';
import { useAction } from './use-action.ts';
import { useSession } from './use-session.ts';

/** The icon, a box in a room; Quick Look opens only links that begin with an image. */
const AR_ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#fff" stroke-width="1.7" stroke-linejoin="round"><path d="M12 6.5l5 2.8v5.4l-5 2.8-5-2.8V9.3zM7 9.3l5 2.8 5-2.8M12 12.1v5.4M2.5 7V2.5H7M17 2.5h4.5V7M21.5 17v4.5H17M7 21.5H2.5V17"/></svg>',
)}`;

/** Offers the view in the room of the person: by a server of assets, by this device, or by a sentence. */
export function InRoom({ planned }: { planned: PlannedArticle }) {
  const { assetsUrl } = useSession();
  if (assetsUrl !== undefined) return <OnServer planned={planned} server={assetsUrl} />;
  // Scene Viewer of Android is not offered: that app loads an https address by itself, and no address has this model
  // without a token.
  const hasQuickLook = document.createElement('a').relList.supports('ar');
  return hasQuickLook ? <InQuickLook planned={planned} /> : <OnOtherDevices />;
}

/** A link to the page that shows the configuration on any device: a phone opens its viewer, others show a code to scan. */
function OnServer({ planned, server }: { planned: PlannedArticle; server: string }) {
  const { texts } = useSession();
  const { manufacturer, program, basearticlenumber, ...strings } = planned.key;
  const path = [manufacturer, program, basearticlenumber].map(encodeURIComponent).join('/');
  const given = Object.entries(strings).filter(([, value]) => value !== '');
  const address = `${server}/ar/${path}?${new URLSearchParams(given)}`;
  return (
    <div class="in-room">
      <a class="primary ar" href={address} target="_blank" rel="noopener">
        <img src={AR_ICON} alt="" />
        {texts.arOpen}
      </a>
    </div>
  );
}

function OnOtherDevices() {
  const { texts } = useSession();
  const [isSaid, say] = useState(false);
  return (
    <div class="in-room">
      <button type="button" aria-expanded={isSaid} onClick={() => say(!isSaid)}>
        {texts.arOpen}
      </button>
      <p class="working" role="status">
        {isSaid ? texts.arOtherDevice : ''}
      </p>
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
function InQuickLook({ planned }: { planned: PlannedArticle }) {
  const { texts, converter, state } = useSession();
  const glb = state.refused.length > 0 ? undefined : modelOf(state, planned.key)?.glb;
  const action = useAction<Blob>(planned);
  const { isRunning, result, run } = action;
  const address = useAddress(glb === undefined ? undefined : result);
  const link = useRef<HTMLAnchorElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // The button had the focus, and is gone.
  useLayoutEffect(() => link.current?.focus(), [address]);
  return (
    <div class="in-room">
      {address === undefined ? (
        <button
          type="button"
          ref={button}
          disabled={glb === undefined}
          aria-disabled={isRunning}
          onClick={() => glb !== undefined && run(() => usdzOf(converter, glb))}
        >
          {texts.ar}
        </button>
      ) : (
        <a
          ref={link}
          class="primary ar"
          rel="ar"
          href={address}
          download={`${fileName(planned)}.usdz`}
        >
          <img src={AR_ICON} alt="" />
          {texts.arOpen}
        </a>
      )}
      <FileStatus
        action={action}
        ready={address === undefined ? '' : texts.arReady}
        origin={button}
      />
    </div>
  );
}

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
