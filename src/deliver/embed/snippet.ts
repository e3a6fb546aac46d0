/** The HTML that shows a model in a page, such as that of a shop. No imports from Node: pages in a browser use it. */
import { escaped } from '../../support/escaped.ts';
import { visible } from '../../support/visible.ts';
import { CAMERAS, FIELD_OF_VIEW_DEGREES } from '../pictures/camera.ts';
import { DECODERS, decodersOf, MODEL_VIEWER, PACKAGES } from './decoders.ts';

/** The exposure at which model-viewer 4.4 shows a white patch as pictures do; its own light is brighter. */
export const MODEL_VIEWER_EXPOSURE = 0.69;

/** A model and what belongs to it. Addresses are absolute, or relative to the page that contains the snippet. */
export interface EmbeddedModel {
  /** Address of the `.glb` or `.gltf`. */
  model: string;
  /** The extensions that the file requires, as `requiredExtensions` in `deliveries.jsonl`. @defaultValue none */
  requiredExtensions?: readonly string[];
  /** Address of the USDZ for Quick Look. @defaultValue model-viewer makes one of the model on the phone */
  iosModel?: string;
  /** Address of the picture that is shown until the model is loaded. */
  poster?: string;
  /** What the model shows, for people who cannot see it. */
  alt: string;
  /** The finishes of a file with several (`KHR_materials_variants`), in their order. */
  finishes?: readonly EmbeddedFinish[];
  /** Name of the finish that is shown first. @defaultValue the first one */
  finish?: string;
}

export interface EmbeddedFinish {
  /** Its name in the file. */
  name: string;
  /** As {@link EmbeddedModel.iosModel}; used if every finish has one. */
  iosModel?: string;
  /** As {@link EmbeddedModel.alt}. @defaultValue that of the model */
  alt?: string;
}

export interface SnippetOptions {
  /**
   * Where the page gets model-viewer: `address` loads a fixed version from {@link PACKAGES}; `npm` imports the package
   * by its name, for pages that a bundler builds; `none` if the page loads it already. @defaultValue `address`
   */
  script?: 'address' | 'npm' | 'none';
  /** Where packages of npm are, each at `name@version/`. @defaultValue {@link PACKAGES} */
  packages?: string;
  /**
   * Largest size, CSS pixels; a narrower page shows it smaller, with these proportions. `fill`: as large as what contains
   * it. @defaultValue 800 × 600
   */
  size?: { width: number; height: number } | 'fill';
  /** Label of the choice of finishes. @defaultValue `Finish` */
  finishLabel?: string;
}

/**
 * Makes the HTML of a 3D view with `<model-viewer>` that works when it is pasted into a page: script, decoders, size,
 * poster, AR in real size, and a choice of finishes. Several can be in one page.
 *
 * @example
 * ```ts
 * snippetOf({ model: 'desk.glb', alt: 'Desk' }, { script: 'none' });
 * // → '<model-viewer src="desk.glb" alt="Desk" … ar ar-scale="fixed" …></model-viewer>\n'
 * ```
 *
 * @see modelviewer.dev/docs, 2026-11.
 */
export function snippetOf(model: EmbeddedModel, options: SnippetOptions = {}): string {
  const { finishes = [] } = model;
  const viewer = viewerOf(model, options);
  const view =
    finishes.length < 2
      ? viewer
      : `<div>\n${viewer}\n${finishChoice(model, options.finishLabel)}\n</div>`;
  return [...scriptsOf(model, options), view, ''].join('\n');
}

/** The script that shows the chosen finish: every `data-` attribute of its option becomes an attribute of the viewer. */
export const FINISH_SCRIPT = `
  {
    const { parentElement } = document.currentScript;
    parentElement.querySelector('select').addEventListener('change', ({ target }) => {
      const viewer = parentElement.querySelector('model-viewer');
      for (const { name, value } of target.selectedOptions[0].attributes)
        if (name.startsWith('data-')) viewer.setAttribute(name.slice('data-'.length), value);
    });
  }
`;

/** The scripts before the view; each is loaded once, however many snippets a page has. */
function scriptsOf(
  { requiredExtensions = [] }: EmbeddedModel,
  { script = 'address', packages = PACKAGES }: SnippetOptions,
): string[] {
  const settings = decoderSettings(requiredExtensions, packages);
  return [
    ...(settings === undefined ? [] : [`<script>${settings}</script>`]),
    ...MODEL_VIEWER_SCRIPTS[script](packages),
  ];
}

