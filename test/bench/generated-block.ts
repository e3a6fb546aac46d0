/**
 * A block of any size for benchmarks: a closed, rippled sphere with stored UVs.
 */

/** The body of a block of about so many triangles, coordinates with the given decimals. */
export function generatedBlock(triangles: number, decimals = 6): Uint8Array {
  const rings = Math.max(4, Math.round(Math.sqrt(triangles / 4)));
  const segments = rings * 2;
  const positions: string[] = [];
  const uvs: string[] = [];
  const faces: number[] = [];
  for (let ring = 0; ring <= rings; ring++) {
    const latitude = Math.PI * (ring / rings - 0.5);
    for (let i = 0; i <= segments; i++) {
      const longitude = (2 * Math.PI * i) / segments;
      const radius = 0.5 + 0.01 * Math.sin(12 * longitude) * Math.cos(latitude);
      const x = radius * Math.cos(latitude) * Math.cos(longitude);
      const z = -radius * Math.cos(latitude) * Math.sin(longitude);
      positions.push(...[x, radius * Math.sin(latitude), z].map((v) => v.toFixed(decimals)));
      uvs.push((i / segments).toFixed(decimals), (ring / rings).toFixed(decimals));
      if (ring === rings || i === segments) continue;
      const a = ring * (segments + 1) + i;
      faces.push(a, a + 1, a + segments + 2, a, a + segments + 2, a + segments + 1);
    }
  }
  const f = faces.join();
  const body = `{"N":"BENCH::A::SPHERE","V":[${positions}],"T":[${uvs}],"A":[{"F":[${f}],"TI":[${f}],"C":true}]}`;
  return new TextEncoder().encode(body);
}
