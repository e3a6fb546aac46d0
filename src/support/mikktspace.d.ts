declare module 'mikktspace' {
  const mikktspace: {
    generateTangents(
      positions: Float32Array,
      normals: Float32Array,
      uvs: Float32Array,
    ): Float32Array;
  };
  export default mikktspace;
}
