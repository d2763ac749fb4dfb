import type { Dataset } from '../datasets/dataset.ts'
import type { Screened } from './screening.ts'

/** Examples that are read for an image at most. */
const most = 3

/**
 * Pictures of the data set that probably do what an attack wants of an image: the first ones of the target class, or the
 * first of each of some other classes. Reading them asks the model nothing; which ones they are depends on the image alone.
 */
export async function examplesFor(dataset: Dataset, image: Screened, length: number): Promise<Float32Array[]> {
  const found: Float32Array[] = []
  const classes = new Set<number>()
  for (let index = 0; index < dataset.count && found.length < most; index++) {
    const label = labelOf(dataset, index)
    if (index === image.index || label === undefined || !isWanted(image, label, classes)) continue
    const pixels = await pixelsOf(dataset, index)
    if (pixels?.length !== length) continue
    classes.add(label)
    found.push(pixels)
  }
  return found
}

function isWanted({ label, target }: Screened, other: number, classes: ReadonlySet<number>): boolean {
  return target === null ? other !== label && !classes.has(other) : other === target
}

/** A label or a picture that cannot be read is none. */
function labelOf(dataset: Dataset, index: number): number | undefined {
  try {
    return dataset.label(index)
  } catch {
    return undefined
  }
}

async function pixelsOf(dataset: Dataset, index: number): Promise<Float32Array | undefined> {
  try {
    return (await dataset.read(index)).pixels
  } catch {
    return undefined
  }
}
