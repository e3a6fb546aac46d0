import { expect, test } from 'vitest';
import {
  amount,
  day,
  duration,
  instant,
  integer,
  percentage,
  size,
} from '../../../src/report/text.ts';

test.each([
  [integer(0), '0'],
  [integer(1234567), '1,234,567'],
  [amount(1, 'file'), '1 file'],
  [amount(2000, 'file'), '2,000 files'],
  [size(999), '999 bytes'],
  [size(12_345_678), '12.3 MB'],
  [size(2.5e9), '2.5 GB'],
  [duration(850), '850 ms'],
  [duration(12_500), '12.5 s'],
  [duration(185_000), '3 min 5 s'],
  [duration(119_700), '2 min 0 s'],
  [duration(7_440_000), '2 h 4 min'],
  [percentage(0, 0), '0 %'],
  [percentage(1, 3), '33.3 %'],
  [percentage(1, 50_000), '< 0.1 %'],
  [percentage(49_999, 50_000), '> 99.9 %'],
  [percentage(7, 7), '100 %'],
  [instant('2026-11-21T02:00:00.000Z'), '21 Nov 2026, 02:00 UTC'],
  [day('2026-01-05'), '5 Jan 2026'],
  [day('soon'), 'soon'],
])('%s', (said, expected) => {
  expect(said).toBe(expected);
});
