/** One property: its values to choose from, and a field where others can be typed. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { readNumber } from '../../../convert/wire/value.ts';
import type { ArticleProperty } from '../../../model/article.ts';
import type { Session } from '../state/opened-page.ts';
import {
  isNumeric,
  nextInRanges,
  numberText,
  rangesText,
  readLocalNumber,
  readTyped,
} from '../state/property-range.ts';
import { LargePictures } from './large-pictures.tsx';
import { Picture } from './picture.tsx';

/** More values, or longer ones, are easier to find in a list of the browser. */
const MOST_RADIOS = 12;
const MOST_PICTURES = 40;

/** Shows a property that is visible. */
export function PropertyField({
  session,
  place,
  property,
  value,
  onChange,
}: {
  session: Session;
  /** See `placeOf`. */
  place: string;
  property: ArticleProperty;
  /** The value that is shown: the current one, or one that is on its way. */
  value: string;
  onChange: (value: string) => void;
}) {
  const { texts } = session;
  const id = useId();
  const { propertyvalues: values, ranges, addvalues } = property;
  const name = property.text || property.name;
  const hasPictures = values.some(({ previewimage }) => previewimage !== '');
  const isList = values.length > (hasPictures ? MOST_PICTURES : MOST_RADIOS);
  // One value that is chosen and fixed is no choice, but tells what the article has.
  const isTyped = values.length === 0 || ranges.length > 0 || addvalues;
  const isOpen = (property.obligatory || property.obligatory2c) && value.trim() === '';
  const parts = { session, place, property, name, value, onChange };
  const label = (
    <>
      <span class="name">{name}</span>
      {isOpen ? (
        <span class="open">{texts.mustChoose}</span>
      ) : (
        (property.obligatory || property.obligatory2c) && (
          <span class="must" title={texts.required}>
            <span aria-hidden="true">*</span>
            <span class="away">{texts.required}</span>
          </span>
        )
      )}
    </>
  );
  if (values.length === 0) {
    return (
      <div class="property" data-place={place}>
        <label class="label" for={id}>
          {label}
        </label>
        <TypedField {...parts} id={id} />
      </div>
    );
  }
  if (isList) {
    return (
      <div class="property" data-place={place}>
        <label class="label" for={id}>
          {label}
        </label>
        <ListField {...parts} id={id} />
        <LargePictures {...parts} />
        {isTyped && <TypedField {...parts} id={`${id}-other`} isOther />}
      </div>
    );
  }
  return (
    <div class="property" data-place={place}>
      <fieldset disabled={!property.enabled}>
        <legend class="label">{label}</legend>
        <div class={hasPictures ? 'choices pictured' : 'choices'}>
          {values.map((choice) => (
            <label class="choice" key={choice.valuefrom}>
              <input
                type="radio"
                name={id}
                value={choice.valuefrom}
                checked={choice.valuefrom === value}
                onChange={() => onChange(choice.valuefrom)}
              />
              <span class="face">
                {choice.previewimage !== '' && (
                  <span class="swatch" aria-hidden="true">
                    <Picture session={session} kind="preview" reference={choice.previewimage} />
                  </span>
                )}
                <span>{choice.text || choice.valuefrom}</span>
              </span>
            </label>
          ))}
        </div>
        {isTyped && <TypedField {...parts} id={`${id}-other`} isOther />}
      </fieldset>
      <LargePictures {...parts} />
    </div>
  );
}

interface FieldParts {
  session: Session;
  place: string;
  property: ArticleProperty;
  name: string;
  id: string;
  value: string;
  onChange: (value: string) => void;
}

function ListField({ session, property, id, value, onChange }: FieldParts) {
  const { propertyvalues: values } = property;
  const isKnown = values.some(({ valuefrom }) => valuefrom === value);
  const chosen = values.find(({ valuefrom }) => valuefrom === value);
  return (
    <div class="list">
      {chosen !== undefined && chosen.previewimage !== '' && (
        <span class="swatch" aria-hidden="true">
          <Picture session={session} kind="preview" reference={chosen.previewimage} />
        </span>
      )}
      <select
        id={id}
        disabled={!property.enabled}
        value={isKnown ? value : ''}
        onChange={({ currentTarget }) => {
          if (currentTarget.value !== '') onChange(currentTarget.value);
        }}
      >
        {!isKnown && <option value="">{value === '' ? session.texts.choose : value}</option>}
        {values.map(({ valuefrom, text }) => (
          <option value={valuefrom} key={valuefrom}>
            {text || valuefrom}
          </option>
        ))}
      </select>
    </div>
  );
}

