/** The S3 on which tests run beside their own, if the environment names one. */
import { randomUUID } from 'node:crypto';

/** Whether there is one. */
export const HAS_GIVEN_S3 = process.env.BTG2GLTF_TEST_S3_URL !== undefined;

/**
 * Returns a prefix, in the bucket that `BTG2GLTF_TEST_S3_URL` names, that no other test uses, and the variables of AWS
 * with which the tests were started.
 */
export function givenS3(): { url: string; env: Record<string, string> } {
  const bucket = process.env.BTG2GLTF_TEST_S3_URL!.replace(/\/$/, '');
  const isOfAws = ([name]: [string, unknown]) => name.startsWith('AWS_');
  const env = Object.fromEntries(Object.entries(process.env).filter(isOfAws));
  return { url: `${bucket}/${randomUUID()}`, env: env as Record<string, string> };
}
