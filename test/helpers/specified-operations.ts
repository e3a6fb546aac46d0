/**
 * Reads the operations out of the text of the specification: tables of 4.1, 4.2 and 4.4, headings
 * of 4.3, and the body of section 5.
 */

/** One operation as the text has it. */
export interface SpecifiedOperation {
  section: string;
  method: string;
  group: string;
  path: string;
  /** Names of query parameters and body fields, sorted. */
  parameters: string[];
}

const GROUPS: Record<string, string> = { '4.1': 'auth', '4.2': 'xcf', '4.3': 'ofml', '4.4': 'odb' };

/** Every operation of sections 4.1 to 4.4; 4.5 to 4.7 are pages and calls of others. */
export function specifiedOperations(text: string): SpecifiedOperation[] {
  return Object.entries(GROUPS).flatMap(([section, group]) => {
    const body = between(text, `### ${section} `, '\n### ');
    const found =
      section === '4.3' ? ofHeadings(body) : ofTable(body, between(text, '## 5.', '\n## '));
    return found.map((operation) => ({ section, group, ...operation }));
  });
}

type Found = Omit<SpecifiedOperation, 'section' | 'group'>;

/** `| GET | \`/path\` | parameters | answer |`; a path of section 4.1 begins with its address. */
function ofTable(body: string, loginSection: string): Found[] {
  const rows = body.matchAll(/^\| (GET|POST) \| `(?:\{\w+\})?([^`]+)`[^|]*\| ([^|]*) \|/gm);
  return [...rows].map(([, method = '', path = '', third = '']) => ({
    method,
    path,
    parameters: third.includes('JSON body') ? firstColumn(loginSection) : namesIn(third),
  }));
}

/** `**GET \`/path\`**: …`, then a table of parameters, a table of fields, or a list in the sentence. */
function ofHeadings(body: string): Found[] {
  const parts = body.split(/^(?=\*\*(?:GET|POST) `)/m).slice(1);
  const found = parts.map((part): Found => {
    const [, method = '', path = ''] = /^\*\*(GET|POST) `([^`]+)`/.exec(part)!;
    return { method, path, parameters: [...listed(part), ...firstColumn(part)].sort() };
  });
  const [, named = ''] = /A separate `([^`]+)` operation/.exec(body) ?? [];
  return [...found, { method: 'POST', path: `/${named}`, parameters: [] }];
}

/** `Query parameters: \`a\`, \`b\``, `query \`a\``, and the one property of a body. */
function listed(part: string): string[] {
  const [sentence = ''] = /[Qq]uery(?: parameters)?:? (?:`\w+`(?:, )?)+/.exec(part) ?? [];
  const [, property] = /one property `(\w+)`/.exec(part) ?? [];
  return [...namesIn(sentence), ...(property === undefined ? [] : [property])];
}

function firstColumn(part: string): string[] {
  return [...part.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name).sort();
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort();
}

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start);
  if (from < 0) return '';
  const to = text.indexOf(end, from + start.length);
  return text.slice(from, to < 0 ? undefined : to);
}
