/** Figures of a server of assets, for Prometheus. */
import type { Asset } from '../../deliver/assets.ts';

export interface AssetMetrics {
  readonly contentType: string;
  answered(status: number): void;
  sent(form: string, asset: Pick<Asset, 'steps' | 'stale'>): void;
  /** Counts a request while it waits for what is made. */
  whileWaiting<T>(work: () => Promise<T>): Promise<T>;
  text(): Promise<string>;
}

const PREFIX = 'btg2gltf_assets_';
const SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** @param pipeline - Name of the pipeline, a label of all figures. */
export async function createMetrics(pipeline: string): Promise<AssetMetrics> {
  const { Registry, Counter, Gauge, Histogram } = (await import('prom-client')).default;
  const registry = new Registry();
  registry.setDefaultLabels({ pipeline });
  const registers = [registry];
  const answers = new Counter({
    name: `${PREFIX}answers_total`,
    help: 'Answers by status.',
    ...{ labelNames: ['status'], registers },
  });
  const files = new Counter({
    name: `${PREFIX}files_total`,
    help: 'Files by form, and whether they were made, known, or known while the service could not be asked.',
    ...{ labelNames: ['form', 'from'], registers },
  });
  const seconds = new Histogram({
    name: `${PREFIX}step_seconds`,
    help: 'Seconds of the steps by which files are made.',
    ...{ labelNames: ['step'], buckets: SECONDS, registers },
  });
  const waiting = new Gauge({
    name: `${PREFIX}waiting`,
    help: 'Requests that wait for a file.',
    registers,
  });
  return {
    contentType: registry.contentType,
    answered: (status) => answers.inc({ status }),
    sent(form, { steps, stale }) {
      files.inc({ form, from: stale ? 'stale' : steps ? 'made' : 'known' });
      for (const [step, ms] of Object.entries(steps ?? {})) seconds.observe({ step }, ms / 1000);
    },
    async whileWaiting(work) {
      waiting.inc();
      try {
        return await work();
      } finally {
        waiting.dec();
      }
    },
    text: () => registry.metrics(),
  };
}
