/** The search of the catalogue: in the manufacturer of the open folder, in another one, or in all of them. */
import { useEffect, useState } from 'preact/hooks';
import type { CatalogueNode } from '../../../model/catalogue.ts';
import type { CataloguePlace } from '../state/history.ts';
import { useSession } from './use-session.ts';

interface Maker {
  id: string;
  name: string;
}

/** The choice of all manufacturers; no manufacturer has this id. */
const ALL = '';

/**
 * Shows the search.
 *
 * @param makers - Each manufacturer is searched with its own request: the service cannot search all of them.
 * @param place - The listed place and its nodes; undefined while nothing is listed.
 */
export function Search({
  makers,
  place,
  nodes,
}: {
  makers: readonly Maker[];
  place: CataloguePlace | undefined;
  nodes: readonly CatalogueNode[];
}) {
  const session = useSession();
  const { texts } = session;
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<string>();
  const found = place !== undefined && 'query' in place ? place : undefined;
  useEffect(() => {
    // Another place belongs to another manufacturer; "back" leads to searches, too.
    setChosen(undefined);
    if (found !== undefined) setQuery(found.query);
  }, [place]);
  if (makers.length === 0) return null;
  const searched = found?.manufacturers ?? nodes.map(({ manufacturer }) => manufacturer);
  const maker = makers.find(({ id }) => id === (chosen ?? onlyOf(searched)));
  const folder = place !== undefined && 'parentnode' in place ? place.parentnode : undefined;
  const from = found?.from ?? folder ?? '';
  const search = (id: string, text: string) => {
    const manufacturers = id === ALL ? makers.map((each) => each.id) : [id];
    if (text !== '') session.go({ place: { manufacturers, query: text, from } });
  };
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          search(maker?.id ?? ALL, query.trim());
        }}
      >
        {makers.length > 1 && (
          <select
            aria-label={texts.searchManufacturer}
            value={maker?.id ?? ALL}
            onChange={({ currentTarget: { value } }) => {
              setChosen(value);
              if (found !== undefined) search(value, query.trim() || found.query);
            }}
          >
            <option value={ALL}>{texts.allManufacturers}</option>
            {makers.map(({ id, name }) => (
              <option value={id} key={id}>
                {name}
              </option>
            ))}
          </select>
        )}
        <input
          type="search"
          aria-label={maker === undefined ? texts.searchInAll : texts.searchIn(maker.name)}
          placeholder={texts.searchHint}
          maxLength={200}
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        />
        <button type="submit">{texts.search}</button>
        {found !== undefined && (
          <button
            type="button"
            onClick={() => {
              setQuery('');
              session.go({ place: { parentnode: found.from } });
            }}
          >
            {texts.endSearch}
          </button>
        )}
      </form>
    </search>
  );
}

/** The manufacturer of a folder or a search, or `ALL`. */
function onlyOf(manufacturers: readonly string[]): string {
  const [first = ALL] = manufacturers;
  return manufacturers.every((id) => id === first) ? first : ALL;
}

/** The manufacturers of the catalogue; none until they are loaded. */
export function useMakers(): readonly Maker[] {
  const { service, state } = useSession();
  const [makers, setMakers] = useState<readonly Maker[]>([]);
  useEffect(() => {
    const list = async () => {
      const { answer } = await service.call('getNodes', { parentnode: '' });
      setMakers(makersOf(answer));
    };
    // Without the list there is no search; the listing shows what is wrong.
    list().catch(() => undefined);
  }, [service, state.tokens]);
  return makers;
}

/** The manufacturers of the topmost nodes. Only the text of a node is in the language of the page. @see Spec 2.1 */
function makersOf(nodes: readonly CatalogueNode[]): Maker[] {
  const names = new Map<string, string>();
  for (const { manufacturer, manufacturername, program, text } of nodes) {
    if (manufacturer === '') continue;
    const isWhole = program === '' && !names.has(manufacturer);
    const [name, other] = isWhole ? [text, manufacturername] : [manufacturername, text];
    names.set(manufacturer, name || other || manufacturer);
  }
  return Array.from(names, ([id, name]) => ({ id, name }));
}
