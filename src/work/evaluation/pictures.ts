import { join } from 'node:path'
import type { AttackedPicture, ImageRecord, PictureFiles } from '../../attacks/index.ts'
import { type Dataset, encodePng, type Picture, perturbationPicture } from '../../datasets/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { readRun, writeWholeFile } from '../../trace/index.ts'
import { makeFolder } from '../folders.ts'
import { imageFolder, layout, writeImage } from './attack-files.ts'
import type { AttackRecord } from './attack-record.ts'

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

/** A picture that all images of an attack share. */
export interface SharedPicture {
  /** Relative to the folder of the attack; undefined where every image has its own. */
  readonly file: string | undefined
  /** Makes it, once; its run must have ended. */
  make(): Promise<void>
}

/** The picture of a universal perturbation, where it is the very same change of the pixels of every image. */
export function sharedPicture(folder: string, { spec, model }: AttackRecord): SharedPicture {
  const isShared = spec.universal === true && (spec.problem as JsonObject).name === 'constrained'
  if (!isShared) return { file: undefined, make: async () => undefined }
  const file = `${layout.universal}/perturbation.png`
  const write = async (): Promise<void> => {
    const { result } = await readRun(join(folder, layout.universal))
    if (result === undefined) return
    const delta = Float64Array.from(result.last.point)
    const picture = perturbationPicture(delta, model.shape as unknown as Picture['shape'])
    writeWholeFile(join(folder, file), encodePng(picture))
  }
  let making: Promise<void> | undefined
  return {
    file,
    make() {
      making ??= write()
      return making
    },
  }
}
