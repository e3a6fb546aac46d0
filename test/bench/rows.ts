/** The rows of the results: what is measured, what it was before the work on speed, and what it should be. */

/** One row. */
export interface Row {
  measure: string;
  unit: keyof typeof UNITS;
  /** Measured before the work on speed. */
  before?: number;
  /** What the value should be; a row with neither informs. */
  atLeast?: number;
  atMost?: number;
}

/** Rows by name. */
export type Rows = Readonly<Record<string, Row>>;

const UNITS = {
  times: (value: number) => `${digits(value)}×`,
  seconds: (value: number) => `${digits(value)} s`,
  milliseconds: (value: number) => `${digits(value)} ms`,
  nanoseconds: (value: number) => `${digits(value)} ns`,
  kilobytes: (value: number) => `${value.toFixed(0)} kB`,
  mebibytes: (value: number) => `${value.toFixed(0)} MiB`,
  count: (value: number) => value.toFixed(0),
  hours: (value: number) => `${digits(value)} h`,
  'millions a second': (value: number) => `${digits(value)} million/s`,
} as const;

function digits(value: number): string {
  if (!Number.isFinite(value) || value >= 100) return value.toFixed(0);
  return String(Number(value.toPrecision(value >= 10 ? 3 : 2)));
}

const row = (
  measure: string,
  unit: Row['unit'],
  figures: Omit<Row, 'measure' | 'unit'> = {},
): Row => ({
  measure,
  unit,
  ...figures,
});

const PEER_SIZES = ['S', 'M', 'L', 'XL', 'I'];

/** A row for each size that a peer converts: its ratio before, and what it should be. */
function peerRows(peer: string, ...ratios: (readonly [before: number, atLeast?: number])[]): Rows {
  return Object.fromEntries(
    ratios.map(([before, atLeast], i) => {
      const measure = `${peer} ÷ btg2gltf, ${PEER_SIZES[i]}`;
      const figures = { before, ...(atLeast && { atLeast }) };
      return [`${peer} ${PEER_SIZES[i]}`, row(measure, 'times', figures)];
    }),
  );
}

