/** One property: a choice of its values, and a field for typing other values. */
import { useId } from 'preact/hooks';
import type { ArticleProperty } from '../../../model/article.ts';
import { LargePictures } from './large-pictures.tsx';
import { Picture } from './picture.tsx';
import { type FieldProps, TypedField } from './typed-field.tsx';
import { useSession } from './use-session.ts';

/** Most values for radio buttons: more values, or longer ones, are easier to find in a list of the browser. */
const MOST_RADIOS = 12;
const MOST_PICTURES = 40;

export function PropertyField(props: Omit<FieldProps, 'name' | 'id'>) {
  const { place, property } = props;
  const id = useId();
  const { propertyvalues: values, ranges, addvalues } = property;
  const hasPictures = values.some(hasPicture);
  const isList = values.length > (hasPictures ? MOST_PICTURES : MOST_RADIOS);
  // A single value that is chosen and fixed is no choice, but is shown as information.
  const isTyped = ranges.length > 0 || addvalues;
  const field = { ...props, name: property.text || property.name, id };
  const label = <PropertyName {...field} />;
  const other = isTyped && <TypedField {...field} id={`${id}-other`} isOther />;
  if (values.length === 0 || isList) {
    return (
      <div class="property" data-place={place}>
        <label class="label" for={id}>
          {label}
        </label>
        {isList ? <ListField {...field} /> : <TypedField {...field} />}
        <LargePictures {...field} />
        {isList && other}
      </div>
    );
  }
  return (
    <div class="property" data-place={place}>
      <fieldset disabled={!property.enabled}>
        <legend class="label">{label}</legend>
        <Choices {...field} />
        {other}
      </fieldset>
      <LargePictures {...field} />
    </div>
  );
}

function hasPicture({ previewimage }: ArticleProperty['propertyvalues'][number]): boolean {
  return previewimage !== '';
}

function PropertyName({ property, name, value }: FieldProps) {
  const { texts } = useSession();
  const isObligatory = property.obligatory || property.obligatory2c;
  return (
    <>
      <span class="name">{name}</span>
      {isObligatory && value.trim() === '' ? (
        <span class="open">{texts.mustChoose}</span>
      ) : (
        isObligatory && (
          <span class="must" title={texts.required}>
            <span aria-hidden="true">*</span>
            <span class="away">{texts.required}</span>
          </span>
        )
      )}
    </>
  );
}

function Choices({ property: { propertyvalues: values }, id, value, onChange }: FieldProps) {
  return (
    <div class={values.some(hasPicture) ? 'choices pictured' : 'choices'}>
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
            {hasPicture(choice) && (
              <span class="swatch" aria-hidden="true">
                <Picture kind="preview" reference={choice.previewimage} />
              </span>
            )}
            <span>{choice.text || choice.valuefrom}</span>
          </span>
        </label>
      ))}
    </div>
  );
}

function ListField({ property, id, value, onChange }: FieldProps) {
  const { texts } = useSession();
  const { propertyvalues: values } = property;
  const chosen = values.find(({ valuefrom }) => valuefrom === value);
  return (
    <div class="list">
      {chosen !== undefined && hasPicture(chosen) && (
        <span class="swatch" aria-hidden="true">
          <Picture kind="preview" reference={chosen.previewimage} />
        </span>
      )}
      <select
        id={id}
        disabled={!property.enabled}
        value={chosen === undefined ? '' : value}
        onChange={({ currentTarget }) => {
          if (currentTarget.value !== '') onChange(currentTarget.value);
        }}
      >
        {chosen === undefined && <option value="">{value === '' ? texts.choose : value}</option>}
        {values.map(({ valuefrom, text }) => (
          <option value={valuefrom} key={valuefrom}>
            {text || valuefrom}
          </option>
        ))}
      </select>
    </div>
  );
}
