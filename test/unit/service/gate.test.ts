import { describe, expect, it } from 'vitest';
import { createGate, readRetryAfter } from '../../../src/service/gate.ts';

const open = () => new AbortController().signal;

describe('createGate', () => {
  it('lets everybody through while it is open', async () => {
    await createGate({ now: () => 0, random: () => 0, signal: open() }).wait();
  });

  it('holds everybody while it is closed, until the longest pause is over', async () => {
    const gate = createGate({ now: () => 0, random: () => 0, signal: open() });
    const order: string[] = [];
    gate.close('0.05');
    const waiting = [1, 2, 3].map(() => gate.wait().then(() => order.push('through')));
    gate.close('0.2');
    setTimeout(() => order.push('first pause over'), 100);
    await Promise.all(waiting);
    expect(order).toEqual(['first pause over', 'through', 'through', 'through']);
  });

  it('lets one after the other through at a known pace, after a pause too', async () => {
    const gate = createGate({ now: () => 0, random: () => 0, perSecond: 10, signal: open() });
    const order: string[] = [];
    gate.close('0.05');
    const waiting = [1, 2, 3].map((turn) => gate.wait().then(() => order.push(`turn ${turn}`)));
    for (const ms of [100, 200]) setTimeout(() => order.push(`${ms} ms`), ms);
    await Promise.all(waiting);
    expect(order).toEqual(['turn 1', '100 ms', 'turn 2', '200 ms', 'turn 3']);
  });

  it('lets everybody go when the run is stopped', async () => {
    const stop = new AbortController();
    const gate = createGate({ now: () => 0, random: () => 0, signal: stop.signal });
    gate.close('3600');
    stop.abort();
    await gate.wait();
  });
});

describe('readRetryAfter', () => {
  const now = Date.parse('Tue, 21 Nov 2023 02:00:00 GMT');

  it.each([
    ['0', 0],
    ['3', 3000],
    [' 1.5 ', 1500],
    ['Tue, 21 Nov 2023 02:00:07 GMT', 7000],
    ['Tue, 21 Nov 2023 01:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %j as %j ms', (header, ms) => expect(readRetryAfter(header, now)).toBe(ms));
});
