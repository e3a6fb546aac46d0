/** The delivery of a maker that works on each master alone. */
import { extname } from 'node:path';
import { configurationLabel } from '../../model/configuration-id.ts';
import { type DeliveredFile, flatPath, sharedPath } from '../../run/lists/delivered-files.ts';
import type { Run } from '../../run/open/open-run.ts';
import { beside, type Master, readMaster } from '../../run/publishing/masters.ts';
import { sha256Hex } from '../../support/files.ts';
import type { Delivery, Outcome, Placed, Subject } from './delivery.ts';
import { MadeFiles } from './made-files.ts';
import type { Maker } from './maker.ts';

/** The delivery of a maker; equal masters are processed once. */
export class MasterDelivery implements Delivery {
  readonly name: string;
  readonly atOnce: number;
  readonly accepted: readonly string[];
  readonly subjects: Subject[];
  readonly #run: Run;
  readonly #maker: Maker;
  readonly #made: MadeFiles;

  /** @param accepted - Codes of failures that the pipeline file accepts. */
  constructor(run: Run, maker: Maker, masters: readonly Master[], accepted: readonly string[]) {
    this.name = maker.name;
    this.atOnce = maker.atOnce;
    this.accepted = accepted;
    this.#run = run;
    this.#maker = maker;
    this.#made = new MadeFiles(maker, run.sources.derived, run.options.force);
    const asked = JSON.stringify([maker.name, maker.files]);
    this.subjects = masters.map((master) => {
      const source = sha256Hex(`${master.sha256} ${master.glb} ${asked}`);
      return { label: configurationLabel(master.id), masters: [master], source };
    });
  }

  async make(
    { masters: [master] }: Subject,
    keep: (file: Placed) => Promise<DeliveredFile>,
  ): Promise<Outcome[]> {
    const made = await this.#made.of(master.sha256, () => readMaster(this.#run, master));
    const files = made.map((file, at) => {
      const { name } = this.#maker.files[at]!;
      return { ...file, name, path: this.#pathOf(master, name) };
    });
    const parts = made.flatMap(({ shared = [] }) =>
      shared.map((part) => ({ ...part, facts: {}, path: sharedPath(this.name, part.name) })),
    );
    return [{ files: await Promise.all([...files, ...parts].map(keep)) }];
  }

  limitation(): string | undefined {
    return this.#maker.limitation?.();
  }

  async close(): Promise<void> {
    await this.#maker.close?.();
  }

  #pathOf(master: Master, file: string): string {
    if (this.#maker.isFlat) return flatPath(this.name, master.link, extname(file).slice(1));
    return `${beside(master, this.name).replace(/\.glb$/, '')}/${file}`;
  }
}
