/** The state of a file that is made from the model. */
import type { RefObject } from 'preact';
import type { ConverterError } from '../../../support/errors.ts';
import type { Session } from '../state/opened-page.ts';
import { CancelLate, Failure } from './failure.tsx';

/**
 * Shows that a file is being made, with a button to cancel that, or why the file could not be made.
 *
 * @param props.ready - Shown while no file is being made.
 * @param props.origin - Takes the focus after a cancellation.
 */
export function FileStatus({
  session,
  action: { isRunning, failure, cancel },
  ready = '',
  origin,
}: {
  session: Session;
  action: { isRunning: boolean; failure?: ConverterError; cancel(): void };
  ready?: string;
  origin: RefObject<HTMLElement | null>;
}) {
  const { texts } = session;
  return (
    <>
      <p class="working" role="status">
        {isRunning ? texts.making : ready}
        {isRunning && <CancelLate {...{ session, origin }} onCancel={() => cancel()} />}
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
