/** Glass for readers that blend: the light behind it is a part of the background. */
import type { Document, Material } from '@gltf-transform/core';
import type { Transmission } from '@gltf-transform/extensions';
import { linearColor, luminance } from '../../convert/math/color.ts';
import type { LinearRgb } from '../../convert/model/scene.ts';

export interface Blended {
  /** Its own colour, linear light. */
  color: LinearRgb;
  /** From 0 to 1. */
  opacity: number;
}

/**
 * Returns how glass blends, by its transmission: it keeps the same share of its own light and of the background.
 *
 * @param base - Its base colour, linear light; glTF multiplies both parts by it.
 * @param transmission - The share of the light that comes through, 0 to 1.
 * @param clearest - The smallest opacity.
 */
export function blendedGlass(base: LinearRgb, transmission: number, clearest: number): Blended {
  const opacity = Math.max(clearest, 1 - transmission * luminance(base));
  const own = (value: number) => Math.min(1, (value * (1 - transmission)) / opacity);
  return { color: [own(base[0]), own(base[1]), own(base[2])], opacity };
}

/** Makes glass blend where it transmits light: as the service describes it (D-510), else by its transmission. */
export function blendGlass(document: Document): void {
  for (const material of document.getRoot().listMaterials()) blend(material);
}

function blend(material: Material): void {
  const glass = material.getExtension<Transmission>('KHR_materials_transmission');
  if (glass === null) return;
  const [r, g, b, coverage] = material.getBaseColorFactor();
  const image = material.getBaseColorTexture();
  const transmitted = blendedGlass([r, g, b], glass.getTransmissionFactor(), LEAST_ALPHA);
  const { color, opacity } = asReceived(material) ?? transmitted;
  // An image has its own colour.
  const [red, green, blue] = image === null ? color : [r, g, b];
  material.setBaseColorFactor([red, green, blue, coverage * opacity]).setAlphaMode('BLEND');
}

/** A smaller alpha makes a pane invisible on a phone; clear glass keeps its reflections. */
const LEAST_ALPHA = 0.15;

/** The notation of D-510; other records of the service may use other notations. */
const COLOR = /^0x([0-9A-F]{2})([0-9A-F]{2})([0-9A-F]{2})$/;

function asReceived(material: Material): Blended | undefined {
  const { service } = material.getExtras() as { service?: { tra?: unknown; dif?: unknown } };
  const { tra, dif = '0xFFFFFF' } = service ?? {};
  const [, ...digits] = COLOR.exec(String(dif)) ?? [];
  if (typeof tra !== 'number' || !(tra > 0 && tra <= 1) || digits.length !== 3) return undefined;
  const [r, g, b] = digits.map((two) => Number.parseInt(two, 16) / 255);
  return { color: linearColor([r!, g!, b!]), opacity: Math.max(LEAST_ALPHA, 1 - tra) };
}
