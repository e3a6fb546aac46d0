/** The reader of binary USD of three.js, which has no types. */
declare module 'three/addons/loaders/usd/USDCParser.js' {
  export class USDCParser {
    parseData(buffer: ArrayBuffer): {
      // biome-ignore lint/suspicious/noExplicitAny: values as the reader has them
      specsByPath: Record<string, { specType: number; fields: Record<string, any> }>;
    };
  }
}
