/**
 * Hostile kinds: one row for each way in which the answers about one article can harm a converter.
 *
 * Each row replaces some answers of a small box; see `hostile-service.ts`.
 */
import { createHash } from 'node:crypto';
import { crc32, deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { type Answer, cut, html, json, raw, reset, silence, stall } from './fault-server.ts';
import { BOX_TRIANGLES, body, boxPoints } from './graphics.ts';
import { slowToPack, withFrameSize } from './hostile-image.ts';
import {
  articleJson,
  blockOf,
  EVIL,
  type HostileAnswers,
  jsonOf,
  made,
  once,
  packed,
  partsListJson,
  repeated,
  streamed,
} from './hostile-service.ts';
import { BOX_BODY } from './snapshot.ts';

/** One row. */
export interface HostileKind extends HostileAnswers {
  /** How many articles of it there are. @defaultValue 1 */
  times?: number;
  /** Keeps a processor busy, so that Ctrl-C is tried while it does. */
  isBusy?: true;
  /** Part of the short form of the test. */
  isShort?: true;
}

const MILLION = 1_000_000;
/** 0.75 MB that no packer makes smaller: without it, the ratio alone would give a packed body away. */
const NOISE = createHash('shake256', { outputLength: 750_000 }).update('noise').digest('base64');
const LONG = 'x'.repeat(10 * MILLION);
const ESCAPES = '\u001b[2J\u001b]0;owned\u0007\r\n\u202egpj.exe\u009b31m';
const JPEG = { 'content-type': 'image/jpeg' };

/** Another answer of GET btg. */
const list = (answer: Answer): HostileAnswers => ({ partsList: answer });
/** A parts list with other nodes, materials or blocks than the box. */
const nodesOf = (btg: unknown[], more: object = {}): HostileAnswers =>
  list(jsonOf((number) => ({ ...partsListJson(number), btg, ...more })));
/** A parts list of many nodes, each a text that is made while it is sent. */
const manyNodes = (count: number, one: (index: number) => string): HostileAnswers =>
  list(streamed(() => enclosed('{"btg":[', listed(count, one), '],"blocks":[],"mats":[]}')));
/** A block that is made while it is sent. */
const block = (pieces: () => Iterable<string>): HostileAnswers => ({ block: streamed(pieces) });
/** Fields of the commercial data that are different. */
const said = (ocd: object, more: object = {}): HostileAnswers => ({
  article: jsonOf((number) => articleJson(number, { ...ocd }, { ...more })),
});
/** A picture that is decoded, because a map is made of it. */
const picture = (image: Answer): HostileAnswers => ({
  partsList: jsonOf((number) =>
    partsListJson(number, { mats: [{ mname: 'M', pic: number, bump: number }] }),
  ),
  image,
});
const file = (make: (number: string) => Uint8Array | Promise<Uint8Array>) =>
  picture(made(make, JPEG));

function* enclosed(before: string, pieces: Iterable<string>, after: string) {
  yield before;
  yield* pieces;
  yield after;
}

function propertyAt(_: unknown, index: number) {
  return { name: `P${index}`, obligatory: true, currentvalue: '' };
}

/** Numbers, texts or objects in a list, one after the other, 1,000 in a piece. */
function* listed(count: number, one: (index: number) => string): Iterable<string> {
  for (let from = 0; from < count; from += 1000) {
    const end = Math.min(count, from + 1000);
    const texts = Array.from({ length: end - from }, (_, i) => one(from + i)).join();
    yield from === 0 ? texts : `,${texts}`;
  }
}

/** A list in a list in a list, and so on. */
const nested = (open: string, close: string, depth: number): HostileAnswers =>
  list(
    streamed(() => [
      '{"btg":[',
      ...repeated(open, depth),
      ...repeated(close, depth),
      '],"blocks":[],"mats":[]}',
    ]),
  );

/** A byte every tenth of a second. */
const slow: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
};

