/** The page of an inspected model: one file that works from a disk. Everything of the model is escaped. */
import { createHash } from 'node:crypto';
import { type Html, html } from '../../run/report/markup.ts';
import { amount, integer, size } from '../../run/report/text.ts';
import { readBytes } from '../../support/files.ts';
import { packageFile } from '../../support/package-file.ts';
import { pageHead } from '../../support/page-head.ts';
import { cutText, TEXT_LIMITS } from '../../support/text-limits.ts';
import { GALLERY_STYLE } from '../gallery/gallery-style.ts';
import type { GlbFigures } from '../making/glb-figures.ts';
import type { Inspection, MaterialFacts } from './inspection.ts';
import { INSPECTION_STYLE } from './inspection-style.ts';
import type { Part, TexelDensity } from './parts.ts';

/** What making the file of a profile changes. */
export interface ProfileChange {
  profile: string;
  /** Why the model itself does not fit; empty if it fits, undefined if the profile has another format. */
  breaches: readonly string[] | undefined;
  made: MadeFigures | { error: string };
}

interface MadeFigures {
  bytes: number;
  /** Undefined if its format is not read again. */
  figures: GlbFigures | undefined;
  movedMillimetres: number;
  dropped: readonly string[];
  /** Sentences about what is lost. */
  lost: string;
}

/** Most rows of a list: a page with more opens slowly. */
const MOST_ROWS = 1000;
/** Deeper parts are not moved further. */
const MOST_DEPTH = 12;

/**
 * Makes the page.
 *
 * @param name - Name of the file, for the title.
 * @returns HTML with model, program, light and style in it.
 * @throws {@link ConverterError} `FILE_MISSING` if this package is not complete.
 */
export async function inspectionPage(
  name: string,
  inspection: Inspection,
  changes: readonly ProfileChange[],
): Promise<string> {
  const { view } = inspection;
  const style = GALLERY_STYLE + INSPECTION_STYLE;
  const program = 'glb' in view ? await viewerProgram() : '';
  const head = pageHead({
    'script-src': program === '' ? "'none'" : hashOf(program),
    'style-src': hashOf(style),
    'img-src': 'data: blob:',
    'connect-src': 'blob: data:',
  });
  const title = cutText(name, TEXT_LIMITS.name);
  const sections = [
    section('profiles', 'What each profile would change', profilesOf(inspection, changes)),
    section('parts', 'Parts', partsOf(inspection)),
    section('materials', 'Materials', materialsOf(inspection)),
    section('textures', 'Textures', texturesOf(inspection)),
    section('density', 'Texel density', densitiesOf(inspection)),
    section('validator', 'Messages of the glTF validator', messagesOf(inspection)),
  ];
  const content = html`<div class="page">
<header><h1>${title}</h1><p>${summaryOf(inspection)}</p></header>
<main>
<div class="top">${stageOf(title, inspection)}${glanceOf(inspection, changes)}</div>
<nav class="jump" aria-label="Sections">${sections.map(({ id, heading }) => html`<a href="#${id}">${heading}</a>`)}</nav>
${sections.map(({ content: one }) => one)}
</main>
</div>`;
  return [
    `${head}\n${html`<title>${title}</title>`.html}\n<style>${style}</style>\n</head>\n<body>`,
    content.html,
    ...('glb' in view ? [data('model', view.glb), data('studio', await studio())] : []),
    program === '' ? '' : `<script>${program}</script>`,
    '</body>\n</html>\n',
  ].join('\n');
}

const studio = () => readBytes(packageFile('src/deliver/pictures/studio-map.bin'));

