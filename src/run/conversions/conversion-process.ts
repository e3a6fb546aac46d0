/** The program of a child process: converts one article after another, and sends what it made, or the error. */

import { openDerivedData, openFileStore } from '../../source/cache/content-store.ts';
import { openContents } from '../../source/cache/contents.ts';
import { sentError } from '../../support/errors.ts';
import type { ConversionMessages } from './dispatch.ts';
import { loadConverter } from './steps.ts';

const ENDED_BY_PARENT = ['SIGINT', 'SIGTERM', 'SIGHUP'];

// A terminal and a service manager signal all processes of a run: the parent decides what ends, and when.
for (const signal of ENDED_BY_PARENT) process.on(signal, () => {});
// The parent was killed. An exit would wait for native code, such as that of a picture.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.once('message', (opening: ConversionMessages['opening']) => {
  const opened = open(opening);
  process.on('message', async ({ step, input, file }: ConversionMessages['request']) => {
    try {
      const { converter, flush } = await opened;
      const result = await converter[step](input, file);
      flush();
      process.send?.({ result } satisfies ConversionMessages['answer']);
    } catch (thrown) {
      process.send?.({ error: sentError(thrown) } satisfies ConversionMessages['answer']);
    }
  });
});

async function open(opening: ConversionMessages['opening']) {
  const contents = await openContents(opening.database);
  const bodies = openFileStore(opening.bodies, undefined, contents);
  const objects = openFileStore(opening.objects);
  const { force, startedAt } = opening;
  const derived = force ? undefined : openDerivedData(bodies, contents, startedAt);
  const flush = () => {
    try {
      contents.flush();
    } catch {
      // What was computed is computed again.
    }
  };
  return {
    converter: await loadConverter({
      ...opening,
      ...{ bodies, bodyFiles: opening.bodies, objects, derived, hasOwnProcess: true },
    }),
    flush,
  };
}
