declare module 'gltf-validator' {
  /** One finding; severity 0 is an error, 1 a warning. */
  interface Message {
    code: string;
    severity: number;
    pointer?: string;
  }
  export function validateBytes(
    bytes: Uint8Array,
    options?: {
      maxIssues?: number;
      /** Returns a file that the document refers to. */
      externalResourceFunction?(uri: string): Promise<Uint8Array>;
    },
  ): Promise<{ issues: { messages: Message[]; numErrors: number; numWarnings: number } }>;
}
