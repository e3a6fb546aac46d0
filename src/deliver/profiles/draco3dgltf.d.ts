/** The used part of draco3dgltf, which has no types of its own. */
declare module 'draco3dgltf' {
  const library: {
    createDecoderModule(): Promise<object>;
    createEncoderModule(): Promise<object>;
  };
  export default library;
}
