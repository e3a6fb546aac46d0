/**
 * A case: one sentence about one operation or one of its parameters, as a test.
 */
import { expect } from 'vitest';
import type { ServiceClient } from '../../../src/source/service/client.ts';
import { type ErrorCode, isConverterError } from '../../../src/support/errors.ts';
import {
  IS_LIVE,
  PROFILE,
  type ServiceUnderTest,
  type Subject,
} from '../../helpers/service-under-test.ts';

/** Thrown by a case that a service cannot be asked, with the reason. */
export class NotHere extends Error {}

/** Asks the service and says what has to come. */
export type Case = (
  client: ServiceClient,
  subject: Subject,
  service: ServiceUnderTest,
) => Promise<void>;

/** All that is said of one operation. */
export interface Cases {
  /** What it answers. */
  answers: Case;
  /** What each parameter and each field of the body does, by its name on the wire. */
  parameters: Readonly<Record<string, Case>>;
}

/**
 * The failure that has to come. What a live service says of a mistake is not specified, so that
 * there any error of ours will do.
 */
export async function refused(code: ErrorCode, promise: Promise<unknown>): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isConverterError(error)) throw error ?? new Error(`expected ${code}, received an answer`);
  if (!IS_LIVE) expect(error.code).toBe(code);
}

/** A value that a live service need not have. */
export function given<T>(value: T | undefined, what: string): T {
  if (value !== undefined) return value;
  if (IS_LIVE) throw new NotHere(`this service has no ${what}`);
  throw new Error(`expected the emulator to have ${what}`);
}

/** A case for the emulator alone: of a live service it would prove nothing, or do harm. */
export function emulated(run: Case): Case {
  return async (...args) => {
    if (IS_LIVE) throw new NotHere('asked of the emulator only');
    await run(...args);
  };
}

/** With a profile the operation answers as it does without. */
export function withProfile(answers: Case): Case {
  return async (_, subject, service) => {
    const profile = given(PROFILE, 'profile: set BTG2GLTF_TEST_PROFILE');
    await answers(service.open({ profile }), subject, service);
  };
}

/** Texts of an answer. */
export type Texts = (client: ServiceClient, subject: Subject) => Promise<string>;

/** The language that no emulated range has, so that the other one counts. */
const NO_LANGUAGE = 'fr';

/** In each language the operation answers the same things; the emulator's texts differ. */
export function inLanguages(parameter: 'lang' | 'langalt', answers: Case, texts: Texts): Case {
  return async (_, subject, service) => {
    const heard: string[] = [];
    for (const language of ['de', 'en']) {
      const lang = parameter === 'lang' ? {} : { lang: NO_LANGUAGE };
      const client = service.open({ ...lang, [parameter]: language });
      await answers(client, subject, service);
      heard.push(await texts(client, subject));
    }
    if (!IS_LIVE) expect(heard[0]).not.toBe(heard[1]);
  };
}
