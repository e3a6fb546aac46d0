/** What failed, as a sentence, and how to go on. */
import type { ConverterError } from '../support/errors.ts';
import type { Session } from './session.ts';
import { failureText } from './texts.ts';

/** Shows a failure; what the service itself said is below, for the person who is asked about it. */
export function Failure({
  session,
  failure,
  title,
  onRetry,
  onDismiss,
}: {
  session: Session;
  failure: ConverterError;
  title: string;
  onRetry?: (() => void) | undefined;
  onDismiss?: (() => void) | undefined;
}) {
  const { texts } = session;
  return (
    <div class="failure" role="alert">
      <p>
        <b>{title}</b> {failureText(texts, failure.code)}
      </p>
      <p class="said">{failure.message}</p>
      <p class="row">
        {onRetry !== undefined && (
          <button type="button" onClick={onRetry}>
            {texts.retry}
          </button>
        )}
        {onDismiss !== undefined && (
          <button type="button" onClick={onDismiss}>
            {onRetry === undefined ? texts.close : texts.dismiss}
          </button>
        )}
      </p>
    </div>
  );
}