/** The script that says where the decoders are; model-viewer reads it when an element is made, so it comes first. */
export function decoderSettings(
  requiredExtensions: readonly string[],
  packages = PACKAGES,
): string | undefined {
  const lines = decodersOf(requiredExtensions).map((name) => {
    const { property, file } = DECODERS[name].modelViewer;
    const address = JSON.stringify(packages + file).replaceAll('<', '\\u003c');
    return `  self.ModelViewerElement.${property} = ${address};\n`;
  });
  if (lines.length === 0) return undefined;
  return `\n  self.ModelViewerElement = self.ModelViewerElement || {};\n${lines.join('')}`;
}

const MODEL_VIEWER_SCRIPTS = {
  address: (packages) => {
    const { file, integrity } = MODEL_VIEWER;
    const attributes = attributesText({
      src: packages + file,
      integrity,
      crossorigin: 'anonymous',
    });
    return [`<script type="module" ${attributes.join('\n  ')}></script>`];
  },
  npm: () => [`<script type="module">import '@google/model-viewer';</script>`],
  none: () => [],
} as const satisfies Record<
  NonNullable<SnippetOptions['script']>,
  (packages: string) => readonly string[]
>;

/** CSS pixels. */
export const DEFAULT_SIZE = { width: 800, height: 600 } as const;

/** Without it, model-viewer is 300 × 150 pixels large. */
function sizeStyle(size: NonNullable<SnippetOptions['size']>): string {
  if (size === 'fill') return 'width: 100%; height: 100%';
  const { width, height } = size;
  return `width: 100%; max-width: ${width}px; height: auto; aspect-ratio: ${width} / ${height}`;
}

/** The model is first seen as its poster shows it; model-viewer counts the second angle from above. */
const VIEW_OF_PICTURES = {
  'camera-orbit': `${CAMERAS.hero.azimuthDegrees}deg ${90 - CAMERAS.hero.elevationDegrees}deg auto`,
  'field-of-view': `${FIELD_OF_VIEW_DEGREES}deg`,
} as const;

function viewerOf(
  { model, requiredExtensions = [], iosModel, poster, alt, ...finishes }: EmbeddedModel,
  { size = DEFAULT_SIZE }: SnippetOptions,
): string {
  // Scene Viewer gets the address of the model, and has no decoder.
  const modes = decodersOf(requiredExtensions).length > 0 ? 'webxr quick-look' : undefined;
  const first = finishOf(finishes);
  const attributes = attributesText({
    src: model,
    'ios-src': iosModel,
    poster,
    alt: visible(alt, true),
    'variant-name': first?.name,
    'ar-scale': 'fixed',
    'ar-modes': modes,
    exposure: String(MODEL_VIEWER_EXPOSURE),
    'shadow-intensity': '0.6',
    ...VIEW_OF_PICTURES,
    style: sizeStyle(size),
  });
  return `<model-viewer ${attributes.join('\n  ')}\n  ar camera-controls></model-viewer>`;
}

function finishOf({
  finishes = [],
  finish,
}: Pick<EmbeddedModel, 'finishes' | 'finish'>): EmbeddedFinish | undefined {
  return finishes.length < 2
    ? undefined
    : (finishes.find(({ name }) => name === finish) ?? finishes[0]);
}

function finishChoice(model: EmbeddedModel, label = 'Finish'): string {
  const { finishes = [], alt } = model;
  const first = finishOf(model);
  const areOfPhones = finishes.every(({ iosModel }) => iosModel !== undefined);
  const options = finishes.map((finish) => {
    const attributes = attributesText({
      'data-variant-name': finish.name,
      'data-alt': visible(finish.alt ?? alt, true),
      'data-ios-src': areOfPhones ? finish.iosModel : undefined,
    });
    const chosen = finish === first ? ' selected' : '';
    return `<option ${attributes.join(' ')}${chosen}>${escaped(visible(finish.name, true))}</option>`;
  });
  // A browser would restore the choice of an earlier visit, and not the model.
  return `<label>${escaped(label)}\n  <select autocomplete="off">\n    ${options.join('\n    ')}\n  </select></label>
<script>${FINISH_SCRIPT}</script>`;
}

function attributesText(attributes: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escaped(value)}"`],
  );
}
