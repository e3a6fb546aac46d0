import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { birthOf } from '../../../src/support/process-birth.ts';

describe.runIf(process.platform === 'linux')('birthOf', () => {
  it('stays the same, and differs from that of a process born later', async () => {
    const own = await birthOf(process.pid);
    expect(own).toMatch(/^[0-9a-f-]{36} \d+$/);
    expect(await birthOf(process.pid)).toBe(own);
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    expect(await birthOf(child.pid!)).not.toBe(own);
    child.kill();
    await once(child, 'exit');
    expect(await birthOf(child.pid!)).toBeUndefined();
  });
});