/** A script in a page ends where it has the text of its end. */
async function viewerProgram(): Promise<string> {
  const bytes = await readBytes(packageFile('dist/deliver/inspection-viewer.js'));
  return new TextDecoder().decode(bytes).replace(/<(?=\/script|!--)/gi, '\\x3c');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function data(id: string, bytes: Uint8Array): string {
  const { buffer, byteOffset, length } = bytes;
  const text = Buffer.from(buffer, byteOffset, length).toString('base64');
  return `<script type="text/plain" id="${id}">${text}</script>`;
}

interface Section {
  id: string;
  heading: string;
  content: Html;
}

function section(id: string, heading: string, content: Html): Section {
  const made = html`<section class="sheet" id="${id}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${heading}</h2>${content}</section>
`;
  return { id, heading, content: made };
}

/** A table that scrolls by itself where the page is narrow. */
function table(label: string, kind: string, heads: readonly Html[], rows: readonly Html[]): Html {
  const isLong = rows.length > 20 ? ' long' : '';
  return html`<div class="wide${isLong}" role="region" aria-label="${`${label}, table`}" tabindex="0"><table class="${kind}"><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

const heading = (text: string) => html`<th scope="col">${text}</th>`;
const numbers = (text: string) => html`<th scope="col" class="number">${text}</th>`;
const number = (text: string) => html`<td class="number">${text}</td>`;
const cut = (text: string) => cutText(text, TEXT_LIMITS.name);

function more(count: number, noun: string): Html | undefined {
  return count > 0 ? html`<p>${amount(count, `more ${noun}`)} not listed.</p>` : undefined;
}

function millimetres(sides: Part['sizeMillimetres']): string {
  if (sides === undefined) return '–';
  const [width, height, depth] = sides.map((side) => (side < 10 ? side.toFixed(1) : integer(side)));
  return `${width} × ${depth} × ${height}`;
}

function summaryOf({ figures, parts }: Inspection): string {
  const sides = 'unknown' in parts ? undefined : parts.sizeMillimetres;
  const whole = sides === undefined ? [] : [`${millimetres(sides)} mm (width × depth × height)`];
  return [size(figures.bytes), amount(figures.triangles, 'triangle'), ...whole].join(' · ');
}

function stageOf(label: string, { view }: Inspection): Html {
  if ('unknown' in view)
    return html`<div class="sheet view"><h2>3D view</h2><p>This model is not shown: ${view.unknown}.</p></div>`;
  const without = view.isWithoutKtx2
    ? html`<span>Textures in KTX2 are not shown here.</span>`
    : undefined;
  return html`<div class="sheet view"><div class="stage" id="stage" data-label="${`${label}, 3D view`}"><p class="loading" id="loading">The 3D view needs JavaScript.</p></div>
<div class="hint"><span id="shown" hidden>Only <strong id="shown-name"></strong> is shown. <button type="button" id="show-all">Show all</button></span><span>Drag or use arrow keys to turn, + and − to zoom, 0 to start again.</span>${without}</div></div>
`;
}

function glanceOf(inspection: Inspection, changes: readonly ProfileChange[]): Html {
  const { figures, validation } = inspection;
  const { extensionsUsed, extensionsRequired, images, meshes } = figures;
  const sum = (all: readonly { bytes: number }[]) =>
    size(all.reduce((total, { bytes }) => total + bytes, 0));
  const optional = extensionsUsed.filter((name) => !extensionsRequired.includes(name));
  const rows: [string, string][] = [
    ['Bytes', `${size(figures.bytes)}: meshes ${sum(meshes)}, textures ${sum(images)}`],
    ['Triangles', integer(figures.triangles)],
    ['Draw calls', integer(figures.drawCalls)],
    ['Materials', integer(figures.materials)],
    ['Textures', integer(images.length)],
    ['Required extensions', extensionsRequired.join(', ') || 'none'],
    ['Other extensions', optional.join(', ') || 'none'],
  ];
  const fitting = changes.filter(({ breaches }) => breaches?.length === 0);
  const possible = changes.filter(
    ({ breaches, made }) => breaches?.length !== 0 && 'bytes' in made,
  );
  const others = changes.filter(({ breaches, made }) => breaches?.length !== 0 && 'error' in made);
  const names = (all: readonly ProfileChange[]) => all.map(({ profile }) => profile).join(', ');
  const { errors, warnings, notes } = validation;
  const found = `${amount(errors, 'error')}, ${amount(warnings, 'warning')}, ${amount(notes, 'note')}`;
  const isValid = errors === 0;
  return html`<div class="sheet"><h2>At a glance</h2><dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${cut(value)}</dd>`)}</dl>
<ul class="answers">
${answer(isValid ? 'good' : 'bad', `${isValid ? 'Valid' : 'Not valid'} glTF 2.0: ${found}`)}
${fitting.length > 0 ? answer('good', `Fits as it is: ${names(fitting)}`) : undefined}
${possible.length > 0 ? answer('fair', `Can be made to fit: ${names(possible)}`) : undefined}
${others.length > 0 ? answer('bad', `Cannot be made to fit: ${names(others)}`) : undefined}
</ul></div>`;
}

const MARKS = { good: '✓', fair: '→', bad: '✗' } as const;

function answer(kind: keyof typeof MARKS, text: string): Html {
  return html`<li><span class="mark ${kind}" aria-hidden="true">${MARKS[kind]}</span><span>${text}</span></li>`;
}

function profilesOf({ figures }: Inspection, changes: readonly ProfileChange[]): Html {
  const rows = changes.map(({ profile, breaches, made }) => {
    const fits = breaches === undefined ? undefined : breaches.length === 0;
    const word = fits === undefined ? 'another format' : fits ? 'fits' : 'does not fit';
    const kind = fits === undefined ? 'quiet' : fits ? 'good' : 'fair';
    const first = html`<th scope="row">${profile}</th><td class="${kind}">${word}</td>`;
    const reasons = (breaches ?? []).map(
      (text) => html`<li>${cutText(text, TEXT_LIMITS.message)}</li>`,
    );
    if ('error' in made)
      return html`<tr>${first}<td colspan="3" class="bad">cannot be made</td><td><ul><li>${made.error}</li></ul></td></tr>`;
    const notes = notesOf(figures, made).map((text) => html`<li>${text}</li>`);
    return html`<tr>${first}${number(`${size(figures.bytes)} → ${size(made.bytes)}`)}${number(changeOf(figures.triangles, made.figures?.triangles))}${number(changeOf(largestOf(figures), made.figures && largestOf(made.figures)))}<td><ul>${reasons}${notes}</ul></td></tr>`;
  });
  const heads = [
    ...[heading('Profile'), heading('As it is'), numbers('Bytes'), numbers('Triangles')],
    ...[numbers('Largest texture'), heading('Why, and what changes')],
  ];
  return html`<p>Each file was made for this page; btg2gltf deliver FILE --profile NAME --output DIR writes it.</p>
${table('Profiles', 'profiles', heads, rows)}`;
}

const largestOf = ({ images }: GlbFigures) =>
  Math.max(0, ...images.map(({ width, height }) => Math.max(width, height)));

function changeOf(before: number, after: number | undefined): string {
  if (after === undefined) return '–';
  return before === after ? integer(before) : `${integer(before)} → ${integer(after)}`;
}

const format = (mimeType: string) => mimeType.replace('image/', '');

function notesOf(before: GlbFigures, made: MadeFigures): string[] {
  const { figures: after, movedMillimetres, dropped, lost } = made;
  const notes: string[] = [];
  if (after !== undefined) {
    const formats = (all: GlbFigures['images']) =>
      [...new Set(all.map(({ mimeType }) => format(mimeType)))].sort().join(', ') || 'none';
    const [from, to] = [formats(before.images), formats(after.images)];
    if (from !== to) notes.push(`texture formats: ${from} → ${to}`);
    const resized = before.images.flatMap(({ name, width, height }) => {
      const own = after.images.filter((image) => image.name === name);
      const [one] = own;
      if (own.length !== 1 || one === undefined || one.width === width) return [];
      return [`${cut(name)} ${width} × ${height} → ${one.width} × ${one.height}`];
    });
    if (resized.length > 0) notes.push(`textures made smaller: ${resized.slice(0, 8).join('; ')}`);
    if (before.images.length !== after.images.length)
      notes.push(`textures: ${before.images.length} → ${after.images.length}`);
    if (before.drawCalls !== after.drawCalls)
      notes.push(`draw calls: ${before.drawCalls} → ${after.drawCalls}`);
    const added = after.extensionsRequired.filter(
      (one) => !before.extensionsRequired.includes(one),
    );
    if (added.length > 0) notes.push(`a reader must support ${added.join(', ')}`);
  }
  if (movedMillimetres > 0) notes.push(`surfaces move by up to ${movedMillimetres} mm`);
  if (dropped.length > 0) notes.push(`without ${dropped.join(', ')}`);
  if (lost !== '') notes.push(lost);
  return notes;
}

function partsOf({ parts: read }: Inspection): Html {
  if ('unknown' in read) return html`<p>The parts are not known: ${read.unknown}.</p>`;
  const { parts } = read;
  const rows = parts.slice(0, MOST_ROWS).map(({ node, name, depth, sizeMillimetres, ...part }) => {
    const indent = depth === 0 ? '' : `d${Math.min(depth, MOST_DEPTH)}`;
    return html`<tr><td><div class="${indent}"><button type="button" data-node="${node}" aria-pressed="false" disabled>${cut(name)}</button></div></td>${number(millimetres(sizeMillimetres))}${number(integer(part.triangles))}<td>${part.materials.map(cut).join(', ')}</td></tr>`;
  });
  const heads = [heading('Part'), numbers('Width × depth × height, mm'), numbers('Triangles')];
  return html`<p>A part includes what is below it. Its button shows it alone in the 3D view.</p>
${table('Parts', 'parts', [...heads, heading('Materials')], rows)}${more(parts.length - rows.length, 'part')}`;
}

/** A linear colour as an sRGB colour of the web; IEC 61966-2-1. */
function webColor(linear: readonly number[]): string {
  const parts = linear.slice(0, 3).map((value) => {
    const known = Math.min(1, Math.max(0, value || 0));
    const srgb = known <= 0.0031308 ? 12.92 * known : 1.055 * known ** (1 / 2.4) - 0.055;
    return Math.round(255 * srgb)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}

function materialsOf({ materials, textures }: Inspection): Html {
  if (materials.length === 0) return html`<p>It has no material.</p>`;
  const item = ({ name, baseColor, factors, textures: slots }: MaterialFacts) => {
    const color = webColor(baseColor);
    const alpha = baseColor[3] === 1 ? '' : `, alpha ${Number(baseColor[3]?.toFixed(3))}`;
    const rows = [
      ...slots.map(([slot, image]) => [slot, textures[image]?.name ?? `image ${image}`] as const),
      ...factors,
    ];
    const image = new Map(slots).get('baseColorTexture');
    const thumbnail = image === undefined ? undefined : textures[image]?.thumbnail;
    const swatch = thumbnail
      ? html`<img class="swatch" src="${thumbnail}" alt="">`
      : html`<svg class="swatch" viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="${color}"/></svg>`;
    return html`<li><h3>${swatch}${cut(name)}</h3><dl><dt>base colour</dt><dd>${color}${alpha}</dd>${rows.slice(0, 60).map(([label, value]) => html`<dt>${cut(label)}</dt><dd>${cut(value)}</dd>`)}</dl></li>`;
  };
  const shown = materials.slice(0, MOST_ROWS).map(item);
  return html`<ul class="items">${shown}</ul>${more(materials.length - shown.length, 'material')}`;
}

function texturesOf({ textures, materials }: Inspection): Html {
  if (textures.length === 0) return html`<p>It has no texture.</p>`;
  const uses = new Map<number, string[]>();
  for (const { name, textures: slots } of materials)
    for (const [slot, image] of slots)
      uses.set(image, [...(uses.get(image) ?? []), `${name}: ${slot}`]);
  const shown = textures.slice(0, MOST_ROWS).map((texture, at) => {
    const { name, bytes, mimeType, width, height, thumbnail } = texture;
    const picture = thumbnail
      ? html`<img src="${thumbnail}" alt="${cut(name)}" loading="lazy">`
      : html`<span>no preview</span>`;
    const used = uses.get(at) ?? ['not used by a material'];
    const rest = used.length > 6 ? [`and ${used.length - 6} more`] : [];
    return html`<li><div class="small">${picture}</div><div><h3>${cut(name)}</h3><p>${width} × ${height} pixels, ${format(mimeType)}, ${size(bytes)}</p><p>${[...used.slice(0, 6), ...rest].map(cut).join('; ')}</p></div></li>`;
  });
  return html`<ul class="items textures">${shown}</ul>${more(textures.length - shown.length, 'texture')}`;
}

function densitiesOf({ parts: read, materials }: Inspection): Html {
  if ('unknown' in read) return html`<p>It is not known: ${read.unknown}.</p>`;
  const texels = (value: number) => (value < 10 ? value.toFixed(1) : integer(value));
  const rows = [...read.densities]
    .sort(([, a], [, b]) => a.median - b.median)
    .map(([at, one]: [number, TexelDensity]) => {
      const { slot, triangles, smallest, median, largest } = one;
      const figures = [texels(smallest), texels(median), texels(largest), integer(triangles)];
      return html`<tr><th scope="row">${cut(materials[at]?.name ?? '')}</th><td>${slot}</td>${figures.map(number)}</tr>`;
    });
  if (rows.length === 0) return html`<p>No material is drawn with a texture.</p>`;
  const heads = ['Smallest', 'Median', 'Largest', 'Triangles'].map(numbers);
  return html`<p>Texels (pixels of the texture) for each metre of the surface; of half of a surface it is below the median. Materials that differ much look sharp and blurred side by side.</p>
${table('Texel density', 'densities', [heading('Material'), heading('Measured with'), ...heads], rows)}`;
}

function messagesOf({ validation }: Inspection): Html {
  const { errors, warnings, notes, messages } = validation;
  const all = errors + warnings + notes;
  if (all === 0) return html`<p>No message.</p>`;
  const kinds: Readonly<Record<string, string>> = { error: 'bad', warning: 'fair' };
  const rows = messages.map(({ kind, code, message, pointer }) => {
    return html`<tr><td class="${kinds[kind] ?? 'quiet'}">${kind}</td><td><code>${cut(code)}</code></td><td>${cut(message)}</td><td><code>${cut(pointer)}</code></td></tr>`;
  });
  const heads = ['Kind', 'Code', 'Message', 'Where'].map(heading);
  return html`<p>${amount(errors, 'error')}, ${amount(warnings, 'warning')}, ${amount(notes, 'note')}.</p>
${table('Messages', 'messages', heads, rows)}${more(all - messages.length, 'message')}`;
}
