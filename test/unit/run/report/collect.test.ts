import { expect, test } from 'vitest';
import { Collector } from '../../../../src/run/report/collect.ts';
import { acme } from '../../../helpers/fetch-bench.ts';
import { expectLinear } from '../../../helpers/growth.ts';

/** The causes of failures with these messages. */
function causesOf(messages: readonly string[]) {
  const collector = new Collector();
  for (const [index, message] of messages.entries()) {
    const error = { code: 'BLOCK_INVALID', message };
    collector.add({ ...acme(`D${index}`), status: 'failed', losses: [], warnings: [], error });
  }
  return collector.collected().causes;
}

test('failures that differ in names, quoted texts and numbers have one cause', () => {
  const messages = [
    'block ACME::DESK::LEG: expected 3 values in "F 1", received 4.5',
    'block ACME::DESK::TOP: expected 12 values in "TI/2", received 0,1',
  ];
  expect(causesOf(messages)).toMatchObject([{ count: 2 }]);
  expect(causesOf(['block A::B: status 404', 'block A::B: status 500'])).toHaveLength(2);
});

test.each([
  ['letters', 'a'],
  ['digits', '1'],
  ['quotes', '"'],
  ['digits behind status', '1', 'status '],
])('a message of %s takes linear time', async (_, part, start = '') => {
  const message = (size: number) => `block A: ${start}${part.repeat(size)}`;
  await expectLinear(50_000, message, (text) => expect(causesOf([text])).toHaveLength(1));
});
