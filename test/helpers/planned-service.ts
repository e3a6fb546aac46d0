/** Planned service: an emulator behind a proxy for all tests of a file, as the client of the planning page meets it. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/emulator.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import type { PropertySetting } from '../../src/web/planning/state/fields.ts';
import type { PlannedArticle } from '../../src/web/planning/state/planned-article.ts';
import { PlanningService } from '../../src/web/planning/state/planning-service.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';

/** The service, once it is started. */
interface PlannedService {
  emulator: Emulator;
  proxy: FaultProxy;
  /** Opens a client with a token of its own. */
  open(given?: { lang?: string; onAccepted?: () => void }): PlanningService;
}

/** Starts the service before the tests, mends its proxy after each of them, and ends it after all. */
export function plannedService(options: Partial<EmulatorOptions> = {}): PlannedService {
  const planned = {
    open({ lang = 'en', ...more } = {}) {
      const baseUrl = planned.proxy.env.BTG2GLTF_BASE_URL!;
      const token = planned.emulator.issueToken();
      return new PlanningService({ baseUrl, token, languages: { lang, langalt: '' }, ...more });
    },
  } as PlannedService;
  beforeAll(async () => {
    planned.emulator = await startEmulator({ range: createSampleRange(), ...options });
    planned.proxy = await startFaultProxy(planned.emulator);
  });
  afterEach(() => planned.proxy.mend());
  afterAll(async () => {
    await planned.proxy?.close();
    await planned.emulator?.close();
  });
  return planned;
}

/** A desk of the sample range as a page opens it. */
export function deskTarget(basearticlenumber: string) {
  return { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber, ocdreinit: '' };
}

/** What gives an article another finish, or another property of its surface a value. */
export function finishOf(
  { article }: Pick<PlannedArticle, 'article'>,
  newvalue: string,
  prop = 'DEKOR',
): PropertySetting {
  return { id: article.id, proptype: 'ocd', propclass: 'OBERFLÄCHE', prop, newvalue };
}
