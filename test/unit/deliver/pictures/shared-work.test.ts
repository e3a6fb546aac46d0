/** Work that several wait for: once for all, and none that is abandoned. */
import { describe, expect, test } from 'vitest';
import { createSharedWork } from '../../../../src/deliver/pictures/shared-work.ts';
import { coded } from '../../../helpers/coded-error.ts';

/** Work that ends when it is told to, and what has begun. */
function someWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(`${name} is done`)));
  };
  return { begun, work, end: (name: string) => ends.get(name)!() };
}

/** Until all that can happen has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('shared work', () => {
  const forever = new AbortController().signal;

  test('is done once for all that wait for it, and again for those that come later', async () => {
    const once = createSharedWork<string>(2, 8, 'too many');
    const { begun, work, end } = someWork();
    const both = [once('a', forever, work('a')), once('a', forever, work('a'))];
    await settled();
    end('a');
    expect(await Promise.all(both)).toEqual(['a is done', 'a is done']);
    const later = once('a', forever, work('a'));
    await settled();
    end('a');
    await later;
    expect(begun).toEqual(['a', 'a']);
  });

  test('is not begun once all have gone that waited for it; others keep theirs', async () => {
    const once = createSharedWork<string>(1, 8, 'too many');
    const { begun, work, end } = someWork();
    const first = once('a', forever, work('a'));
    const [one, other] = [new AbortController(), new AbortController()];
    const abandoned = [once('b', one.signal, work('b')), once('b', other.signal, work('b'))];
    const kept = [once('c', one.signal, work('c')), once('c', forever, work('c'))];
    const results = Promise.allSettled([...abandoned, ...kept]);
    await settled();
    one.abort();
    other.abort();
    await settled();
    end('a');
    await first;
    await settled();
    end('c');
    expect((await results).map(({ status }) => status)).toEqual([
      ...['rejected', 'rejected', 'rejected', 'fulfilled'],
    ]);
    expect(begun).toEqual(['a', 'c']);
  });

  test('that was abandoned is begun for who comes then, and frees its place at once', async () => {
    const once = createSharedWork<string>(1, 2, 'too many');
    const { begun, work, end } = someWork();
    const first = once('a', forever, work('a'));
    const gone = new AbortController();
    const abandoned = expect(once('b', gone.signal, work('b'))).rejects.toThrow();
    await settled();
    await expect(once('c', forever, work('c'))).rejects.toThrow(coded('RATE_LIMITED'));
    gone.abort();
    await abandoned;
    const again = once('b', forever, work('b'));
    end('a');
    await first;
    await settled();
    end('b');
    expect([await again, begun]).toEqual(['b is done', ['a', 'b']]);
  });

  test('that has begun goes on, though all have gone that waited for it', async () => {
    const once = createSharedWork<string>(1, 8, 'too many');
    const { begun, work, end } = someWork();
    const gone = new AbortController();
    const left = expect(once('a', gone.signal, work('a'))).rejects.toThrow();
    await settled();
    gone.abort();
    await left;
    const joined = once('a', forever, work('a'));
    end('a');
    expect([await joined, begun]).toEqual(['a is done', ['a']]);
  });
});
