/**
 * The contract: one test for each operation of the specification and for each of its parameters.
 *
 * Held against the emulator, or against a live service where `BTG2GLTF_AUTH_URL`,
 * `BTG2GLTF_BASE_URL` and credentials (`BTG2GLTF_USERNAME` and `BTG2GLTF_PASSWORD`, perhaps
 * `BTG2GLTF_APP_KEY`, or `BTG2GLTF_TOKEN`) are set. What a live service does not have is skipped.
 */
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { OPERATIONS, type OperationName } from '../../src/source/service/operations.ts';
import {
  findSubject,
  IS_LIVE,
  openServiceUnderTest,
  type ServiceUnderTest,
  type Subject,
} from '../helpers/service-under-test.ts';
import { ARTICLE } from './cases/article.ts';
import { type Case, type Cases, NotHere, refused } from './cases/case.ts';
import { CATALOGUE } from './cases/catalogue.ts';
import { GRAPHICS } from './cases/graphics.ts';
import { SESSION } from './cases/session.ts';

const CASES: Record<OperationName, Cases> = { ...SESSION, ...CATALOGUE, ...ARTICLE, ...GRAPHICS };
const NAMES = Object.keys(OPERATIONS) as OperationName[];

let service: ServiceUnderTest;
let subject: Subject;
beforeAll(async () => {
  service = await openServiceUnderTest();
  subject = await findSubject(service.client);
});
afterAll(() => service?.close());

async function hold(run: Case, context: TestContext): Promise<void> {
  try {
    await run(service.client, subject, service);
  } catch (error) {
    if (!(error instanceof NotHere)) throw error;
    context.skip(error.message);
  }
}

describe.each(NAMES)('%s', (name) => {
  const { token, method, path } = OPERATIONS[name];
  const { answers, parameters } = CASES[name];

  it(`answers as the specification says (${method} ${path})`, (context) => hold(answers, context));

  for (const [parameter, run] of Object.entries(parameters)) {
    it(`takes the parameter ${parameter}`, (context) => hold(run, context));
  }

  if (token === 'query') {
    it('accepts the parameter token, and no token of another service', async (context) => {
      const client = service.open({ credentials: { token: 'not-of-this-service' } });
      await hold((_, ...rest) => refused('TOKEN_DIED', answers(client, ...rest)), context);
    });
  }
});

it.skipIf(IS_LIVE)('no answer of the emulator drifts from the specification', () => {
  expect(service.drifts).toEqual([]);
});

it('there is a test for every parameter in the table', () => {
  const inTable = NAMES.map((name) => {
    const { path, query, body = [] } = OPERATIONS[name];
    const inPath = [...path.matchAll(/\{(\w+)/g)].map(([, parameter = '']) => parameter);
    const all = [...inPath, ...query.map((parameter) => parameter.name), ...body];
    return [name, all.filter((parameter) => parameter !== 'token').sort()];
  });
  const tested = NAMES.map((name) => [name, Object.keys(CASES[name].parameters).sort()]);
  expect(tested).toEqual(inTable);
});
