/** The languages of the page: a switch, and a note that the requested one is not there. */
import { useState } from 'preact/hooks';
import { missingLanguage, PAGE_LANGUAGES } from '../state/texts.ts';
import { useSession } from './use-session.ts';

/** Shows a button for each other language, which loads the page again with what is planned. */
export function Languages() {
  const session = useSession();
  const { texts } = session;
  const others = PAGE_LANGUAGES.filter(({ language }) => language !== texts.language);
  const open = (language: string) => () => {
    session.setLanguage(language);
    location.reload();
  };
  return (
    <nav class="languages" aria-label={texts.languageSwitch}>
      {others.map(({ language, languageName }) => (
        <button type="button" class="plain" lang={language} onClick={open(language)} key={language}>
          {languageName}
        </button>
      ))}
    </nav>
  );
}

/** Says that the page has no texts in the language of its address. */
export function MissingLanguage() {
  const { texts, parameters } = useSession();
  const [isSeen, setSeen] = useState(false);
  const name = missingLanguage(texts, parameters.lang);
  if (name === undefined || isSeen) return null;
  return (
    <div class="earlier" role="status">
      <p>{texts.otherLanguage(name)}</p>
      <button type="button" onClick={() => setSeen(true)}>
        {texts.close}
      </button>
    </div>
  );
}
