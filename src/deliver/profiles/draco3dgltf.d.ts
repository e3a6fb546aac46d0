/** The little of draco3dgltf that is used: it has no types of its own. */
declare module 'draco3dgltf' {
  const library: {
    createDecoderModule(): Promise<object>;
    createEncoderModule(): Promise<object>;
  };
  export default library;
}
