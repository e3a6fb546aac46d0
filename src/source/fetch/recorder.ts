/** Records the answers of a service, so that `serve --recording` can replay them. */
import { join } from 'node:path';
import { isRecord, type JsonRecord, parseJson } from '../../convert/wire/value.ts';
import { asConverterError, ConverterError } from '../../support/errors.ts';
import { encodeFileName } from '../../support/file-names.ts';
import { readBytesIfExists, replaceFile, sha256Hex } from '../../support/files.ts';
import { groupBy } from '../../support/group-by.ts';
import { redact } from '../../support/redact.ts';
import { OPERATIONS, type OperationName, requestKey, type Values } from '../service/operations.ts';
import type { RawAnswer } from '../service/service-config.ts';
import { queryOf } from '../service/target.ts';

const FORMAT = 1;

/** What a recording contains. */
export interface RecordingContent {
  /** Number of answers by operation; `plannings` are those behind permanent identifiers. */
  answers: Record<string, number>;
  bytes: number;
  /** Number of answers from which a secret was removed, so that they differ from what the service sent. */
  redacted: number;
}

type Rule =
  /** The answer is recorded among the listings of the catalogue. */
  | { form: 'listing' }
  /** The answer and its request are in one file; `more` returns values of the request from the body that was sent. */
  | { form: 'record'; folder: string; more?(sent: unknown): Record<string, string> }
  /** The answer is stored as received, in a path made of its request; the separator divides folders within a value. */
  | { form: 'body'; folder: string; suffix: string; separator?: string; isJson?: true };

type RuleOf<Form> = Extract<Rule, { form: Form }>;

const RULES: Readonly<Record<OperationName, Rule | undefined>> = {
  // A replay has its own keys and tokens, and knows each path from the listings.
  getPublicKey: undefined,
  getSessionToken: undefined,
  logoutCatalogue: undefined,
  logoutGraphics: undefined,
  getBreadcrumbs: undefined,
  // No run sends these operations: D-821, D-782.
  storePlanning: undefined,
  restoreConfiguration: undefined,
  getArticleImage: undefined,
  getNodes: { form: 'listing' },
  search: { form: 'listing' },
  getArticle: { form: 'record', folder: 'ofml/articles' },
  changeProperty: { form: 'record', folder: 'ofml/changes', more: changeOf },
  getPartsList: { form: 'record', folder: 'odb/btg' },
  getBlock: { form: 'body', folder: 'odb/block', suffix: '.json', separator: '::', isJson: true },
  getMaterial: { form: 'body', folder: 'odb/materials', suffix: '.JPG' },
  getManufacturerResource: { form: 'body', folder: 'xcf/ressource', suffix: '' },
  getSeriesResource: { form: 'body', folder: 'xcf/ressource', suffix: '' },
  getResource: { form: 'body', folder: 'xcf/ressource', suffix: '', separator: '/' },
  getPreview: { form: 'body', folder: 'ocd/preview', suffix: '' },
};

/** Separates manufacturer and query in the id of a search; no folder has such an id: D-820. */
const SEARCH = ';SEARCH;';

/**
 * Writes a recording into an empty folder. The same answers give the same bytes, in any order.
 *
 * @see D-724, D-820, D-821, D-822.
 */
export class Recorder {
  readonly #dir: string;
  readonly #listings = new Map<string, unknown[]>();
  /** The content of each file and listing. */
  readonly #recorded = new Map<string, { operation: string; bytes: number; isRedacted: boolean }>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The planning of a permanent identifier in a recording. @throws {@link ConverterError} `RECORDING_INVALID`. */
  static async readPlanning(recording: string, id: string): Promise<unknown> {
    const path = join(recording, planningFile(id));
    const bytes = await readBytesIfExists(path);
    if (bytes === undefined) return undefined;
    try {
      const { request, response } = parseJson(bytes) as Record<string, JsonRecord>;
      // A file system may ignore case, but identifiers do not.
      return request!.permanentid === redact(id) ? response : undefined;
    } catch (cause) {
      const why = asConverterError(cause).message;
      const message = `${path}: expected request.permanentid and response: ${why}`;
      throw new ConverterError('RECORDING_INVALID', message, { cause });
    }
  }

  /** Records an answer, unless it is an error or a run does not need it. A client calls this back. */
  readonly answer = async (raw: RawAnswer): Promise<void> => {
    const rule = RULES[raw.operation];
    if (rule === undefined || raw.status < 200 || raw.status > 299) return;
    if (rule.form === 'listing') this.#list(raw);
    else if (rule.form === 'record') await this.#record(raw, rule);
    else await this.#body(raw, rule);
  };

  /** Records the planning behind a permanent identifier. A selection calls this back. */
  readonly planning = async (id: string, topLevelArticle: unknown): Promise<void> => {
    const bytes = new TextEncoder().encode(JSON.stringify(topLevelArticle));
    await this.#write(planningFile(id), { permanentid: id }, 'plannings', bytes);
  };

