import { messageOf } from '../src/core/errors.ts'
import { imagesFedAs, plainPreprocessing, usualPreprocessing } from '../src/models/guess-preprocessing.ts'
import type { Model } from '../src/models/index.ts'
import { classesNeeded } from '../src/models/model-classes.ts'
import { onnxModel } from '../src/models/onnx.ts'
import { attackImage, scoresOf } from './attack-image.ts'
import type { ModelAnswer, ModelOptions, ModelOrder, Tried } from './model-orders.ts'

/** The global of a worker. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<ModelOrder>) => void) | null
  postMessage(answer: ModelAnswer): void
}

const scope = globalThis as unknown as WorkerScope
let model: Model | undefined

scope.onmessage = async ({ data }) => {
  try {
    await carryOut(data)
  } catch (error) {
    scope.postMessage({ kind: 'error', message: messageOf(error) })
  }
}

async function carryOut(order: ModelOrder): Promise<void> {
  if (order.kind === 'open') model = await open(order.file, order.options)
  if (model === undefined) return
  const { shape, classes, runtime, warnings } = model
  if (order.kind === 'open') scope.postMessage({ kind: 'opened', facts: { shape, classes, runtime, warnings } })
  if (order.kind === 'scores') scope.postMessage({ kind: 'scores', scores: await scoresOf(model, order.pixels) })
  if (order.kind === 'usual') scope.postMessage({ kind: 'usual', tried: await tryUsual(model, order.pixels) })
  if (order.kind === 'attack') {
    await attackImage(model, order.task, (frame) => scope.postMessage({ kind: 'attack', frame }))
  }
}

async function open(file: File, { named, ...options }: ModelOptions): Promise<Model> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const opened = await onnxModel({ bytes, ...options }).open()
  if (opened.withClasses === undefined) return opened
  if (named < 2) throw new Error(`${classesNeeded}, or give their names`)
  return opened.withClasses(named)
}

/** What the model answers to a picture, by what it is fed with. */
async function tryUsual(asked: Model, pixels: Float32Array): Promise<Tried[]> {
  const now = asked.preprocessing ?? plainPreprocessing(asked)
  const tried: Tried[] = []
  for (const preprocessing of usualPreprocessing(asked.shape.channels)) {
    const scores = new Float32Array(asked.classes)
    const images = imagesFedAs({ pixels: [pixels] }, now, plainPreprocessing(asked, preprocessing))
    await asked.predict(images, scores)
    tried.push({ preprocessing, scores: Array.from(scores) })
  }
  return tried
}