/** Triangles around one point, each with UVs of its own. */
function* fan(triangles: number): Iterable<string> {
  const angle = (i: number) => (2 * Math.PI * i) / triangles;
  yield '{"V":[0,0,0,';
  yield* listed(triangles, (i) => `${Math.cos(angle(i))},${Math.sin(angle(i))},0`);
  yield '],"T":[';
  yield* listed(3 * triangles, (i) => `${i},${i / 7}`);
  yield '],"A":[{"F":[';
  yield* listed(triangles, (i) => `0,${1 + i},${1 + ((i + 1) % triangles)}`);
  yield '],"TI":[';
  yield* listed(3 * triangles, String);
  yield ']}]}';
}

/** A field of squares, two triangles each. */
function* field(side: number): Iterable<string> {
  const at = (i: number) => [i % side, Math.floor(i / side)] as const;
  yield '{"V":[';
  yield* listed(side * side, (i) => `${at(i)[0]},${at(i)[1]},${Math.sin(i)}`);
  yield '],"T":[],"A":[{"F":[';
  yield* listed((side - 1) ** 2, (i) => {
    const a = (i % (side - 1)) + side * Math.floor(i / (side - 1));
    return `${a},${a + 1},${a + side + 1},${a},${a + side + 1},${a + side}`;
  });
  yield ']}]}';
}

