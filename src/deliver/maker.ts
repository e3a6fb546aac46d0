/** What every kind of delivery has in common: it makes files of a master, one article at a time. */

/** Facts of a file that readers of `deliveries.jsonl` need, such as the width of a picture. */
export type FileFacts = Readonly<Record<string, string | number | boolean>>;

/** A file that was made of a master. */
export interface MadeFile {
  bytes: Uint8Array;
  facts: FileFacts;
}

/** A kind of delivery with its options. */
export interface Maker {
  /** Name of the delivery, and of its folder beside `articles/`: lower case, digits and `-`. */
  name: string;
  /** Differs where the same master would become another file: options and version. */
  key: string;
  /** Names of the files of a master with their endings, such as `hero.jpg`. */
  files: readonly string[];
  /** How many masters are worked on at the same time. */
  atOnce: number;
  /**
   * Makes the files, in the order of their names.
   *
   * @throws {@link ConverterError} where this master cannot be delivered; the others go on.
   */
  make(master: Uint8Array): Promise<MadeFile[]>;
  /** Ends what `make` has started. */
  close?(): Promise<void>;
}
