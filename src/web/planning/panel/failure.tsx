/** Shows what failed or takes long, as a sentence, and how to continue. */
import type { RefObject } from 'preact';
import type { ConverterError, ErrorCode } from '../../../support/errors.ts';
import { failureText } from '../state/texts.ts';
import { useSession } from './use-session.ts';

/** Codes whose sentence is not complete: the service has said more, in its language; or the program, in English. */
const TELLING: Readonly<Partial<Record<ErrorCode, 'service' | 'program'>>> = {
  ARTICLE_REPORTED: 'service',
  PROPERTY_VALUE_REFUSED: 'service',
  HTTP_STATUS: 'service',
  RESPONSE_INVALID: 'program',
  PARTS_LIST_INVALID: 'program',
  INTERNAL: 'program',
};

/** Shows a failure; details are below the sentence, for a support person. */
export function Failure({
  failure,
  title,
  without,
  onRetry,
  onDismiss,
}: {
  failure: ConverterError;
  title: string;
  /** Text of the button that gives up what has failed, beside the one that tries again. */
  without?: string;
  onRetry?: (() => void) | undefined;
  onDismiss?: (() => void) | undefined;
}) {
  const { texts, embedding } = useSession();
  // The notice about the session says why; only the page around this one can give a new session.
  const isOfSession = failure.code === 'TOKEN_DIED';
  const retry = isOfSession && !embedding.isEmbedded ? undefined : onRetry;
  return (
    <div class="failure" role="alert">
      <p>
        <b>{title}</b> {!isOfSession && failureText(texts, failure.code)}
      </p>
      <Said failure={failure} />
      <p class="row">
        {retry !== undefined && (
          <button type="button" onClick={retry}>
            {texts.retry}
          </button>
        )}
        {onDismiss !== undefined && (
          <button type="button" onClick={onDismiss}>
            {(retry && without) ?? texts.close}
          </button>
        )}
      </p>
    </div>
  );
}

function Said({ failure: { code, message, status } }: { failure: ConverterError }) {
  const { texts } = useSession();
  const teller = TELLING[code];
  if (teller === undefined) return null;
  if (teller === 'program') {
    return (
      <p class="said">
        {texts.technical} <span lang="en">{message}</span>
      </p>
    );
  }
  const hasSaid = !message.startsWith('expected an answer');
  // The sentence of the program around the message is removed.
  const said = message.replace(/^.*?received the message: (?=.)/s, '');
  if (!hasSaid && status === undefined) return null;
  return <p class="said">{hasSaid ? said : texts.status(status!)}</p>;
}

/** A button that appears when something takes long. @param props.origin - Takes the focus, because the button disappears. */
export function CancelLate({
  origin,
  onCancel,
}: {
  origin?: RefObject<HTMLElement | null>;
  onCancel: () => void;
}) {
  const { texts } = useSession();
  const cancel = () => {
    origin?.current?.focus();
    onCancel();
  };
  return (
    <button type="button" class="plain late" onClick={cancel}>
      {texts.cancel}
    </button>
  );
}
