/** Libraries that only some features need: an installation has them if they were requested. */
import { createRequire } from 'node:module';
import { ConverterError } from './errors.ts';

/** The libraries of each feature, in the versions that are tested. */
export const OPTIONAL_LIBRARIES = {
  'the queue of --executor bullmq': { bullmq: '6.7.0', ioredis: '6.0.0', pg: '8.23.1' },
  pictures: { 'playwright-core': '1.65.1' },
  'textures as KTX2': { 'ktx2-encoder': '0.6.0' },
} as const;

/** The command that installs the libraries of a feature. */
export function installCommand(use: keyof typeof OPTIONAL_LIBRARIES): string {
  const libraries = Object.entries(OPTIONAL_LIBRARIES[use]).map((entry) => entry.join('@'));
  return `npm install ${libraries.join(' ')}`;
}

/** Whether the libraries of a feature are installed. */
export function isInstalled(use: keyof typeof OPTIONAL_LIBRARIES): boolean {
  const { resolve } = createRequire(import.meta.url);
  return Object.keys(OPTIONAL_LIBRARIES[use]).every((name) => {
    try {
      return resolve(name) !== '';
    } catch (error) {
      // A library that can only be imported has no path for this.
      return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
    }
  });
}

/** @throws {@link ConverterError} `LIBRARY_MISSING` with the command that installs the libraries of a feature. */
export function requireInstalled(use: keyof typeof OPTIONAL_LIBRARIES): void {
  if (isInstalled(use)) return;
  const names = Object.keys(OPTIONAL_LIBRARIES[use]).join(', ');
  const message = `${use}: expected ${names} to be installed beside btg2gltf`;
  throw new ConverterError('LIBRARY_MISSING', message, { help: installCommand(use) });
}
