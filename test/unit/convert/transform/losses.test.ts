import { describe, expect, it } from 'vitest';
import { Losses, missingError } from '../../../../src/convert/transform/losses.ts';

describe('Losses', () => {
  it('begins empty, with every count at 0', () => {
    const losses = new Losses();
    expect(losses.listed().losses).toEqual([]);
    expect(losses.listed().warnings).toEqual([]);
    expect(new Set(Object.values(losses.counts))).toEqual(new Set([0]));
  });

  it('lists a loss once, and losses that differ in anything apart', () => {
    const losses = new Losses();
    const loss = { where: 'OAK', field: 'amb', value: '0x101010', done: 'dropped' };
    losses.add(loss);
    losses.add({ ...loss });
    losses.add({ ...loss, where: 'ELM' });
    losses.add({ ...loss, field: 'pho' });
    losses.add({ ...loss, value: '0x202020' });
    losses.add({ ...loss, done: 'kept in extras' });
    expect(losses.listed().losses).toHaveLength(5);
    expect(losses.listed().losses[0]).toEqual(loss);
  });

  it('lists losses that are the same for the reader once, with the first place', () => {
    const losses = new Losses();
    for (const where of ['0/1', '0/2', '0/3'])
      losses.add({ where, field: 'type', value: 'spline', done: 'group' }, 'type spline');
    expect(losses.listed().losses).toEqual([
      { where: '0/1 and 2 more', field: 'type', value: 'spline', done: 'group' },
    ]);
  });

  it('marks a loss whose field is expected', () => {
    const losses = new Losses(['amb', 'x_*']);
    for (const field of ['amb', 'ambient', 'X_WEIGHT'])
      losses.add({ where: 'OAK', field, value: 1, done: 'dropped' });
    expect(losses.listed().losses.map(({ expected }) => expected)).toEqual([true, undefined, true]);
  });

  it('keeps values short, however long or deep they are', () => {
    let abyss: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) abyss = [abyss];
    const losses = new Losses();
    for (const value of ['x'.repeat(1e6), abyss, { r: 1 }, [1, 'a'], null, ['x'.repeat(1e6), 2]])
      losses.add({ where: 'OAK', field: 'dif', value, done: 'left out' });
    const values = losses.listed().losses.map(({ value }) => value);
    expect(values.slice(1)).toEqual([
      'an array of 1',
      'an object',
      [1, 'a'],
      null,
      'an array of 2',
    ]);
    expect(values[0]).toMatch(/^x+… \(1000000 characters\)$/);
    expect(values[0]).toHaveLength(200);
  });

  it('lists some of very many, and counts the others', () => {
    const losses = new Losses(['amb'], 3);
    const add = (field: string) => {
      for (let index = 0; index < 10_000; index++)
        losses.add({ where: `M${index}`, field, value: index, done: 'cannot be read' });
    };
    for (const field of ['amb', 'dif']) add(field);
    for (let index = 0; index < 10_000; index++) losses.warn('MATERIAL_UNKNOWN', `grey ${index}`);
    const listed = losses.listed();
    // What is expected takes no place from what `strict` refuses.
    const fields = listed.losses.map(({ field }) => field);
    expect(fields).toEqual(['amb', 'amb', 'amb', 'dif', 'dif', 'dif']);
    expect(listed.warnings).toHaveLength(502);
    expect(listed.warnings.slice(-2)).toEqual([
      { code: 'MORE_WARNINGS', message: '9500 more are not listed' },
      { code: 'MORE_LOSSES', message: '19994 more losses are not listed' },
    ]);
  });

  it('cuts long names and messages', () => {
    const losses = new Losses();
    const name = 'm'.repeat(10_000_000);
    losses.add({ where: name, field: name, value: 1, done: name });
    losses.warn('MATERIAL_UNKNOWN', name);
    expect(JSON.stringify(losses.listed()).length).toBeLessThan(4000);
  });

  it('lists a warning once, with the first place and the number of others', () => {
    const losses = new Losses();
    for (const where of ['0/1', '0/2', '0/3']) losses.warn('SCALE_ZERO', 'not drawn', where);
    losses.warn('SCALE_ZERO', 'not drawn at all', '0/4');
    losses.warn('MATERIAL_UNKNOWN', 'grey');
    losses.warn('MATERIAL_UNKNOWN', 'grey');
    expect(losses.listed().warnings).toEqual([
      { code: 'SCALE_ZERO', message: 'not drawn (at 0/1 and 2 more)' },
      { code: 'SCALE_ZERO', message: 'not drawn at all (at 0/4)' },
      { code: 'MATERIAL_UNKNOWN', message: 'grey' },
    ]);
  });
});

describe('missingError', () => {
  it('has the code and message of the failed request, named once', () => {
    const missing = { code: 'HTTP_TIMEOUT', message: 'Block a: timed out after 60 s' };
    expect(missingError({ missing }, 'BLOCK_MISSING', 'block A')).toMatchObject(missing);
    const nameless = { code: 'BLOCK_INVALID', message: 'V: expected an array' };
    expect(missingError({ missing: nameless }, 'BLOCK_MISSING', 'block A')).toMatchObject({
      code: 'BLOCK_INVALID',
      message: 'block A: V: expected an array',
    });
  });

  it('has the given code where no code is recorded', () => {
    expect(missingError(undefined, 'IMAGE_MISSING', 'image W')).toMatchObject({
      code: 'IMAGE_MISSING',
      message: 'image W: not fetched',
    });
    const missing = { code: 'constructor', message: 'of a newer version' };
    expect(missingError({ missing }, 'BLOCK_MISSING', 'block A').code).toBe('BLOCK_MISSING');
  });
});
