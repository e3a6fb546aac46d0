/** The values of a property in large pictures: a dialog to compare them, and to choose one. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Picture } from './picture.tsx';
import type { FieldProps } from './typed-field.tsx';
import { useSession } from './use-session.ts';

/** Shows the button that opens the dialog; nothing if the service has no large pictures of the property. */
export function LargePictures({ property, name, value, onChange }: FieldProps) {
  const { texts } = useSession();
  const [isOpen, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => {
    if (isOpen) dialog.current!.showModal();
  }, [isOpen]);
  const values = property.propertyvalues.filter(({ previewimagelarge: large }) => large !== '');
  if (values.length === 0) return null;
  const close = () => dialog.current!.close();
  return (
    <>
      <button
        type="button"
        class="plain enlarge"
        aria-label={texts.largerOf(name)}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {texts.larger}
      </button>
      {isOpen && (
        <dialog class="large" ref={dialog} aria-labelledby={title} onClose={() => setOpen(false)}>
          <header>
            <h2 id={title}>{name}</h2>
            <button type="button" onClick={close}>
              {texts.close}
            </button>
          </header>
          <ul class="large-list">
            {values.map(({ valuefrom, text, previewimage, previewimagelarge }) => (
              <li key={valuefrom}>
                <button
                  type="button"
                  aria-label={text || valuefrom}
                  aria-pressed={valuefrom === value}
                  disabled={!property.enabled}
                  onClick={() => {
                    if (valuefrom !== value) onChange(valuefrom);
                    close();
                  }}
                >
                  <Picture kind="preview" reference={previewimagelarge} otherwise={previewimage} />
                  <span>{text || valuefrom}</span>
                </button>
              </li>
            ))}
          </ul>
        </dialog>
      )}
    </>
  );
}
