/** Reports for tests: one of a run without changes, and one of a run in which everything happened. */

import { helpFor } from '../../src/run/lists/messages.ts';
import { Collector, type ReportedLine } from '../../src/run/report/collect.ts';
import type { FailureRow, GateReport, RunReport } from '../../src/run/report/run-report.ts';

/** Texts that would do something in a page or an XML file that did not escape them. */
export const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(2)</script>',
  'javascript:alert(3)',
  '"><svg onload=alert(4)>',
  "' onmouseover='alert(5)",
  '${alert(6)}{{7*7}}',
  'A\u202Egpj.exe',
  'nul\u0000bell\u0007esc\u001b[31m',
  ']]><x/>&amp;&lt;',
  '😀\uD800lone',
] as const;

const NO_GATES = { refused: false, accepted: false, count: 0, byGate: {}, findings: [] };

const worker = (
  name: string,
  state: 'idle' | 'lost',
  chunks: number,
  failed = 0,
): NonNullable<RunReport['workers']>[number] => {
  const configurations = chunks * 200;
  return { name, state, chunks, configurations, failed, requests: chunks * 400, peakBytes: 3e8 };
};

/** What three workers of a run did, of which one was lost. */
export const WORKERS = [
  worker('host-a-10-abc', 'idle', 30),
  worker('host-b-11-abc', 'lost', 3, 2),
  worker('host-c-12-abc', 'idle', 20),
];

const NO_CONFIGURATION = { finalarticlenumber: '', reinitstring: '', metareinitstring: '' };

/** A line of one configuration; defaults are those of a run without changes. */
export function reportedLine(number: string, given: Partial<ReportedLine> = {}): ReportedLine {
  return {
    ...{ manufacturer: 'ACME', program: 'DESK', basearticlenumber: number, ...NO_CONFIGURATION },
    ...{ status: 'unchanged', warnings: [], losses: [], ...given },
  };
}

/** The report of these lines; defaults are those of a run without changes. */
export function reportOf(
  lines: readonly ReportedLine[],
  given: Partial<RunReport> = {},
  removed: readonly ReportedLine[] = [],
  notSelected: readonly FailureRow[] = [],
): RunReport {
  const collector = new Collector();
  for (const row of notSelected) collector.addNotSelected(row);
  for (const line of lines) collector.add(line);
  for (const line of removed) collector.addChange({ change: 'removed' }, () => line);
  return {
    format: 2,
    command: 'run',
    run: '2026-11-21T02-00-00.000Z',
    pipeline: 'nightly',
    service: 'https://service.example/api',
    startedAt: '2026-11-21T02:00:00.000Z',
    endedAt: '2026-11-21T02:12:31.000Z',
    totalMs: 751_000,
    stageMs: { select: 21_400, fetch: 702_300, transform: 402_000, write: 91_200, publish: 9_800 },
    ended: 'complete',
    published: true,
    ...collector.collected(),
    requests: { sent: 0, bytesReceived: 0, byOperation: {}, byStatus: {}, fromCache: 0 },
    gates: NO_GATES,
    drift: [],
    outputDir: '/srv/assets/nightly',
    cacheDir: '/srv/assets/.cache',
    ...given,
  };
}

/** Thousands of configurations as a service has them: desks, cupboards, chairs, and hostile ones. */
export function mixedReport(configurations = 4000): RunReport {
  const programs = ['DESK', 'CUPBOARD', 'CHAIR', 'SCREEN', 'LOUNGE'];
  const lines = Array.from({ length: configurations }, (_, i): ReportedLine => {
    const program = programs[i % 5]!;
    const number = `${program.slice(0, 2)}-${1000 + Math.floor(i / 4)}`;
    const line = reportedLine(number, {
      program,
      manufacturer: i % 3 === 0 ? 'FJEL' : 'ACME',
      finalarticlenumber: i % 4 === 0 ? '' : `${number}-${i % 4}`,
      reinitstring: `W=${800 + (i % 9) * 100};F=${i % 7}`,
      ...built(i),
    });
    if (i % 90 === 7)
      return { ...line, change: 'new', status: 'converted', ms: 300 + ((i * 7919) % 9000) };
    if (i % 17 === 3) {
      const bytes = Math.round(line.bytes! * (0.6 + (i % 8) / 10));
      const before = { bytes, triangles: line.triangles! - 12 + (i % 30) };
      const ms = 200 + ((i * 104_729) % 4000);
      return { ...line, change: 'changed', status: 'converted', ms, before };
    }
    if (i % 190 === 5) return failed(line, i);
    return line;
  });
  const hostile = HOSTILE.map((text, i) =>
    i % 2 === 0
      ? reportedLine(text, {
          ...built(i),
          ...{ reinitstring: text, change: 'changed', status: 'converted', ms: 50 },
          warnings: [{ code: 'CONFIGURATION_INVALID', message: text }],
          losses: [{ where: 'm', field: text, value: 1, done: 'x' }],
        })
      : {
          ...failed(reportedLine(text, { program: text, reinitstring: text }), 4),
          error: { code: 'BLOCK_INVALID', message: text },
        },
  );
  const removed = Array.from({ length: 14 }, (_, i) =>
    reportedLine(`OLD-${i}`, { program: 'CHAIR' }),
  );
  const notSelected: FailureRow = {
    what: 'permanentid P-17',
    ...{ manufacturer: '', program: '', basearticlenumber: '', ...NO_CONFIGURATION },
    code: 'PERMANENT_ID_NOT_RESOLVABLE',
    message: 'permanentid P-17: nothing in this cache says which planning it is',
    help: helpFor('PERMANENT_ID_NOT_RESOLVABLE'),
  };
  return reportOf(
    [...lines, ...hostile],
    {
      previousRun: '2026-11-20T02-00-00.000Z',
      requests: {
        sent: 1832,
        bytesReceived: 412_000_000,
        byOperation: {
          ...{ getArticle: 412, getBlock: 1017, getMaterial: 96, getNodes: 12, getPartsList: 289 },
          ...{ getPublicKey: 1, getSessionToken: 1, logout: 4 },
        },
        byStatus: { '200': 1711, '304': 88, '404': 6, '429': 9, '500': 11, '503': 5, none: 2 },
        fromCache: 61_240,
      },
      gates: MIXED_GATES,
      drift: [
        {
          ...{ operation: 'getArticle', field: 'ocd.price', count: 812 },
          ...{ expected: 'a number', found: 'string "1.234,50"' },
        },
        {
          ...{ operation: 'getBlock', field: 'A[].C', count: 37 },
          ...{ expected: 'true or false', found: 'number 1' },
        },
      ],
    },
    removed,
    [notSelected],
  );
}

