/**
 * Migrate URL: an address of v1 or v2 as one of v2.5.
 *
 * In: an address and the new base of the frontend. Out: the new address, what changed, what to look at.
 * It must not decode a value: what is renamed or moved keeps its bytes.
 */
import { ConverterError } from '../support/errors.ts';
import { apiHints, frontendHints } from './migrate-hints.ts';
import { type Change, type Hint, type Migration, V1_NAMES } from './migration.ts';
import { planningEntry } from './planning-url.ts';
import { joinAddress, type Parameter, splitAddress } from './split-address.ts';

const ENTRY_POINT = /(?:^|\/)(?<name>index|configurator|article)\.php$/i;
const PLANNING = /(?:^|\/)planning\/?$/i;
const API = /\/api\/(?:xcf|ofml|odb)\.dll\//i;
/** The old pages may have been the index of their folder. */
const FOLDER = /(?:^|\/)$/;

/**
 * Gives an address of an older generation its v2.5 form; one of v2.5 comes back as it is.
 *
 * @param url - Absolute or relative, as it stands in a page (`&amp;` is understood), or of the API.
 * @param frontendUrl - `{frontend_url}`; not needed for an address of the API.
 * @throws {@link ConverterError} `USAGE` where it is no address of the service, or the base is missing.
 *
 * @example
 * ```ts
 * migrateUrl('https://old.example/configurator.php?manuid=ACME&token=T', 'https://plan.example').after;
 * // → 'https://plan.example/planning?manufacturer=ACME&token=T'
 * ```
 *
 * @see Spec 9.1 to 9.4; D-815.
 */
export function migrateUrl(url: string, frontendUrl?: string): Migration<string> {
  const before = url.trim();
  const { base, path, parameters, fragment, entities } = splitAddress(before);
  const isApi = API.test(path);
  const renamed = rename(parameters, isApi);
  const page = isApi ? undefined : pageOf(path, renamed.changes.length > 0);
  const moved = page === undefined ? [] : move(`${base}${path}`, frontendUrl);
  const address = moved[0]?.after ?? `${base}${path}`;
  const changes = [...moved, ...renamed.changes, ...(entities ? [ENTITIES] : [])];
  const isOld = page === 'php' || renamed.changes.length > 0;
  return {
    from: isOld ? 'v1' : moved.length > 0 ? 'v2' : 'v2.5',
    before,
    after: changes.length === 0 ? before : joinAddress(address, renamed.parameters, fragment),
    changes,
    hints: [
      ...renamed.hints,
      ...(page === undefined
        ? apiHints(path, renamed.parameters)
        : frontendHints(renamed.parameters, {
            entryPoint: page === 'php' ? (ENTRY_POINT.exec(path)?.[0].replace('/', '') ?? '') : '',
            moved: moved.length > 0,
          })),
    ],
  };
}

const ENTITIES: Change = { before: '&amp;', after: '&', why: 'an address outside of HTML' };

function pageOf(path: string, hasOldNames: boolean): 'php' | 'planning' {
  if (ENTRY_POINT.test(path) || (hasOldNames && FOLDER.test(path))) return 'php';
  if (PLANNING.test(path)) return 'planning';
  throw new ConverterError(
    'USAGE',
    'migrate: expected an address of index.php, configurator.php, article.php, /planning or the API, received another',
  );
}

/** The new base, unless it is that already. @see Spec 9.1, 9.2, 9.4 */
function move(address: string, frontendUrl: string | undefined): Change[] {
  if (frontendUrl === undefined) {
    const message =
      'migrate: the frontend of v2.5 has a base of its own: frontendUrl missing (--frontend-url or BTG2GLTF_FRONTEND_URL)';
    throw new ConverterError('USAGE', message);
  }
  const entry = planningEntry(frontendUrl);
  const isThere = URL.canParse(address) && new URL(address).href === new URL(entry).href;
  return isThere ? [] : [{ before: address, after: entry, why: 'Spec 9.1, 9.4' }];
}

interface Renamed {
  parameters: Parameter[];
  changes: Change[];
  hints: Hint[];
}

/** New names for old; a value that stands under its new name already is the one that counts. */
function rename(given: readonly Parameter[], isApi: boolean): Renamed {
  const result: Renamed = { parameters: [], changes: [], hints: [] };
  for (const parameter of given) {
    const { name, raw } = parameter;
    const after = newName(name, isApi);
    if (after === undefined) {
      result.parameters.push(parameter);
      continue;
    }
    result.changes.push({ before: name, after, why: 'Spec 9.3' });
    const already = given.find((other) => other.name === after);
    if (already === undefined) result.parameters.push({ name: after, raw });
    else if (already.raw !== raw) result.hints.push(conflict(name, after));
  }
  return result;
}

function newName(name: string, isApi: boolean): string | undefined {
  const old = name.toLowerCase();
  // `reinitstring` is a name of the API itself, to this day.
  if (!Object.hasOwn(V1_NAMES, old) || (isApi && old === 'reinitstring')) return undefined;
  return V1_NAMES[old as keyof typeof V1_NAMES];
}

function conflict(before: string, after: string): Hint {
  const message = `${before} and ${after} have different values; ${after} was kept`;
  return { code: 'CONFLICTING_PARAMETERS', message };
}
