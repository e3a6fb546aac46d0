/** Links that lead to the fields of properties. */
import type { NamedField } from '../state/fields.ts';

/** Names the fields that wait for a person; each name is a link to its field. */
export function FieldLinks({
  id,
  intro,
  fields,
}: {
  id: string;
  intro: string;
  fields: readonly NamedField[];
}) {
  return (
    <p class="quiet" id={id}>
      {intro}{' '}
      {fields.map(({ place, name }, index) => (
        <span key={place}>
          {index > 0 && ', '}
          <button type="button" class="plain" onClick={() => focusField(place)}>
            {name}
          </button>
        </span>
      ))}
    </p>
  );
}

/** After a pointer press a browser shows no focus ring, but this focus has moved to another field. */
const WITH_RING = { focusVisible: true };

function focusField(place: string): void {
  const field = document.querySelector(`[data-place="${CSS.escape(place)}"]`);
  // Fields of a part of a planning may be folded away.
  for (let at = field?.closest('details'); at; at = at.parentElement?.closest('details'))
    at.open = true;
  const wrong = field?.querySelector<HTMLElement>('[aria-invalid="true"]');
  (wrong ?? field?.querySelector<HTMLElement>('input, select'))?.focus(WITH_RING);
}
