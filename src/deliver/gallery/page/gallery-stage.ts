/** Shows one configuration: a picture of a camera, or its model in 3D. */

import { altText } from '../../making/alt-text.ts';
import { VARIANTS } from '../../making/names.ts';
import type { CameraName } from '../../pictures/camera.ts';
import { button, element } from '../../pictures/page/elements.ts';
import type { ModelView, ShownModel } from '../gallery-data.ts';
import {
  addressOf,
  type GalleryDetails,
  type GalleryFile,
  mainPicture,
  viewsOf,
} from '../gallery-data.ts';
import { IS_ON_DISK, loadEmbedded, loadViewer } from './gallery-parts.ts';
import { shown } from './gallery-texts.ts';

/** What a person has chosen to see; the picture that represents a configuration where it has no such camera. */
const MODEL = Symbol('3D');

const CAMERA_TEXTS = {
  hero: 'Perspective',
  front: 'Front',
  side: 'Side',
  back: 'Back',
  top: 'Top',
  closeup: 'Close-up',
} as const satisfies Record<CameraName, string>;

function cameraText(camera: string): string {
  return camera in CAMERA_TEXTS ? CAMERA_TEXTS[camera as CameraName] : shown(camera);
}

const ON_DISK =
  'A browser opens no model from a disk. Run btg2gltf view for the 3D view, or publish with gallery: { embedModels: true }.';

/** The large picture or model, with the buttons of its views. It stays while a visitor chooses among configurations. */
export class Stage {
  readonly #stage = element('div', { class: 'stage' });
  readonly #views = element('div', { class: 'views', role: 'group', 'aria-label': 'Views' });
  readonly element = element('div', { class: 'views-of' }, this.#stage, this.#views);
  #chosen: string | typeof MODEL | undefined;
  #model: (ModelView & { path: string }) | undefined;
  /** Number of what is shown: a model that was loaded late is not shown any more. */
  #showing = 0;

  /** Shows a configuration from where the last one was seen. */
  show(details: GalleryDetails): void {
    const views = viewsOf(details);
    const picture = views.find(({ camera }) => camera === this.#chosen) ?? mainPicture(details);
    const toggle = (text: string, value: string | typeof MODEL) => {
      const isPressed = value === (this.#chosen === MODEL ? MODEL : picture?.camera);
      const made = button(text, { 'aria-pressed': String(isPressed) }, () => {
        this.#chosen = value;
        this.show(details);
        const place = [...this.#views.children].findIndex(
          ({ textContent }) => textContent === text,
        );
        (this.#views.children[place] as HTMLElement | undefined)?.focus();
      });
      return made;
    };
    this.#views.replaceChildren(
      ...views.map(({ camera }) => toggle(cameraText(camera!), camera!)),
      toggle('3D', MODEL),
    );
    if (this.#chosen === MODEL)
      this.#views.append(
        element('span', { class: 'quiet' }, 'Drag to turn, scroll or pinch to zoom'),
      );
    if (this.#chosen === MODEL) {
      void this.#showModel(details);
      return;
    }
    this.#end();
    if (picture === undefined)
      this.#stage.replaceChildren(element('p', { class: 'missing' }, 'No picture'));
    else void this.#showPicture(picture, details);
  }

  /** The picture before stays until this one can be drawn. */
  async #showPicture({ camera, path }: GalleryFile, details: GalleryDetails): Promise<void> {
    const { name, number, variant } = details;
    const alt = `${altText({ name: name || number, variant })}, ${cameraText(camera!)}`;
    const image = element('img', { src: addressOf(path), alt });
    const mine = this.#showing;
    if (this.#stage.querySelector('img') !== null) await image.decode().catch(() => {});
    if (mine === this.#showing) this.#stage.replaceChildren(image);
  }

  /** Ends the 3D view, and forgets what was chosen. */
  close(): void {
    this.#end();
    this.#chosen = undefined;
  }

  #end(): void {
    this.#showing++;
    this.#model?.close();
    this.#model = undefined;
  }

  async #showModel(details: GalleryDetails): Promise<void> {
    const file = details.files.find(({ delivery }) => delivery === VARIANTS) ?? details.files[0]!;
    const { embedded } = details;
    const path = IS_ON_DISK ? (embedded?.path ?? '') : file.path;
    const finish = details.files.find((one) => one.path === path)?.finish;
    const place = this.#model?.finishes.indexOf(finish ?? '') ?? -1;
    if (this.#model?.path === path && place >= 0) {
      await this.#model.choose(place);
      return;
    }
    this.#end();
    const mine = this.#showing;
    const note = element('p', { class: 'missing', role: 'status' }, 'Loading the model …');
    this.#stage.replaceChildren(note);
    if (IS_ON_DISK && embedded === undefined) {
      note.textContent = ON_DISK;
      return;
    }
    try {
      const source: ShownModel =
        IS_ON_DISK && embedded ? await loadEmbedded(embedded) : { model: addressOf(path) };
      const open = await loadViewer();
      const label = `3D view of ${shown(details.name || details.number)}. Arrow keys turn it, plus and minus zoom, Home resets.`;
      const view = await open(this.#stage, source, label, finish);
      if (mine !== this.#showing) return view.close();
      this.#model = { ...view, path };
      note.remove();
    } catch (error) {
      if (mine === this.#showing)
        note.textContent = `The model cannot be shown: ${(error as Error).message}`;
    }
  }
}
