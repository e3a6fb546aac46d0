import { describe, expect, it } from 'vitest';
import { redactMessages } from '../../../../src/run/lists/messages.ts';

describe('redactMessages', () => {
  it('masks every message and help at any depth, and nothing else', () => {
    const url = 'http://h/x?token=abc';
    const masked = 'http://h/x?token=***';
    const row = { value: url, message: { value: url }, none: null };
    expect(redactMessages({ ...row, rows: [{ message: url, help: url }] })).toEqual({
      ...row,
      rows: [{ message: masked, help: masked }],
    });
  });
});
