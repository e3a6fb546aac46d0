/**
 * Parts that the cabinets of DEPOT share: carcass, shelves, handles, drawers.
 */
import type { Part, Values } from '../definition.ts';
import { imp, movable, top } from '../tree.ts';
import { basis, board, decor, layer, shared, upright } from './fjelmark-common.ts';
import { choice, choices, text } from './properties.ts';

/** Id of the series. */
export const PROGRAM = 'DEPOT';

/** Layer of visible parts. */
export const D3 = layer(PROGRAM, 'D3');

/** Material of its handles and hinges. */
export const METAL = basis('PULVER_SILBER');

/** The handle of the fronts. */
export const HANDLE = choices('GRIFF', 'AUSSTATTUNG', text('Griff', 'Handle'), [
  choice('BUEGEL', 'B', 'Bügelgriff', 'Bow handle'),
  choice('LEISTE', 'L', 'Griffleiste', 'Edge grip', { surcharge: 12 }),
]);

/** Carcass of boards with a back panel; measures in millimetres, standing at height y. */
export function carcass(w: number, h: number, d: number, y: number, values: Values): Part {
  const t = 19;
  const [W, H, T] = [w / 1000, h / 1000, t / 1000];
  return top({ at: [0, y, 0], mat: upright(values), lay: D3 }, [
    board(t, h, d - 20, {}),
    board(t, h, d - 20, { at: [W - T, 0, 0] }),
    board(w - 2 * t, t, d - 20, { at: [T, 0, 0], mat: decor(values) }),
    board(w - 2 * t, t, d - 20, { at: [T, H - T, 0], mat: decor(values) }),
    imp(shared('PANEEL', w - 2 * t, h - 2 * t, 8), { at: [T, T, 0.012] }),
  ]);
}

/** Shelves inside, evenly. */
export function shelves(
  w: number,
  h: number,
  d: number,
  y: number,
  count: number,
  values: Values,
): Part[] {
  return Array.from({ length: count }, (_, i) =>
    board(w - 40, 19, d - 60, {
      at: [0.02, y + ((i + 1) * h) / 1000 / (count + 1), 0.025],
      mat: decor(values),
      lay: D3,
    }),
  );
}

function handle(w: number, h: number, values: Values): Part[] {
  if (values.GRIFF === 'LEISTE') {
    return [imp(shared('GRIFFLEISTE', 160), { at: [(w - 160) / 2000, h / 1000, 0], mat: METAL })];
  }
  return [imp(shared('BÜGELGRIFF', 128), { at: [w / 2000, h / 2000, 0.019], mat: METAL })];
}

/** A drawer with its front at z = d; it moves along z. */
export function drawer(
  w: number,
  h: number,
  d: number,
  y: number,
  tag: string,
  values: Values,
): Part {
  return movable({ at: [0.002, y, d / 1000 - 0.019], lay: layer(PROGRAM, `D3_${tag}`) }, [
    board(w - 4, h - 4, 19, { mat: decor(values), lay: D3 }),
    imp(shared('SCHUBKASTEN', w - 64, Math.min(h - 30, 180), d - 80), {
      at: [0.03, 0.012, -(d - 80) / 1000],
      mat: basis('PULVER_SILBER'),
      lay: D3,
    }),
    ...handle(w - 4, h - 3, values),
  ]);
}
