/** What failed, as a sentence, or takes long, and how to go on. */
import type { ConverterError, ErrorCode } from '../support/errors.ts';
import type { Session } from './session.ts';
import { failureText } from './texts.ts';

/** Codes whose sentence is not the whole story. */
const TELLING: ReadonlySet<string> = new Set<ErrorCode>([
  'ARTICLE_REPORTED',
  'PROPERTY_VALUE_REFUSED',
  'HTTP_STATUS',
  'RESPONSE_INVALID',
  'PARTS_LIST_INVALID',
  'INTERNAL',
]);

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
      {TELLING.has(failure.code) && <p class="said">{failure.message}</p>}
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

/** A button that appears when something takes long. */
export function CancelLate({ session, onCancel }: { session: Session; onCancel: () => void }) {
  return (
    <button type="button" class="plain late" onClick={onCancel}>
      {session.texts.cancel}
    </button>
  );
}
