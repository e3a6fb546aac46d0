/** The page that opens a USDZ with two readers: three.js, and TinyUSDZ, which is compiled from C++. */
import { Box3 } from 'three';
import { GLTFExporter } from 'three/addons/exporters/GLTFExporter.js';
import { USDLoader } from 'three/addons/loaders/USDLoader.js';
import openTinyUsdz from 'tinyusdz';

const download = async (address) => (await fetch(address)).arrayBuffer();

globalThis.readers = {
  /** Uploads what three.js makes of it, as a GLB. */
  async three(address, upload) {
    const bytes = await download(address);
    const group = await new Promise((resolve, reject) => {
      new USDLoader().parse(bytes, '', resolve, reject);
    });
    let triangles = 0;
    group.traverse(({ geometry, material }) => {
      if (!geometry) return;
      triangles += (geometry.index ?? geometry.attributes.position).count / 3;
      // It takes the factor that spreads 0..1 to -1..1 for the strength of a normal map, and turns images clockwise.
      if (!material.normalMap) return;
      material.normalScale.multiplyScalar(0.5);
      material.normalMap.rotation *= -1;
    });
    const { min, max } = new Box3().setFromObject(group);
    const body = await new GLTFExporter().parseAsync(group, { binary: true });
    await fetch(upload, { method: 'POST', body });
    return { triangles, min: min.toArray(), max: max.toArray() };
  },

  async tinyUsdz(address, wasm) {
    const { TinyUSDZLoaderNative } = await openTinyUsdz({ wasmBinary: await download(wasm) });
    const file = new TinyUSDZLoaderNative();
    if (!file.loadFromBinary(new Uint8Array(await download(address)), 'model.usdz')) {
      throw new Error(file.error());
    }
    return Array.from({ length: file.numMeshes() }, (_, i) => {
      const { absPath, points, faceVertexIndices } = file.getMesh(i);
      return { path: absPath, points: [...points], indices: [...faceVertexIndices] };
    });
  },
};
