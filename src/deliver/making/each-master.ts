/** The delivery of a maker that works on each master alone. */
import { extname, join } from 'node:path';
import { configurationLabel } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import type { DeliveryTask } from '../../run/publishing/deliveries.ts';
import type { Master } from '../../run/publishing/masters.ts';
import { sha256Hex } from '../../support/files.ts';
import { beside, type Delivery, type SourceOf } from './delivery.ts';
import type { Opening } from './kind.ts';
import { type MasterSource, madeFiles } from './made-files.ts';
import { type FilePlace, type Maker, SHARED_ADDRESS, type Spend } from './maker.ts';

/** The delivery of a maker; equal masters are processed once. @param accepted - As {@link Delivery.accepted}. */
export function eachMaster(
  maker: Maker,
  accepted: readonly string[],
  { run, again, readMaster, contents }: Opening,
): Delivery {
  const { name: delivery, atOnce, edition } = maker;
  const filesOf = madeFiles(maker, run.sources.derived, contents, again);
  /** Of what was made before its master was published. */
  const spentMs = new Map<Digest, number>();
  const { published } = run.output;
  const sourceOf = (master: Master): MasterSource => {
    const { glb: name, bytes } = master;
    const file = { path: join(run.options.pipeline.outputDir, name), name, bytes };
    return { read: () => readMaster(master), ...(published === undefined && { file }) };
  };
  const asked = JSON.stringify([delivery, maker.files]);
  const kind = maker.hasBrowser ? 'pictures' : 'profiles';
  return {
    ...{ name: delivery, kind, atOnce, accepted, edition, again },
    subjectsOf: (masters) =>
      masters.map((master) => ({
        label: configurationLabel(master.id),
        masters: [master],
        source: sha256Hex(`${master.sha256} ${master.glb} ${asked}`),
      })),
    ...(!maker.isMadeLate && {
      isOfEach: true,
      taskOf: ({ masters: [{ sha256, bytes }] }): DeliveryTask => ({
        ...{ kind, delivery },
        masters: [{ sha256, bytes }],
      }),
      prepare: async ({ masters }: DeliveryTask, sourceOf: SourceOf, spend?: Spend) => {
        const { sha256 } = masters[0]!;
        const note = (ms: number) => {
          spentMs.set(sha256, (spentMs.get(sha256) ?? 0) + ms);
        };
        await filesOf(sha256, sourceOf(masters[0]!), spend ?? note);
      },
    }),
    async make({ masters: [master] }, { keep, spend }) {
      const made = await filesOf(master.sha256, sourceOf(master), spend);
      // Of equal masters, the first one has the time.
      spend(spentMs.get(master.sha256) ?? 0);
      spentMs.delete(master.sha256);
      const files = made.flatMap(({ sha256, bytes, facts }, at) => {
        const { name, places = [{ name, hasArticle: false, facts: {} }] } = maker.files[at]!;
        return places.map((place) => ({
          ...{ sha256, bytes, name: place.name, path: pathOf(maker, master, place) },
          facts: { ...facts, ...place.facts },
        }));
      });
      const parts = made.flatMap(({ shared = [] }) =>
        shared.map((part) => {
          return { ...part, facts: {}, path: `${delivery}/${SHARED_ADDRESS}${part.name}` };
        }),
      );
      return [{ files: await Promise.all([...files, ...parts].map(keep)) }];
    },
    limitation: () => maker.limitation?.(),
    close: async () => maker.close?.(),
  };
}

/** Characters of the name of a file among others that are for people; a digest makes it unique. */
const READABLE = 80;

function pathOf({ name, isFlat }: Maker, master: Master, place: FilePlace): string {
  const article = master.link.split('/').at(-2)!.slice(0, READABLE);
  if (isFlat)
    return `${name}/${article}-${sha256Hex(master.link).slice(0, 16)}${extname(place.name)}`;
  const file = place.hasArticle ? `${article}-${place.name}` : place.name;
  return `${beside(master, name).replace(/\.glb$/, '')}/${file}`;
}