  /** Writes the files that need all answers. A recording is complete only after this. */
  async finish(name: string): Promise<RecordingContent> {
    const convertdate = latestDate(this.#listings.get('') ?? []);
    const isSearch = (id: string) => Number(id.includes(SEARCH));
    // Folders by id, then searches by id.
    const listings = [...this.#listings].sort(
      ([a], [b]) => isSearch(a) - isSearch(b) || (a < b ? -1 : 1),
    );
    const files = {
      'xcf/nodes.json': listings.map(([parentnode, nodes]) => ({ parentnode, nodes })),
      'recording.json': { format: FORMAT, name: redact(name), convertdate },
    };
    for (const [file, content] of Object.entries(files)) {
      await replaceFile(join(this.#dir, file), `${JSON.stringify(content, null, 1)}\n`);
    }
    const all = [...this.#recorded.values()];
    const answers = [...groupBy(all, ({ operation }) => operation)].sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    return {
      answers: Object.fromEntries(answers.map(([operation, { length }]) => [operation, length])),
      bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
      redacted: all.filter(({ isRedacted }) => isRedacted).length,
    };
  }

  #list({ operation, values, bytes }: RawAnswer): void {
    const answer = readJson(bytes);
    if (!Array.isArray(answer?.value)) return;
    const id = redact(identityOf(operation, values).join(SEARCH));
    this.#listings.set(id, answer.value);
    this.#note(`listing ${id}`, operation, bytes, answer.isRedacted);
  }

  async #record(raw: RawAnswer, { folder, more }: RuleOf<'record'>): Promise<void> {
    const { operation, values, bytes } = raw;
    const sent = more?.(JSON.parse(raw.sent ?? '{}')) ?? {};
    const query = Object.fromEntries(queryOf(OPERATIONS[operation], values));
    const file = `${folder}/${recordFile(operation, redactValues({ ...values, ...sent }))}`;
    await this.#write(file, { ...query, ...sent }, operation, bytes);
  }

  async #body(raw: RawAnswer, rule: RuleOf<'body'>): Promise<void> {
    const answer = rule.isJson && (readJson(raw.bytes) ?? readPage(raw.bytes));
    const redacted = answer?.isRedacted ? answer.text : undefined;
    const path = bodyPath(raw, rule).map((name) => encodeFileName(redact(name)));
    const file = `${rule.folder}/${path.join('/')}${rule.suffix}`;
    await replaceFile(join(this.#dir, file), redacted ?? raw.bytes);
    this.#note(file, raw.operation, raw.bytes, redacted !== undefined);
  }

  /** Writes a record. The response keeps its spelling, because it may be too deep for JSON.stringify (D-113). */
  async #write(file: string, request: Values, operation: string, bytes: Uint8Array): Promise<void> {
    const answer = readJson(bytes);
    if (answer === undefined || !isRecord(answer.value)) return;
    const head = JSON.stringify(redactValues(request));
    await replaceFile(join(this.#dir, file), `{"request":${head},"response":${answer.text}}\n`);
    this.#note(file, operation, bytes, answer.isRedacted);
  }

  #note(file: string, operation: string, { length }: Uint8Array, isRedacted: boolean): void {
    this.#recorded.set(file, { operation, bytes: length, isRedacted });
  }
}

/**
 * Removes secrets from the strings of a JSON text, however they are escaped; everything else is kept byte for
 * byte. Each string is redacted by itself: a pattern that matched past its end would garble the text.
 */
export function withoutSecrets(text: string): string {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/gs, (spelled) => {
    const plain = spelled.includes('\\') ? (JSON.parse(spelled) as string) : spelled.slice(1, -1);
    const clean = redact(plain);
    return clean === plain ? spelled : JSON.stringify(clean);
  });
}

/** The key of a request is the JSON of the values that identify it. */
const identityOf = (operation: OperationName, values: Values): string[] =>
  JSON.parse(requestKey(operation, values));

/** Returns the changed property, and the previous meta configuration; the whole previous article is too large. */
function changeOf(sent: unknown): Record<string, string> {
  const { jsondata, ...change } = sent as Record<string, unknown>;
  const { reinit } = (jsondata ?? {}) as { reinit?: unknown };
  const names = ['proptype', 'propclass', 'prop', 'newvalue'];
  const setting = Object.fromEntries(names.map((name) => [name, String(change[name] ?? '')]));
  return { ...setting, metareinitstring: String(reinit ?? '') };
}

/** The file of a record, `ACME_DESK_D1~6d0d9b2a54a3a8c1.json`: readable, and a digest of the request key. */
function recordFile(operation: OperationName, values: Values): string {
  const { manufacturer = '', program = '', basearticlenumber = '' } = values;
  const article = [manufacturer.toUpperCase(), program.toUpperCase(), basearticlenumber].join('_');
  return `${encodeFileName(article)}~${sha256Hex(requestKey(operation, values)).slice(0, 16)}.json`;
}

/** Returns the folders and the name of a body. The name of a block may contain the separator. */
function bodyPath({ operation, values }: RawAnswer, { separator }: RuleOf<'body'>): string[] {
  const identity = identityOf(operation, values);
  if (separator === undefined) return identity;
  const segments = identity.join(separator).split(separator);
  if (operation !== 'getBlock') return segments;
  const [manufacturer = '', program = '', ...name] = segments;
  return [manufacturer, program, name.join(separator)];
}

function planningFile(id: string): string {
  return `ofml/plannings/${encodeFileName(redact(id))}.json`;
}

function redactValues(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value = '']) => [name, redact(value)]),
  );
}

/** The text of a JSON body without its secrets, and its value; undefined if it is not JSON. */
function readJson(bytes: Uint8Array) {
  try {
    const received = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const text = withoutSecrets(received);
    const value = parseJson(new TextEncoder().encode(text));
    return { text, value, isRedacted: text !== received };
  } catch {
    return undefined;
  }
}

/** Reads a body that should be JSON and is not, such as an error page. */
function readPage(bytes: Uint8Array) {
  const received = new TextDecoder().decode(bytes);
  const text = redact(received);
  return { text, isRedacted: text !== received };
}

/** The latest conversion date; empty if a folder has none, since a replay would give that folder the date. */
function latestDate(nodes: readonly unknown[]): string {
  const dates = nodes.map((node) => (node as { convertdate?: unknown } | null)?.convertdate);
  const texts = dates.filter((date): date is string => typeof date === 'string' && date !== '');
  return texts.length < dates.length ? '' : (texts.sort().at(-1) ?? '');
}
