import { join } from 'node:path'
import { encodePng, type Picture, perturbationPicture } from '../../datasets/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { readRun, writeWholeFile } from '../../trace/index.ts'
import { layout } from './attack-layout.ts'
import type { AttackRecord } from './attack-record.ts'

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