/** A PNG of one colour, whose data are a thousand times as large as it. */
function pngOf(side: number): Buffer {
  const chunk = (type: string, data: Uint8Array) => {
    const bytes = Buffer.alloc(12 + data.length);
    bytes.writeUInt32BE(data.length);
    bytes.write(type, 4, 'latin1');
    bytes.set(data, 8);
    bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
    return bytes;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side);
  header.writeUInt32BE(side, 4);
  header.set([8, 2], 8);
  const data = deflateSync(Buffer.alloc(side * (1 + 3 * side)));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A progressive JPEG of one colour. */
async function jpegOf(side: number): Promise<Uint8Array> {
  const background = { r: 90, g: 120, b: 30 };
  return sharp({ create: { width: side, height: side, channels: 3, background } })
    .jpeg({ progressive: true })
    .toBuffer();
}
const large = once(() => jpegOf(8000));
const small = once(() => jpegOf(64));
const slowPicture = once(() => slowToPack());

/** A JPEG with comments after its signature. */
function withComments(jpeg: Uint8Array, text: string, times = 1): Uint8Array {
  const comment = Buffer.from(`\u00ff\u00fe\0\0${text}`, 'latin1');
  comment.writeUInt16BE(comment.length - 2, 2);
  const comments = Array.from({ length: times }, () => comment);
  return Buffer.concat([jpeg.subarray(0, 2), ...comments, jpeg.subarray(2)]);
}

/** All rows, by name. */
export const HOSTILE_KINDS: Readonly<Record<string, HostileKind>> = {
  // Bodies
  'gzip-of-values': list(
    packed(() => repeated('{},', 60 * MILLION, `{"x":"${NOISE}","btg":[`, '{}]}')),
  ),
  'gzip-of-spaces': list(
    packed(() => repeated(' ', 180 * MILLION, `{"x":"${NOISE}","btg":[`, ']}')),
  ),
  'gzip-of-gzip': list(
    made(() => gzipSync(gzipSync(Buffer.alloc(200 * MILLION))), {
      'content-encoding': 'gzip, gzip',
    }),
  ),
  'values-within-the-limit': {
    ...list(streamed(() => repeated('{},', 490_000, '{"btg":[', '{}]}'))),
    times: 2,
    isBusy: true,
  },
  'endless-values': {
    ...list(streamed(() => repeated('{},', Infinity, '{"btg":['))),
    times: 3,
    isShort: true,
  },
  'endless-block': block(() => repeated('0.1,', Infinity, '{"V":[')),
  'endless-picture': { image: streamed(() => repeated('\u0000', Infinity, '\u00ff'), JPEG) },
  'large-without-length': list(streamed(() => repeated(' ', 250 * MILLION, '{"btg":[', ']}'))),
  'slow-body': list(slow),
  'wrong-length': list(raw('{}', { 'content-length': '1000000000000000' })),
  'part-of-a-body': list(cut),
  'stalled-body': list(stall),
  silence: list(silence),
  reset: { ...list(reset), isShort: true },
  'wrong-encoding': { ...list(raw('{}', { 'content-encoding': 'gzip' })), isShort: true },
  'unknown-encoding': list(raw('{}', { 'content-encoding': 'zstd' })),
  'empty-body': { ...list(raw('')), isShort: true },
  // HTTP
  html: { ...list(html), article: html, isShort: true },
  'redirect-in-a-circle': list((response, request) =>
    raw('', { location: request.url! }, 302)(response, request),
  ),
  'redirect-to-another-host': list(raw('', { location: 'http://evil.invalid/' }, 302)),
  'flood-of-headers': list((response) => {
    for (let i = 0; i < 20_000; i++) response.setHeader(`x-${i}`, 'x'.repeat(100));
    response.end('{}');
  }),
  'endless-headers': list((response) => {
    const { socket } = response;
    socket!.write('HTTP/1.1 200 OK\r\n');
    const write = () => {
      while (!socket!.destroyed && socket!.write(`x-more: ${'x'.repeat(1000)}\r\n`));
    };
    socket!.on('drain', write).on('error', () => {});
    write();
  }),
  'not-http': list((response) => void response.socket!.end('HTTP/9.9 200 \u0000\r\n\r\n')),
  'refused-for-an-hour': list(raw('', { 'retry-after': '3600' }, 429)),
  'long-error': { ...list(json({ error: LONG }, 500)), article: json({ error: ESCAPES }, 500) },
  // JSON
  'nested-120000-deep': nested('{"type":"top","childs":[', ']}', 120_000),
  'block-nested-600000-deep': block(() => [...repeated('[', 600_000), ...repeated(']', 600_000)]),
  'digits-and-an-x': {
    ...nodesOf([{ type: 'top', offs: [`${'1'.repeat(160_000)}x`, 0, 0] }]),
    isBusy: true,
    isShort: true,
  },
  'no-numbers': {
    block: raw('{"V":[NaN,1e999,-1e999,0,0,0,1,1,1],"A":[{"F":[0,1,2]}]}'),
    isShort: true,
  },
  'numbers-without-end': { block: raw(body({ ...BOX_BODY, V: boxPoints(1e308, 1e308, 1e308) })) },
  'wrong-types': {
    ...nodesOf([{ type: 7, prop: [], childs: {} }], { blocks: 'x', mats: { a: 1 } }),
    isShort: true,
  },
  'wrong-types-of-an-article': { article: json([[{ ocd: [] }]]) },
  'keys-of-objects': list(
    raw('{"btg":[{"__proto__":{"type":"imp"},"constructor":1}],"__proto__":{"x":1}}'),
  ),
  'children-of-itself': said(
    {},
    { children: Array.from({ length: 3 }, () => articleJson('children-of-itself-1')) },
  ),
  'indices-out-of-range': {
    block: raw(body({ V: boxPoints(), A: [{ F: BOX_TRIANGLES.map((i) => i * 1e9 - 5) }] })),
  },
  'unknown-layers': nodesOf(
    Array.from({ length: 3000 }, (_, i) => ({ type: 'top', lay: `72_${'A_'.repeat(100)}${i}` })),
  ),
  // Amounts
  'top-level-nodes': {
    ...manyNodes(40_000, (i) => `{"type":"block","params":[0.1,0.1,0.1],"offs":[${i},0,0]}`),
    isBusy: true,
  },
  'losses-by-the-50000': {
    ...manyNodes(
      50_000,
      (i) => `{"type":"block","params":[1,1,1],"mat":"M${i}","lay":"L${i}","x${i}":1}`,
    ),
    isBusy: true,
  },
  'materials-by-the-100000': nodesOf([{ type: 'block', params: [1, 1, 1] }], {
    mats: Array.from({ length: 100_000 }, (_, i) => ({ mname: `M${i}`, refl: 'x', odd: i })),
  }),
  'blocks-by-the-20000': manyNodes(
    20_000,
    (i) => `{"type":"imp","btgname":"EVIL::KIND::blocks-by-the-20000::${i}"}`,
  ),
  'slow-blocks-by-the-3000': {
    ...manyNodes(
      3000,
      (i) => `{"type":"imp","btgname":"EVIL::KIND::slow-blocks-by-the-3000-1::${i}"}`,
    ),
    block: slow,
  },
  'spheres-by-the-20000': {
    ...manyNodes(20_000, (i) => `{"type":"sphere","params":[${1 + i / 1000}],"offs":[${i},0,0]}`),
    isBusy: true,
  },
  'fan-with-uvs': { ...block(() => fan(100_000)), isBusy: true },
  'surfaces-by-the-150000': {
    ...block(() =>
      enclosed(
        `{"V":[${boxPoints()}],"A":[`,
        listed(150_000, () => '{"F":[0,1,2]}'),
        ']}',
      ),
    ),
    isBusy: true,
  },
  'large-block': { ...block(() => field(600)), isBusy: true },
  'scales-of-a-large-block': {
    partsList: jsonOf((number) =>
      partsListJson(number, {
        btg: Array.from({ length: 300 }, (_, i) => ({
          type: 'imp',
          prop: { btgname: blockOf(number), scale: [1 + i / 100, 1, 1 + i / 50] },
        })),
      }),
    ),
    ...block(() => field(400)),
    isBusy: true,
  },
  // Pictures
  'large-progressive-picture': {
    ...file(async (number) => withComments(await large(), number)),
    times: 6,
    isBusy: true,
  },
  'picture-of-huge-size': {
    ...file(async () => withFrameSize(await small(), 65_500)),
    isShort: true,
  },
  'picture-larger-than-its-data': file(async () => withFrameSize(await small(), 8000)),
  'part-of-a-picture': file(async () => (await large()).subarray(0, 100_000)),
  'png-of-huge-size': file(() => pngOf(8000)),
  'picture-slow-to-pack': {
    image: made(slowPicture, { 'content-type': 'image/webp' }),
    isBusy: true,
  },
  'picture-with-long-comments': file(async () =>
    withComments(await small(), LONG.slice(0, 60_000), 300),
  ),
  'picture-of-text': picture(raw('<svg xmlns="http://www.w3.org/2000/svg"/>', JPEG)),
  // Names and texts
  'trailing-dots': {
    ...said({ finalarticlenumber: `a${'.'.repeat(200_000)}b${'.'.repeat(200_000)}` }),
    isBusy: true,
    isShort: true,
  },
  'colliding-names': { ...said({ finalarticlenumber: '.'.repeat(300) }), times: 5 },
  'path-as-a-number': {
    ...said({ finalarticlenumber: '../../../../escaped', reinitstring: '/etc/passwd' }),
    isShort: true,
  },
  'reserved-name': said({ finalarticlenumber: 'CON.txt ' }),
  'escape-sequences': {
    ...said({ finalarticlenumber: ESCAPES, shorttext: ESCAPES }, { dump: ESCAPES }),
    isShort: true,
  },
  'long-texts': said({ shorttext: LONG, longtext: LONG, usermessages: [LONG] }),
  'long-numbers': said({ finalarticlenumber: LONG, reinitstring: LONG }),
  'properties-by-the-100000': said({
    propclasses: [
      { name: 'C', text: 'C', properties: Array.from({ length: 100_000 }, propertyAt) },
    ],
  }),
  'another-article': said({}, { ...EVIL, basearticlenumber: 'html-1' }),
};
