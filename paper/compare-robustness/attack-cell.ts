import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AttackedPicture,
  type AttackReport,
  evaluateRobustness,
  type ImageRecord,
} from '../../src/attacks/index.ts'
import { encodePng, perturbationPicture } from '../../src/datasets/index.ts'
import { type EmbeddedName, embeddedImages, embeddedModel } from '../../src/embedded/index.ts'
import type { ImageShape } from '../../src/index.ts'
import { formOf, methodOf, type ProblemName, smoothing } from '../methods.ts'

/** One cell of a comparison: a method on a problem, with the images and the budget all cells share. */
export interface AttackCell {
  readonly images: EmbeddedName
  readonly problem: ProblemName
  readonly method: string
  readonly learningRate: number
  readonly count: number
  readonly maxQueries: number
  readonly seed: number
  /** Where its pictures go: a folder below that of the report. */
  readonly out: string
  readonly folder: string
}

/** Runs a cell, in a thread of its own. */
export async function attackCell(cell: AttackCell): Promise<AttackReport> {
  const { images, problem, learningRate, count, maxQueries, seed } = cell
  const model = await embeddedModel(images).open()
  try {
    const dataset = await embeddedImages(images)
    const solver = methodOf(problem, cell.method).make({ learningRate, smoothing })
    const options = { solver, form: formOf(problem), count, maxQueries, seed }
    mkdirSync(join(cell.out, cell.folder), { recursive: true })
    const keep = (record: ImageRecord, picture: AttackedPicture | undefined) =>
      picture === undefined ? record : { ...record, files: writePictures(cell, record, picture, model.shape) }
    return await evaluateRobustness(model, dataset, options, { store: { keep } })
  } finally {
    await model.close()
  }
}

function writePictures(
  { out, folder }: AttackCell,
  { index }: ImageRecord,
  { original, adversarial }: AttackedPicture,
  shape: ImageShape,
): NonNullable<ImageRecord['files']> {
  const delta = adversarial.map((pixel, i) => pixel - (original[i] as number))
  const write = (what: string, pixels: Float32Array): string => {
    const file = `${folder}/${index}-${what}.png`
    writeFileSync(join(out, file), encodePng({ shape, pixels }))
    return file
  }
  return {
    original: write('original', original),
    adversarial: write('adversarial', adversarial),
    perturbation: write('perturbation', Float32Array.from(perturbationPicture(delta, shape).pixels)),
  }
}
