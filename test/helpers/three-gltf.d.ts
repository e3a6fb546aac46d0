/** The little of three.js that the tests use; its own types would bring a dozen packages. */
declare module 'three' {
  export interface Matrix3 {
    elements: number[];
  }
  export class Texture {
    matrix: Matrix3;
    matrixAutoUpdate: boolean;
    /** Which set of texture coordinates. */
    channel: number;
    updateMatrix(): void;
  }
  export interface BufferAttribute {
    count: number;
    getX(index: number): number;
    getY(index: number): number;
  }
  export interface Mesh {
    isMesh?: boolean;
    geometry: { getAttribute(name: string): BufferAttribute };
    material: { map: Texture | null; normalMap: Texture | null };
  }
  export interface Object3D {
    traverse(callback: (object: Mesh) => void): void;
  }
}

declare module 'three/addons/loaders/GLTFLoader.js' {
  import type { Object3D, Texture } from 'three';
  export interface GLTFPlugin {
    name: string;
    loadTexture(index: number): Promise<Texture>;
  }
  export class GLTFLoader {
    register(plugin: () => GLTFPlugin): this;
    setMeshoptDecoder(decoder: object): this;
    parseAsync(data: ArrayBuffer, path: string): Promise<{ scene: Object3D }>;
  }
}
