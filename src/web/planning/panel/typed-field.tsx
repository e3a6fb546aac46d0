/** A field for typing the value of a property. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { readNumber } from '../../../convert/wire/value.ts';
import type { ArticleProperty } from '../../../model/article.ts';
import {
  isNumeric,
  nextInRanges,
  numberText,
  rangesText,
  readLocalNumber,
  readTyped,
} from '../state/property-range.ts';
import { useSession } from './use-session.ts';

type Direction = 1 | -1;

const STEP_KEYS: Readonly<Record<string, Direction | undefined>> = { ArrowUp: 1, ArrowDown: -1 };

export interface FieldProps {
  place: string;
  property: ArticleProperty;
  name: string;
  id: string;
  /** The value that is shown: the current one, or one that was sent and not answered yet. */
  value: string;
  onChange: (value: string) => void;
}

interface TypedFieldProps extends FieldProps {
  /** Whether the property also has values to choose from; nothing is typed while one of them is chosen. */
  isOther?: boolean;
}

/**
 * A field for typing. A value is sent when the field is left or Enter is pressed, never while it is incomplete. A
 * refused value stays to be corrected; until then the actions of the configuration are disabled, because it lacks what
 * the person wants. It is given up when another choice changes what the property takes.
 */
export function TypedField(props: TypedFieldProps) {
  const { property, name, id, isOther = false } = props;
  const { texts } = useSession();
  const input = useRef<HTMLInputElement>(null);
  const { ranges, enabled, decdigits, digits } = property;
  const isNumber = isNumeric(property);
  const { typed, setTyped, problem, kept, commit, reset, next, step } = useTyped(props);
  useProblemInSight(problem, `${id}-problem`, input);
  // A fixed property accepts no input.
  const hint = isNumber && enabled ? rangesText(texts, ranges) : '';
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  const stepper = (direction: Direction) => (
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
            const direction = STEP_KEYS[event.key];
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

/** Scrolls to the sentence below a field, which the cart may cover; not if the person has left the field. */
function useProblemInSight(
  problem: string,
  id: string,
  input: RefObject<HTMLInputElement | null>,
): void {
  useEffect(() => {
    if (problem === '' || document.activeElement !== input.current) return;
    document.getElementById(id)?.scrollIntoView({ block: 'nearest' });
  }, [problem]);
}

/** The text typed into a field, and its effect. `kept` is the value that stays while the text is refused. */
function useTyped(props: TypedFieldProps) {
  const session = useSession();
  const { place, property, name, value, onChange, isOther = false } = props;
  const { texts } = session;
  const { propertyvalues, ranges, decdigits } = property;
  const listed = propertyvalues.find(({ valuefrom }) => valuefrom === value);
  const sent = isNumeric(property) ? readNumber(value) : undefined;
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
  // The sentence is about a rule that another choice has replaced, and a fixed field cannot be corrected.
  useEffect(() => {
    if (problem !== '') reset();
  }, [JSON.stringify([ranges, propertyvalues, property.addvalues, property.enabled])]);
  useEffect(() => () => session.setRefused({ place, name }, false), [session, place]);

  const commit = (text: string) => {
    if (text.trim() === shown.trim()) return refuse('');
    if (isOther && text.trim() === '') return refuse('');
    const read = readTyped(texts, property, text);
    if ('problem' in read) return refuse(read.problem);
    refuse('');
    // The value is the same number in another spelling.
    if (shown !== '' && read.value === (sent === undefined ? value : String(sent))) return;
    onChange(read.value);
  };
  const current = readLocalNumber(texts, typed) ?? readLocalNumber(texts, shown);
  const next = (direction: Direction) =>
    current === undefined ? undefined : nextInRanges(ranges, current, direction, decdigits);
  const step = (direction: Direction) => {
    const value = next(direction);
    if (value === undefined) return;
    const text = numberText(texts, value);
    setTyped(text);
    commit(text);
  };
  const kept = listed?.text || shown || value;
  return { typed, setTyped, problem, kept, commit, reset, next, step };
}
