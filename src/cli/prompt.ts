/** Questions on a terminal. */
import type { Interface } from 'node:readline/promises';

/**
 * Opens a prompt, which reads nothing before the first question.
 *
 * @param interrupted - Called after Ctrl-C or Ctrl-D.
 */
export function openPrompt(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  interrupted: () => void,
) {
  let lines: Interface | undefined;
  let answers: AsyncIterator<string>;
  return {
    async ask(question: string): Promise<string> {
      if (lines === undefined) {
        const { createInterface } = await import('node:readline/promises');
        lines = createInterface({ input, output });
        // Lines that are typed before their question stay in the iterator.
        answers = lines[Symbol.asyncIterator]();
        lines.on('SIGINT', () => lines?.close());
      }
      lines.setPrompt(question);
      lines.prompt();
      const { value, done } = await answers.next();
      if (!done) return value;
      interrupted();
      throw new Error('interrupted');
    },
    close: () => lines?.close(),
  };
}
