/** The program of a child process: converts one article after another, and sends what it made, or the error. */
import { openFileStore } from '../cache/content-store.ts';
import { asConverterError } from '../support/errors.ts';
import { type ConversionMessages, loadConverter } from './conversion.ts';

const ENDED_BY_PARENT = ['SIGINT', 'SIGTERM', 'SIGHUP'];

// A terminal and a service manager signal all processes of a run: the parent decides what ends, and when.
for (const signal of ENDED_BY_PARENT) process.on(signal, () => {});
// The parent was killed. An exit would wait for native code, such as that of a picture.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.once('message', async (opening: ConversionMessages['opening']) => {
  const { bodies, objects } = opening;
  const stores = { bodies: openFileStore(bodies), objects: openFileStore(objects) };
  const converter = loadConverter({ ...opening, ...stores });
  process.on('message', async ({ step, input, file }: ConversionMessages['request']) => {
    try {
      const result = await (await converter)[step](input, file);
      process.send?.({ result } satisfies ConversionMessages['answer']);
    } catch (thrown) {
      process.send?.(answerOf(thrown));
    }
  });
});

/** Secrets are unknown here: the parent makes the error again, which redacts it. */
function answerOf(thrown: unknown): ConversionMessages['answer'] {
  const { code, message, help, isGeneralHelp, cause } = asConverterError(thrown);
  const stack = code === 'INTERNAL' ? (cause as Error | undefined)?.stack : undefined;
  return { error: { code, message, help: isGeneralHelp ? undefined : help, stack } };
}
