import { describe, expect, it } from 'vitest';
import { createPace } from '../../../src/service/pace.ts';

describe('createPace', () => {
  it('lets everybody go at once where no limit is known', () => {
    const pace = createPace(undefined, () => 0);
    expect([pace(), pace(), pace()]).toEqual([0, 0, 0]);
  });

  it('books departures at equal distances', () => {
    const pace = createPace(4, () => 0);
    expect([pace(), pace(), pace()]).toEqual([0, 250, 500]);
  });

  it('saves nothing up: after a quiet while there is no burst', () => {
    let now = 0;
    const pace = createPace(10, () => now);
    pace();
    now = 60_000;
    expect([pace(), pace()]).toEqual([0, 100]);
    now = 60_150;
    expect(pace()).toBe(50);
  });

  it('takes limits below one a second', () => {
    const pace = createPace(0.5, () => 0);
    expect([pace(), pace()]).toEqual([0, 2000]);
  });

  it('goes on at the same distances when the clock is set back', () => {
    let now = 3_600_000;
    const pace = createPace(10, () => now);
    pace();
    now = 0;
    expect([pace(), pace()]).toEqual([100, 200]);
  });
});
