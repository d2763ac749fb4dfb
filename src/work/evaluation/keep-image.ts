import { join } from 'node:path'
import type { AttackedPicture, ImageRecord, PictureFiles } from '../../attacks/index.ts'
import { type Dataset, encodePng, type Picture, perturbationPicture } from '../../datasets/index.ts'
import { writeWholeFile } from '../../trace/index.ts'
import { makeFolder } from '../make-folder.ts'
import { writeImage } from './attack-files.ts'
import { imageFolder } from './attack-layout.ts'

/** Where the pictures of an attack go. */
export interface Album {
  readonly folder: string
  readonly dataset: Dataset
  readonly shape: Picture['shape']
  /** The picture of a perturbation that all images share, relative to the folder. */
  readonly shared: () => string | undefined
}

/** Saves the pictures of an image, then its record, which says that all is there. */
export async function keepImage(
  { folder, dataset, shape, shared }: Album,
  record: ImageRecord,
  picture: AttackedPicture | undefined,
): Promise<ImageRecord> {
  const own = imageFolder(record.index)
  await makeFolder(join(folder, own))
  const save = (name: string, pixels: Picture['pixels']): string => {
    const file = `${own.replaceAll('\\', '/')}/${name}.png`
    writeWholeFile(join(folder, file), encodePng({ shape, pixels }))
    return file
  }
  const files = !isPaintable(shape)
    ? null
    : picture === undefined
      ? await untouched(record, dataset, save)
      : changed(picture)
  const kept = { ...record, files }
  writeImage(folder, kept)
  return kept

  function changed({ original, adversarial }: AttackedPicture): PictureFiles {
    const common = shared()
    const delta = adversarial.map((pixel, i) => pixel - (original[i] as number))
    return {
      original: save('original', original),
      adversarial: save('adversarial', adversarial),
      perturbation: common ?? save('perturbation', perturbationPicture(delta, shape).pixels),
    }
  }
}

/** Files of pictures have a grey channel, or three colours. */
function isPaintable({ channels }: Picture['shape']): boolean {
  return channels === 1 || channels === 3
}

/** An image that withstood is shown as it is. */
async function untouched(
  { status, index }: ImageRecord,
  dataset: Dataset,
  save: (name: string, pixels: Picture['pixels']) => string,
): Promise<PictureFiles | null> {
  if (status !== 'robust') return null
  const { pixels } = await dataset.read(index)
  return { original: save('original', pixels) }
}
