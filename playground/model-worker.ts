import { messageOf } from '../src/optimizer/core/errors.ts'
import type { ImageShape } from '../src/optimizer/core/types.ts'
import { imagesFedAs, plainPreprocessing, usualPreprocessing } from '../src/robustness/models/accuracy.ts'
import type { Model, PreprocessingOption } from '../src/robustness/models/index.ts'
import { classesNeeded } from '../src/robustness/models/model.ts'
import { onnxModel } from '../src/robustness/models/onnx.ts'
import { type AttackFrame, type AttackTask, attackImage, scoresOf } from './attack-image.ts'

/** What is said about a network beside its file. */
export interface ModelOptions {
  readonly preprocessing: PreprocessingOption
  readonly input?: string | undefined
  readonly output?: string | undefined
  /** How many classes have names: a network that answers with a class alone does not tell how many there are. */
  readonly named: number
}

/** What the worker of a model is asked for: first to open it, and then one thing after the other. */
export type ModelOrder =
  | { readonly kind: 'open'; readonly file: File; readonly options: ModelOptions }
  | { readonly kind: 'scores'; readonly pixels: Float32Array }
  | { readonly kind: 'usual'; readonly pixels: Float32Array }
  | { readonly kind: 'attack'; readonly task: AttackTask }

/** An open model. */
export interface ModelFacts {
  readonly shape: ImageShape
  readonly classes: number
  readonly runtime: string
  readonly warnings: readonly string[]
}

/** What a model answers if it is fed so. */
export interface Tried {
  readonly preprocessing: PreprocessingOption
  readonly scores: readonly number[]
}

/** What the worker answers; to an attack several times. */
export type ModelAnswer =
  | { readonly kind: 'opened'; readonly facts: ModelFacts }
  | { readonly kind: 'scores'; readonly scores: readonly number[] }
  | { readonly kind: 'usual'; readonly tried: readonly Tried[] }
  | { readonly kind: 'attack'; readonly frame: AttackFrame }
  | { readonly kind: 'error'; readonly message: string }

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
