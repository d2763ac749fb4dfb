import { cifarDataset } from '../datasets/cifar-png.ts'
import type { Dataset } from '../datasets/dataset.ts'
import { idxDataset } from '../datasets/idx.ts'
import { type IndexRange, subset } from '../datasets/subset.ts'
import { assetFile, checkedWord, type EmbeddedName, embeddedNames } from './embedded-names.ts'

/** Which of the embedded images: those on which settings are chosen, or those on which results are reported. */
export type Split = 'held-out' | 'tuning'

const splits: Readonly<Record<Split, IndexRange>> = {
  'held-out': { from: 40, count: 130 },
  tuning: { from: 0, count: 40 },
}

const splitNames = Object.keys(splits) as Split[]

interface ImageSet {
  readonly classNames: readonly string[]
  /** All its images, in the order of the test set they come from. */
  open(name: string): Promise<Dataset>
}

const sets: Readonly<Record<EmbeddedName, ImageSet>> = {
  digits: {
    classNames: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
    open: (name) =>
      idxDataset({
        images: assetFile('digits', 'images-idx3-ubyte'),
        labels: assetFile('digits', 'labels-idx1-ubyte'),
        name,
      }),
  },
  cifar10: {
    classNames: ['airplane', 'automobile', 'bird', 'cat', 'deer', 'dog', 'frog', 'horse', 'ship', 'truck'],
    open: (name) =>
      cifarDataset({ images: assetFile('cifar10', 'images.png'), labels: assetFile('cifar10', 'labels.json'), name }),
  },
}

/** The images that ship with a classifier: 130 held out for reported results, or 40 for tuning. */
export async function embeddedImages(name: EmbeddedName, split: Split = 'held-out'): Promise<Dataset> {
  const { classNames, open } = sets[checkedWord('the embedded image set', name, embeddedNames)]
  const range = splits[checkedWord('the split', split, splitNames)]
  const all = await open(`${name}, ${split}`)
  return { ...subset(all, range), classNames }
}

/** What the classes of an embedded classifier are called, by their numbers. */
export function embeddedClassNames(name: EmbeddedName): readonly string[] {
  return sets[checkedWord('the embedded classifier', name, embeddedNames)].classNames
}
