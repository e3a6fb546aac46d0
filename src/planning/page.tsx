/** The program of the planning page: it reads the parameters, hides the token, and shows the page. */
import { render } from 'preact';
import { App, Problems } from './app.tsx';
import { openConverter } from './converter.ts';
import { readParameters } from './parameters.ts';
import { openSession } from './session.ts';
import { textsOf } from './texts.ts';

const { parameters, problems } = readParameters(location.search);
hideToken();
const texts = textsOf(parameters.lang, parameters.langalt, ...navigator.languages);
const root = document.documentElement;
root.lang = texts.language;
document.title = texts.title;
const main = document.getElementById('planning')!;

if (problems.length > 0) {
  render(<Problems texts={texts} problems={problems} />, main);
} else {
  const converter = openConverter(new URL('convert-worker.js', import.meta.url));
  const baseUrl = root.dataset.baseUrl!;
  render(<App session={openSession({ parameters, baseUrl, texts, converter })} />, main);
}

/** Neither the history nor what a person copies from the address bar contains the token. */
function hideToken(): void {
  const query = new URLSearchParams(location.search);
  query.delete('token');
  const rest = query.toString();
  history.replaceState(null, '', `${location.pathname}${rest === '' ? '' : `?${rest}`}`);
}
