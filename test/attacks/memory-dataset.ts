import type { Dataset } from '../../src/robustness/images/dataset.ts'

/** Labelled images in one row of pixels; `reads` says which were read. */
export function memoryDataset(
  images: readonly { readonly pixels: readonly number[]; readonly label?: number | undefined }[],
  changes: Partial<Dataset> = {},
): Dataset & { readonly reads: number[] } {
  const reads: number[] = []
  return {
    name: 'memory',
    count: images.length,
    reads,
    title: (index) => `image ${index}`,
    label: (index) => images[index]?.label,
    async read(index) {
      reads.push(index)
      const { pixels } = images[index] as { pixels: readonly number[] }
      return { shape: { channels: 1, height: 1, width: pixels.length }, pixels: Float32Array.from(pixels) }
    },
    ...changes,
  }
}