const MIXED_GATES: GateReport = {
  refused: false,
  accepted: false,
  count: 604,
  byGate: { triangles: { warn: 482, refuse: 0 }, bounds: { warn: 120, refuse: 0 } },
  findings: [
    {
      ...{ gate: 'triangles', action: 'warn', article: '*', before: 4011, now: 3529 },
      message: '482 of 4,011 configurations changed their triangles (12 %, warned from 10 %)',
    },
    {
      ...{ gate: 'bounds', action: 'warn', article: 'FJEL/*', before: 1010, now: 890 },
      message:
        '120 of 1,010 configurations of FJEL changed their dimensions (11.9 %, warned from 10 %)',
    },
    {
      ...{ gate: 'triangles', action: 'warn', article: 'ACME/LOUNGE/LO-1203' },
      ...{ before: 18_422, now: 96_310, message: '18,422 triangles before, 96,310 now' },
    },
    {
      ...{ gate: 'bounds', action: 'warn', article: 'FJEL/DESK/DE-1100' },
      ...{ before: 1.6, now: 160, message: '1.6 × 0.8 × 0.7 m before, 160 × 0.8 × 0.7 m now' },
    },
  ],
};

function built(i: number): Partial<ReportedLine> {
  const look = i % 1371;
  const triangles = 800 + ((look * 7919) % 60_000);
  return {
    glb: `articles/ACME/DESK/article-${i}/configuration%20${i}.glb`,
    sha256: String(look).padStart(64, '0'),
    bytes: 20_000 + ((look * 104_729) % 9_000_000),
    triangles,
    warnings:
      i % 40 === 0
        ? [{ code: 'BLOCK_UNLISTED', message: `block ACME::DESK::LEG${i} is not listed` }]
        : [],
    losses: i % 3 === 0 ? LOSSES.slice(0, 1 + (i % 3) + (i % 5)) : [],
  };
}

const LOSSES = ['amb', 'mirror', 'pho', 'refl', 'luminance', 'bump', 'btgname'].map((field) => {
  return { where: 'wood', field, value: 1, done: 'left out' };
});

const ERRORS = [
  {
    code: 'HTTP_STATUS',
    message: 'getPartsList: expected status 200, received 500 Internal Server Error',
  },
  { code: 'BLOCK_INVALID', message: 'ACME::DESK::TOP: V has 17 numbers, expected a multiple of 3' },
  {
    code: 'BLOCK_INVALID',
    message: 'ACME::CHAIR::SEAT: A[0].F[3] is 912, expected a vertex below 800',
  },
  { code: 'ARTICLE_NOT_FOUND', message: 'the service has no such article' },
  {
    code: 'PARTS_LIST_INVALID',
    message: 'btg[0].offs[1]: expected a finite number, received string "abc"',
  },
] as const;

function failed(line: ReportedLine, i: number): ReportedLine {
  const { glb, sha256: _, bytes: __, triangles: ___, ...rest } = line;
  const nights = 1 + ((i >> 1) % 6);
  const history = {
    attempts: nights + 1,
    nights,
    firstSeen: `2026-11-${String(21 - nights).padStart(2, '0')}T02:01:10.000Z`,
    lastSeen: '2026-11-21T02:07:44.000Z',
    ...(nights >= 4 ? { quarantined: true, retryOn: '2026-11-28' } : {}),
  };
  return {
    ...{ ...rest, status: 'failed', losses: [], warnings: [], history },
    error: ERRORS[(i >> 3) % ERRORS.length]!,
    ...((i >> 2) % 2 === 0 || glb === undefined ? {} : { lastGood: { glb, sha256: 'x' } }),
  };
}
