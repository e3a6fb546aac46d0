import { expect, test } from 'vitest';
import { misdirectionOf } from '../../../src/support/listening.ts';

test.each([
  '127.0.0.1',
  '10.0.0.1:4820',
  '[::1]:4820',
  'localhost',
  'LOCALHOST:1',
  'Planner:4820',
  'planner.example',
  '',
])('%j names a server that listens on planner and is called planner.example', (header) => {
  const address = { host: 'PLANNER', names: ['Planner.Example'] };
  expect(misdirectionOf(header, address)).toBeUndefined();
});

test.each([
  '[::1%25x]',
  '[::1%eth0]:80',
  'evil.example',
  'planner',
  '127.0.0.1.evil.example',
  'localhost:1:2',
  '127.0.0.1@evil',
])('%j names no server without a name', (header) => {
  expect(misdirectionOf(header, { host: '0.0.0.0' })?.status).toBe(421);
});