/**
 * A field for typing. A value is sent when the field is left or Enter is pressed, never while it is incomplete. One that
 * is refused stays to be corrected; until then nothing of the configuration can be taken away, because it lacks what the
 * person wants.
 */
function TypedField({
  session,
  place,
  property,
  name,
  id,
  value,
  onChange,
  isOther = false,
}: FieldParts & { isOther?: boolean }) {
  const { texts } = session;
  const input = useRef<HTMLInputElement>(null);
  const { propertyvalues, ranges, enabled, decdigits, digits } = property;
  const isNumber = isNumeric(property);
  const listed = propertyvalues.find(({ valuefrom }) => valuefrom === value);
  const sent = isNumber ? readNumber(value) : undefined;
  const shown =
    isOther && listed !== undefined ? '' : sent === undefined ? value : numberText(texts, sent);
  const [typed, setTyped] = useState(shown);
  const [problem, setProblem] = useState('');
  const refuse = (sentence: string) => {
    setProblem(sentence);
    session.setRefused({ place, name }, sentence !== '');
  };
  const reset = () => {
    setTyped(shown);
    refuse('');
  };
  useEffect(reset, [shown]);
  useEffect(() => () => session.setRefused({ place, name }, false), [session, place]);

  const commit = (text: string) => {
    if (text.trim() === shown.trim()) return refuse('');
    if (isOther && text.trim() === '') return refuse('');
    const read = readTyped(texts, property, text);
    if ('problem' in read) return refuse(read.problem);
    refuse('');
    // The same number in another spelling.
    if (shown !== '' && read.value === (sent === undefined ? value : String(sent))) return;
    onChange(read.value);
  };
  const current = readLocalNumber(texts, typed) ?? readLocalNumber(texts, shown);
  const next = (direction: 1 | -1) =>
    current === undefined ? undefined : nextInRanges(ranges, current, direction, decdigits);
  const step = (direction: 1 | -1) => {
    const value = next(direction);
    if (value === undefined) return;
    const text = numberText(texts, value);
    setTyped(text);
    commit(text);
  };
  // Nothing can be entered where it is fixed.
  const hint = isNumber && enabled ? rangesText(texts, ranges) : '';
  const kept = listed?.text || shown || value;
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  const stepper = (direction: 1 | -1) => (
    <button
      type="button"
      class="stepper"
      aria-label={direction > 0 ? texts.more(name) : texts.less(name)}
      disabled={!enabled || next(direction) === undefined}
      onClick={() => step(direction)}
    >
      {direction > 0 ? '+' : '−'}
    </button>
  );
  return (
    <div class="typed">
      {isOther && (
        <label class="label quiet" for={id}>
          {texts.otherValue}
        </label>
      )}
      <div class="number">
        {isNumber && stepper(-1)}
        <input
          id={id}
          ref={input}
          type="text"
          inputMode={isNumber ? (decdigits > 0 ? 'decimal' : 'numeric') : 'text'}
          autocomplete="off"
          spellcheck={false}
          maxLength={isNumber || digits <= 0 ? 200 : digits}
          disabled={!enabled}
          value={typed}
          aria-label={isOther ? texts.otherValueOf(name) : undefined}
          aria-invalid={problem !== ''}
          aria-describedby={described || undefined}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onBlur={({ currentTarget }) => commit(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit(event.currentTarget.value);
            if (event.key === 'Escape') reset();
            const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key] as 1 | -1 | undefined;
            if (!isNumber || direction === undefined) return;
            event.preventDefault();
            step(direction);
          }}
        />
        {isNumber && stepper(1)}
      </div>
      {hint !== '' && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <p class="problem" id={`${id}-problem`} role="alert">
        {problem}
      </p>
      {problem !== '' && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            input.current?.focus();
            reset();
          }}
        >
          {kept === '' ? texts.clear : texts.keep(kept)}
        </button>
      )}
    </div>
  );
}
