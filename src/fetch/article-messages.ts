/**
 * Article messages: what the service has to say about an article, as warnings of its row.
 *
 * In: an article. Out: one warning for each kind of message that holds a text. Nothing is judged here.
 */
import type { Article } from '../model/article.ts';
import type { Warning } from '../model/snapshot.ts';
import { redact } from '../support/redact.ts';

const LONGEST = 500;

/**
 * Gathers `dump`, `usermessages` and `metamessages` of an article and of its children.
 *
 * The structure of messages is not specified: every text in them counts, each once.
 *
 * @example
 * ```ts
 * articleMessages({ …, ocd: { …, usermessages: [{ text: 'no longer sold' }] } });
 * // → [{ code: 'ARTICLE_REPORTED', message: 'usermessages: no longer sold' }]
 * ```
 *
 * @see Spec 2.2, 7; D-614.
 */
export function articleMessages(article: Article): Warning[] {
  const all = withChildren(article);
  const kinds: Readonly<Record<string, unknown[]>> = {
    dump: all.map(({ dump }) => dump),
    usermessages: all.map(({ ocd }) => ocd?.usermessages),
    metamessages: all.map(({ metamessages }) => metamessages),
  };
  return Object.entries(kinds).flatMap(([kind, messages]) => {
    const text = textOf(messages);
    return text === '' ? [] : [{ code: 'ARTICLE_REPORTED', message: `${kind}: ${text}` }];
  });
}

function withChildren(root: Article): Article[] {
  const all: Article[] = [];
  const stack = [root];
  for (let article = stack.pop(); article !== undefined; article = stack.pop()) {
    all.push(article);
    stack.push(...article.children.toReversed());
  }
  return all;
}

/** Every text in a value of any shape, in its order, each once, on one line. */
function textOf(value: unknown): string {
  const texts = new Set<string>();
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next === 'string') texts.add(next.replace(/[\p{Cc}\s]+/gu, ' ').trim());
    else if (typeof next === 'object' && next !== null) {
      for (const inner of Object.values(next).reverse()) stack.push(inner);
    }
  }
  texts.delete('');
  const text = redact([...texts].join('; '));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
