import { randomUniform } from '../../src/optimizer/kernels/random.ts'
import { encodePng, type Picture, perturbationPicture } from '../../src/robustness/images/index.ts'

/** Small pictures for the files of a sample evaluation, as `data:` addresses: a bright ring, noise on it, the noise. */
export function samplePictures(file: string): string {
  const shape = { channels: 1, height: 28, width: 28 }
  const seed = Number(/\d+/.exec(file)?.[0] ?? 0)
  const noise = Float64Array.from(
    { length: 784 },
    (_, i) => (randomUniform({ seed, iteration: 0, row: 0 }, 'noise', i) - 0.5) * 0.3,
  )
  const ring = Float64Array.from({ length: 784 }, (_, i) => {
    const distance = Math.hypot((i % 28) - 14, Math.floor(i / 28) - 14)
    return Math.max(0, 1 - Math.abs(distance - 5 - (seed % 4)) / 2)
  })
  if (file.includes('adversarial')) {
    return address({ shape, pixels: ring.map((pixel, i) => Math.min(1, Math.max(0, pixel + (noise[i] ?? 0)))) })
  }
  return address(/change|perturbation/.test(file) ? perturbationPicture(noise, shape) : { shape, pixels: ring })
}

function address(picture: Picture): string {
  return `data:image/png;base64,${Buffer.from(encodePng(picture)).toString('base64')}`
}