/** The rows of each group that `--only` selects, in the order of the results. */
export const GROUPS = {
  peers: {
    ...peerRows('obj2gltf', [0.61, 2], [0.78, 4], [2.1, 7.5], [3.5, 11], [1.6, 9]),
    ...peerRows('assimp', [0.04], [0.12, 0.6], [0.7, 2.6], [1.8, 5], [0.79, 4]),
    ...peerRows('gltfpack', [0.16], [0.17, 0.9], [0.3, 1.2], [0.51, 1.6], [0.32]),
  },
  straightforward: {
    straightforward: row('straightforward converter ÷ btg2gltf, L', 'times', { atLeast: 9 }),
  },
  stages: {
    warm: row('warm, one thread, L: triangles from bytes to GLB bytes', 'millions a second', {
      atLeast: 6,
    }),
    scan: row('scan of a body, a triangle', 'nanoseconds'),
    prepare: row('weld, checks and normals, a triangle', 'nanoseconds'),
    weld: row('weld alone, a triangle', 'nanoseconds'),
    split: row('split into vertices and indices, a triangle', 'nanoseconds'),
    write: row('scene to GLB, a triangle', 'nanoseconds'),
    'plain scan': row('JSON.parse instead of the scan', 'nanoseconds'),
    'plain weld': row('a Map with keys of text instead of the weld', 'nanoseconds'),
    'plain write': row('document of @gltf-transform/core to GLB', 'nanoseconds'),
  },
  configurations: {
    configurations: row(
      '500 independent conversions ÷ 500 configurations of one article in one build',
      'times',
      { atLeast: 25 },
    ),
  },
  runs: {
    cold: row('cold run over 1,000 small articles, no latency: time an article', 'milliseconds', {
      before: 9.3,
      atMost: 2.5,
    }),
    'cold 20': row('the same at 20 ms ÷ (requests × latency ÷ 16 connections)', 'times', {
      before: 3.3,
      atMost: 1.3,
    }),
    'cold 100': row('the same at 100 ms', 'times'),
    warm: row('run over the same with a full cache and no output', 'seconds'),
    again: row('unchanged run over the same', 'seconds'),
  },
  workers: {
    'throughput 2000': row(
      'throughput at 20 ms, 3 workers on this machine ÷ local, 2,000 configurations',
      'times',
      { atLeast: 0.9 },
    ),
    'throughput 8000': row('the same of 8,000 configurations', 'times', { atLeast: 0.9 }),
    overhead: row('what queue and file store add to a configuration', 'milliseconds', {
      atMost: 0.25,
    }),
  },
  scale: {
    ...Object.fromEntries(
      [10_000, 100_000, 1_000_000, 10_000_000].map((size): [string, Row] => [
        `predicted ${size}`,
        row(`${size.toLocaleString('en')} configurations, 3 workers`, 'hours'),
      ]),
    ),
    ...Object.fromEntries(
      [10_000, 100_000, 1_000_000, 10_000_000].map((size): [string, Row] => [
        `delivered ${size}`,
        row(
          `the same with web, ar-android, ar-ios and two pictures, ${size.toLocaleString('en')}`,
          'hours',
        ),
      ]),
    ),
    'profiles check small': row('time of profiles of 2,000 configurations ÷ predicted', 'times'),
    'profiles check large': row('time of profiles of 20,000 configurations ÷ predicted', 'times'),
    'profiles check store': row('PUTs of profiles of 500 configurations ÷ predicted', 'times'),
    'pictures check small': row('time of pictures of 500 configurations ÷ predicted', 'times'),
    'pictures check store': row('PUTs of pictures of 200 configurations ÷ predicted', 'times'),
    'check small': row('time of 2,000 configurations ÷ predicted', 'times'),
    'check large': row('time of 20,000 configurations ÷ predicted', 'times'),
    'check store': row('PUTs of 1,500 configurations ÷ predicted', 'times'),
  },
  rebuild: {
    rebuild: row(
      'rebuild of 1,000 articles ÷ hashing, writing, syncing, linking the same bytes',
      'times',
      { before: 8, atMost: 1.6 },
    ),
  },
  unchanged: {
    'unchanged 10000': row('unchanged run, 10,000 configurations', 'seconds', {
      before: 3.4,
      atMost: 1.5,
    }),
    'unchanged 50000': row('unchanged run, 50,000 configurations', 'seconds', {
      before: 12.8,
      atMost: 5,
    }),
    'memory 50000': row('peak memory, run of 50,000', 'mebibytes', { before: 420, atMost: 350 }),
  },
  start: {
    start: row('`npm start` after the build, first run', 'seconds', { before: 10.4, atMost: 4 }),
  },
  memory: {
    'memory L': row('peak memory, L', 'mebibytes', { before: 210, atMost: 120 }),
    'memory XL': row('peak memory, XL', 'mebibytes', { before: 400, atMost: 250 }),
    'memory hostile': row('peak memory, images and blocks of a hundred megabytes', 'mebibytes', {
      before: 2300,
      atMost: 700,
    }),
  },
  growth: {
    'growth triangles': row('time, 8× ÷ 1× triangles', 'times', { atMost: 8.8 }),
    'growth configurations': row('time, 8× ÷ 1× configurations', 'times', { atMost: 8.8 }),
    'growth memory': row('memory, 8× ÷ 1× configurations', 'times', { atMost: 1.3 }),
  },
  pictures: {
    warm: row('warm picture, 1,024² by 2×2 samples, 5,000 triangles', 'seconds', { atMost: 0.6 }),
    cached: row('picture from the image endpoint, in its store', 'milliseconds', { atMost: 10 }),
  },
  deliveries: {
    ...Object.fromEntries(
      [
        'web',
        'shared',
        'ar-android',
        'khronos-commerce',
        'google',
        'shopify',
        'amazon',
        'planner',
        'ar-ios',
      ].map((name): [string, Row] => [name, row(`a file of the profile ${name}`, 'milliseconds')]),
    ),
    'bytes of ar-ios': row('bytes of ar-ios ÷ masters', 'times', { atMost: 1.3 }),
    'glTF-Transform': row('functions of glTF-Transform, settings of web ÷ web', 'times', {
      atLeast: 3,
    }),
    gltfpack: row('gltfpack, which keeps textures ÷ web', 'times'),
    'two processors': row('profiles on one processor ÷ on two', 'times', { atLeast: 1.7 }),
    'workers, profiles': row('profiles by one worker on its processor ÷ by two', 'times', {
      atLeast: 1.8,
    }),
    'workers, pictures': row('pictures by one worker on its processor ÷ by two', 'times', {
      atLeast: 1.8,
    }),
    'workers, local': row('profiles in one process ÷ by 3 workers on this machine', 'times', {
      atLeast: 0.9,
    }),
    coordinator: row('coordinator, for each configuration and profile', 'milliseconds', {
      atMost: 0.5,
    }),
  },
  assets: {
    hit: row('asset that is known, over HTTP', 'milliseconds', { atMost: 1.5 }),
    new: row('asset of a new configuration, without the answers of the service', 'milliseconds', {
      atMost: 40,
    }),
    picture: row('picture of a new configuration', 'milliseconds', { atMost: 290 }),
    beside: row('known asset beside 16 clients that have files made ÷ alone, 95 %', 'times', {
      atMost: 3,
    }),
    errors: row('errors other than 503 to 200 clients', 'count', { atMost: 0 }),
    memory: row('memory after 10 s with 200 clients ÷ before', 'times', { atMost: 1.2 }),
  },
  planning: {
    transfer: row('JavaScript of the planning page, compressed', 'kilobytes', { atMost: 350 }),
    first: row('planning page on loopback: until an article is shown', 'seconds', { atMost: 2 }),
    growth: row('memory of the browser after 20 configurations ÷ before', 'times', { atMost: 1.2 }),
  },
  gallery: {
    first: row('gallery of 20,000 configurations: until cards are shown', 'seconds', { atMost: 2 }),
    search: row('the slowest search of the gallery, the first one a typing error', 'seconds', {
      atMost: 0.1,
    }),
  },
  'cold-start': {
    build: row('build of a small article ÷ `node -e 0`', 'times', { atMost: 3 }),
    unchanged: row('unchanged run of a small article ÷ `node -e 0`', 'times', { atMost: 6 }),
  },
} satisfies Readonly<Record<string, Rows>>;

/** The name of a group. */
export type GroupName = keyof typeof GROUPS;

/** A value with its unit. */
export function formatted({ unit }: Row, value: number): string {
  return UNITS[unit](value);
}

/** What a row should be, in words. */
export function aimOf(row: Row): string {
  if (row.atLeast !== undefined) return `≥ ${formatted(row, row.atLeast)}`;
  return row.atMost === undefined ? '–' : `≤ ${formatted(row, row.atMost)}`;
}

/** Whether a value is what it should be; empty for a row that informs. */
export function metOf({ atLeast, atMost }: Row, value: number): 'yes' | 'no' | '' {
  if (atLeast === undefined && atMost === undefined) return '';
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity) ? 'yes' : 'no';
}
