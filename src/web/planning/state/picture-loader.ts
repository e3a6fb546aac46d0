/** The pictures of articles and property values, as addresses that an `<img>` shows. */
import { checkImage } from '../../../convert/wire/resource.ts';
import { createBudget } from '../../../support/budget.ts';
import { isConverterError } from '../../../support/errors.ts';

/** `preview`: a `previewimage` of the service; `resource`: a `rescontent`. */
export type PictureKind = 'preview' | 'resource';

/** A catalogue list requests many pictures: with a limit, the pictures at its top arrive first. */
const PICTURES_AT_ONCE = 6;
const MAX_PICTURES = 2_000;

/** The errors that mean no picture, or none that a page may show. Any other error may be temporary. */
const WITHOUT_PICTURE = [
  ...(['IMAGE_MISSING', 'IMAGE_REFUSED', 'RESOURCE_MISSING', 'RESOURCE_REFUSED'] as const),
  'RESPONSE_INVALID',
] as const;

/** Loads pictures, each once until the page is left. */
export class PictureLoader {
  readonly #load: (kind: PictureKind, reference: string) => Promise<Uint8Array>;
  readonly #addresses = new Map<string, Promise<string | undefined>>();
  readonly #turns = createBudget(PICTURES_AT_ONCE);

  constructor(load: (kind: PictureKind, reference: string) => Promise<Uint8Array>) {
    this.#load = load;
  }

  /** The address of a picture; undefined if there is none. If loading has failed, the next call loads it again. */
  addressOf(kind: PictureKind, reference: string): Promise<string | undefined> {
    const key = `${kind} ${reference}`;
    const known = this.#addresses.get(key);
    if (known !== undefined) return known;
    if (this.#addresses.size >= MAX_PICTURES) this.#revokeAll();
    const loading = this.#inTurn(kind, reference).catch(() => {
      if (this.#addresses.get(key) === loading) this.#addresses.delete(key);
      return undefined;
    });
    this.#addresses.set(key, loading);
    return loading;
  }

  async #inTurn(kind: PictureKind, reference: string): Promise<string | undefined> {
    const release = await this.#turns.take(1);
    try {
      const bytes = await this.#load(kind, reference);
      // The type is always that of an image, so that a browser never runs the content.
      const type = `image/${checkImage(bytes)}`;
      return URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
    } catch (error) {
      if (isConverterError(error, ...WITHOUT_PICTURE)) return undefined;
      throw error;
    } finally {
      release();
    }
  }

  #revokeAll(): void {
    for (const shown of this.#addresses.values())
      void shown.then((address) => address && URL.revokeObjectURL(address));
    this.#addresses.clear();
  }
}
