declare module 'gltf-validator' {
  /** One finding; severity 0 is an error, 1 a warning, 2 an information, 3 a hint. */
  interface Message {
    code: string;
    message: string;
    severity: number;
    pointer?: string;
  }
  interface Issues {
    messages: Message[];
    numErrors: number;
    numWarnings: number;
    numInfos: number;
    numHints: number;
  }
  export function validateBytes(
    bytes: Uint8Array,
    options?: {
      /** 0: all. */
      maxIssues?: number;
      /** Returns a file that the document refers to. */
      externalResourceFunction?(uri: string): Promise<Uint8Array>;
    },
  ): Promise<{ issues: Issues }>;
}
