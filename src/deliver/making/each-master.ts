/** What a maker makes of each master alone. */
import { extname } from 'node:path';
import { configurationLabel } from '../../model/configuration-id.ts';
import type { Run } from '../../run/open/open-run.ts';
import { flatPath, sharedPath } from '../../run/output/delivered-files.ts';
import { beside, type Master, readMaster } from '../../run/publishing/masters.ts';
import { sha256Hex } from '../../support/files.ts';
import type { Delivery, Subject } from './delivery.ts';
import { openMadeFiles } from './made-files.ts';
import type { Maker } from './maker.ts';

/** Makes a delivery of a maker; equal masters are worked on once. */
export function ofEachMaster(run: Run, maker: Maker, masters: readonly Master[]): Delivery {
  const { options, sources } = run;
  const madeOf = openMadeFiles(sources.derived, options.force);
  const asked = JSON.stringify([maker.name, maker.files]);
  const subjectOf = (master: Master): Subject => {
    const source = sha256Hex(`${master.sha256} ${master.glb} ${asked}`);
    return { label: configurationLabel(master.id), masters: [master], source };
  };
  return {
    name: maker.name,
    atOnce: maker.atOnce,
    subjects: masters.map(subjectOf),
    async make({ masters: [master] }, keep) {
      const made = await madeOf(maker, master.sha256, () => readMaster(run, master));
      const folder = beside(master, maker.name).replace(/\.glb$/, '');
      const pathOf = (name: string) =>
        maker.isFlat
          ? flatPath(maker.name, master.link, extname(name).slice(1))
          : `${folder}/${name}`;
      const files = made.map((file, at) => {
        const { name } = maker.files[at]!;
        return { ...file, name, path: pathOf(name) };
      });
      const parts = made.flatMap(({ shared = [] }) =>
        shared.map((part) => ({ ...part, facts: {}, path: sharedPath(maker.name, part.name) })),
      );
      return [{ files: await Promise.all([...files, ...parts].map(keep)) }];
    },
    limitation: maker.limitation && (() => maker.limitation!()),
    close: maker.close && (() => maker.close!()),
  };
}
