/** The interfaces between the parts of the planning page, and to the window of the page. */

import type { Vec3 } from '../../../convert/model/graphics.ts';
import type { ArticleKey } from '../../../model/article.ts';

/** Why a body is missing: the view marks the place of the part, or the texture is left out, and the page says so. */
export interface MissingBody {
  missing: { code: string; message: string };
}

/** All bodies of one configuration, as the service sent them. */
export interface PlanningSnapshot {
  key: ArticleKey;
  partsList: Uint8Array;
  /** By canonical block name (`canonicalName`): each block that a node refers to. */
  blocks: ReadonlyMap<string, Uint8Array | MissingBody>;
  /** Images by their reference, exactly as a material spells it. */
  images: ReadonlyMap<string, Uint8Array | MissingBody>;
}

/** The result of the conversion of a snapshot. */
export interface ConvertedModel {
  /** The same bytes as from the command line, if no pixel is encoded again. */
  glb: Uint8Array<ArrayBuffer>;
  /** Width, height and depth of the model. */
  sizeMetres: Vec3;
  triangles: number;
  /** Places of parts that were left out, in the frame of the GLB. */
  holesMetres: readonly Vec3[];
  /** Parts and textures that were left out, and what a person should check. */
  warnings: readonly { code: string; message: string }[];
}

/** The converter, in its own thread. */
export interface PlanningConverter {
  /**
   * Converts a snapshot; a later call cancels an earlier one.
   *
   * @throws Error with `code`, such as `NOTHING_TO_DRAW`, and a sentence; `AbortError` if the signal aborts.
   */
  convert(snapshot: PlanningSnapshot, signal: AbortSignal): Promise<ConvertedModel>;
  /** Writes the USDZ file of a GLB. */
  usdz(glb: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  close(): void;
}

export interface ModelFacts {
  /** Places of missing parts: each gets a mark, which dimensions and files do not include. @defaultValue none */
  holesMetres?: readonly Vec3[];
  /** Width, height and depth for the texts of the dimension lines. @defaultValue those of the model */
  sizeMetres?: Vec3;
}

export interface PlanningView {
  /**
   * Shows a GLB in place of the previous one; the camera stays, except for the first GLB.
   *
   * @param facts - What is not in the GLB.
   */
  show(glb: Uint8Array<ArrayBuffer>, facts?: ModelFacts): Promise<void>;
  clear(): void;
  /** Frames the model from the front left, as the pictures do. */
  fit(): void;
  /** A factor above 1 moves nearer, below 1 farther. */
  zoom(factor: number): void;
  showDimensions(visible: boolean): void;
  /** Moves all movable parts back. A part stays moved in the next model that has it. */
  resetParts(): void;
  /** Sets the listener, which is called when the first part is moved, and when the last is moved back. */
  watchParts(listener: (isMoved: boolean) => void): void;
  /** A picture of the current view, after `show` has ended, with the model as large in it as on the stage. */
  picture(widthPixels: number, heightPixels: number): Promise<Blob>;
  dispose(): void;
}

/** Texts of the 3D view, in the language of the page. */
export interface ViewTexts {
  /** Name of the view for a screen reader. */
  view: string;
  /** Names of the two motions of a drag. */
  move: string;
  turn: string;
  /** Name of the list of movable parts, with the keys that move them. */
  movableParts: string;
  /** Name of the choice between both motions. */
  motionOf(part: string): string;
  /** `1.234,5` or `1,234.5` and the like, with its unit. */
  millimetres(length: number): string;
}

export interface ViewOptions {
  /** A positioned element, which the view fills. */
  stage: HTMLElement;
  /** Bytes of `studio-map.bin`, inflated. */
  studio: Promise<ArrayBuffer>;
  texts: ViewTexts;
}

interface MessageTarget {
  postMessage(message: unknown, origin: string): void;
}

/** The properties of the page's window that the page uses to store and post. */
export interface PageWindow extends MessageTarget {
  readonly location: Pick<Location, 'pathname' | 'search'> & {
    readonly ancestorOrigins?: ArrayLike<string>;
  };
  readonly history: Pick<History, 'state' | 'pushState' | 'replaceState'>;
  /** Throws if the browser gives the page no storage, such as in a frame of another site. */
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem'>;
  /** The window itself if no page is around it. */
  readonly parent: MessageTarget;
  addEventListener(
    type: 'message',
    listener: (event: Pick<MessageEvent, 'source' | 'origin' | 'data'>) => void,
  ): void;
  addEventListener(type: 'popstate', listener: (event: { state: unknown }) => void): void;
}
