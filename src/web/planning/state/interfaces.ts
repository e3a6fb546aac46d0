/** What the parts of the planning page know of each other, and of the window that the page is in. */
import type { ArticleKey } from '../../../model/article.ts';
import type { Vec3 } from '../../../model/graphics.ts';

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
  /** By image reference exactly as a material spells it. */
  images: ReadonlyMap<string, Uint8Array | MissingBody>;
}

/** What the converter made of a snapshot. */
export interface ConvertedModel {
  /** The bytes that the command line writes, where no pixel is encoded again. */
  glb: Uint8Array<ArrayBuffer>;
  /** Width, height and depth. */
  sizeMetres: Vec3;
  triangles: number;
  /** Where parts are that were left out, in the frame of the GLB. */
  holesMetres: readonly Vec3[];
  /** Parts and textures that were left out, and what a person should check. */
  warnings: readonly { code: string; message: string }[];
}

/** The converter, in a thread of its own. */
export interface PlanningConverter {
  /**
   * Converts a snapshot; a later call ends an earlier one.
   *
   * @throws Error with `code`, such as `NOTHING_TO_DRAW`, and a sentence; `AbortError` where the signal ends it.
   */
  convert(snapshot: PlanningSnapshot, signal: AbortSignal): Promise<ConvertedModel>;
  /** Writes the USDZ file of a GLB. */
  usdz(glb: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  close(): void;
}

/** The 3D view. */
export interface PlanningView {
  /**
   * Shows a GLB in place of the one before; the camera stays, but for the first.
   *
   * @param holesMetres - Places of parts that it lacks: each gets a mark, which neither dimensions nor files have.
   */
  show(glb: Uint8Array<ArrayBuffer>, holesMetres?: readonly Vec3[]): Promise<void>;
  /** Shows nothing. */
  clear(): void;
  /** Frames the model from the front left, as pictures do. */
  fit(): void;
  /** Above 1 nearer, below 1 farther. */
  zoom(factor: number): void;
  /** Shows width, height and depth at the model. */
  showDimensions(visible: boolean): void;
  /** Moves all movable parts back. A part stays moved in the next model that has it. */
  resetParts(): void;
  /** Hears when the first part is moved, and when the last is moved back; replaces who did before. */
  watchParts(listener: (isMoved: boolean) => void): void;
  /** A picture of what is shown, or will be when `show` has ended, the model as large in it as on the stage. */
  picture(widthPixels: number, heightPixels: number): Promise<Blob>;
  dispose(): void;
}

/** Texts of the 3D view, in the language of the page. */
export interface ViewTexts {
  /** Name of the view for a screen reader. */
  view: string;
  /** A drag does so with a part. */
  move: string;
  turn: string;
  /** Name of the list of parts that move, and how keys do. */
  movableParts: string;
  /** Name of the choice of both. */
  motionOf(part: string): string;
  /** `1.234,5` or `1,234.5` and the like, with its unit. */
  millimetres(length: number): string;
}

/** How the 3D view is opened. */
export interface ViewOptions {
  /** Positioned; the view fills it. */
  stage: HTMLElement;
  /** Bytes of `studio-map.bin`, inflated. */
  studio: Promise<ArrayBuffer>;
  texts: ViewTexts;
}

/** Takes messages. */
interface MessageTarget {
  postMessage(message: unknown, origin: string): void;
}

/** The window of the page, as far as what the page stores and posts depends on it. */
export interface PageWindow extends MessageTarget {
  readonly location: Pick<Location, 'pathname' | 'search'> & {
    readonly ancestorOrigins?: ArrayLike<string>;
  };
  readonly history: Pick<History, 'state' | 'pushState' | 'replaceState'>;
  /** Throws where the browser gives the page no storage, such as in a frame of another site. */
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem'>;
  /** The window itself where no page is around it. */
  readonly parent: MessageTarget;
  addEventListener(
    type: 'message',
    listener: (event: Pick<MessageEvent, 'source' | 'origin' | 'data'>) => void,
  ): void;
  addEventListener(type: 'popstate', listener: (event: { state: unknown }) => void): void;
}
