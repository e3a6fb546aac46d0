/** The program of the planning page: it reads the parameters, hides the token, and shows the page. */
import { render } from 'preact';
import { App, Problems } from './app.tsx';
import { openConverter } from './converter.ts';
import { SessionContext } from './panel/use-session.ts';
import { isKept, keepToken, keptToken } from './state/history.ts';
import { Session } from './state/opened-page.ts';
import { readParameters } from './state/parameters.ts';
import { textsOf } from './state/texts.ts';

const query = new URLSearchParams(location.search);
const kept = keptToken(window);
if (!query.has('token') && kept !== '') query.set('token', kept);
const root = document.documentElement;
const hasPublicLinks = root.dataset.publicLinks === 'true';
const { parameters, problems } = readParameters(query.toString(), {
  hasPublicLinks,
  isKept: isKept(window),
});
keepToken(window, parameters.token);
const texts = textsOf(parameters.lang, parameters.langalt, ...navigator.languages);
root.lang = texts.language;
document.title = texts.title;
const main = document.getElementById('planning')!;

/** A person continues where a run would fail; a browser cannot generate tangents, and viewers compute their own. */
const WHILE_PLANNING = { allowMissingParts: true, strict: false, tangents: 'none' } as const;

if (problems.length > 0) {
  render(<Problems {...{ texts, problems }} target={parameters.target} />, main);
} else {
  const { baseUrl = '', serviceUrl, imageLocation, assetsUrl, convert = '{}' } = root.dataset;
  const service = { baseUrl, serviceUrl, imageLocation, assetsUrl, hasPublicLinks };
  const converter = openConverter(new URL('convert-worker.js', import.meta.url), {
    ...JSON.parse(convert),
    ...WHILE_PLANNING,
  });
  const session = new Session({ page: window, parameters, service, texts, converter });
  render(
    <SessionContext.Provider value={session}>
      <App />
    </SessionContext.Provider>,
    main,
  );
}
