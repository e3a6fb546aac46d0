/** How alike two pictures are: SSIM, the index of structural similarity (Wang et al. 2004). */
import sharp from 'sharp';

/** Side of a window, pixels; they overlap by half. */
const WINDOW = 8;
const [C1, C2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];

/** The mean over windows and the colours red, green and blue, of two pictures of one size: 1 where they are equal. */
export async function similarity(a: Uint8Array, b: Uint8Array): Promise<number> {
  const [first, second] = await Promise.all([pixelsOf(a), pixelsOf(b)]);
  let [sum, count] = [0, 0];
  for (let y = 0; y + WINDOW <= first.height; y += WINDOW / 2) {
    for (let x = 0; x + WINDOW <= first.width; x += WINDOW / 2) {
      for (const channel of [0, 1, 2]) {
        const corner = 3 * (y * first.width + x) + channel;
        sum += ofWindow(first.data, second.data, corner, 3 * first.width);
        count++;
      }
    }
  }
  return sum / count;
}

async function pixelsOf(file: Uint8Array) {
  const image = sharp(file).flatten({ background: '#ffffff' }).toColourspace('srgb').raw();
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function ofWindow(a: Uint8Array, b: Uint8Array, corner: number, stride: number): number {
  let [sumA, sumB, squaresA, squaresB, products] = [0, 0, 0, 0, 0];
  for (let i = 0; i < WINDOW ** 2; i++) {
    const at = corner + Math.floor(i / WINDOW) * stride + 3 * (i % WINDOW);
    const [p, q] = [a[at]!, b[at]!];
    sumA += p;
    sumB += q;
    squaresA += p * p;
    squaresB += q * q;
    products += p * q;
  }
  const n = WINDOW ** 2;
  const [meanA, meanB] = [sumA / n, sumB / n];
  const variances = squaresA / n - meanA ** 2 + (squaresB / n - meanB ** 2);
  const covariance = products / n - meanA * meanB;
  const light = (2 * meanA * meanB + C1) / (meanA ** 2 + meanB ** 2 + C1);
  return (light * (2 * covariance + C2)) / (variances + C2);
}
