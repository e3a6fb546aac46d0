/** The delivery of pictures: the browser starts with the first one. */
import type { FoundBrowser } from './browser.ts';
import type { Maker } from './maker.ts';
import { pictureNames, takePictures } from './picture.ts';
import type { PictureOptions } from './picture-options.ts';
import type { Renderer } from './renderer.ts';

/** Raise it where the same model gets another picture. */
const VERSION = 1;

/** While one is drawn, the pictures of others are encoded and written. */
const AT_ONCE = 4;

/** Makes the pictures of masters. */
export function createPictureMaker(browser: FoundBrowser, options: PictureOptions): Maker {
  let opened: Promise<Renderer> | undefined;
  return {
    name: 'pictures',
    key: `${VERSION} ${JSON.stringify(options)}`,
    files: pictureNames(options).map((name) => `${name}.${options.format}`),
    atOnce: AT_ONCE,
    async make(master) {
      opened ??= import('./renderer.ts').then(({ openRenderer }) => openRenderer({ browser }));
      const pictures = await takePictures(await opened, master, options);
      return pictures.map(({ width, height, bytes }) => ({ bytes, facts: { width, height } }));
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}
