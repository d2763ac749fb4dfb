import { httpModel } from './http.ts'
import { linearModel } from './linear.ts'
import { onnxModel } from './onnx.ts'
import { openInferenceModel } from './open-inference.ts'

export { type Accuracy, type AccuracyOptions, diagnosis, type Measured, measureAccuracy } from './accuracy.ts'
export * from './http.ts'
export * from './linear.ts'
export type { Images, Model, ModelSource } from './model.ts'
export { classifierObjective, type Loss, type LossContext, withClassesOf } from './model.ts'
export {
  type Answered,
  type Asking,
  canBeProxied,
  type ModelFacts,
  type ModelServer,
  modelFacts,
  modelProxy,
  modelServer,
} from './model-proxy.ts'
export {
  batchedModel,
  type ModelOutage,
  type PacedOptions,
  type PersistentModel,
  type PersistentOptions,
  paced,
  persistent,
} from './model-wrappers.ts'
export * from './onnx.ts'
export { isAccelerated, type OnnxProvider, onnxRuntimeVersion, providersOption } from './onnx-runtime.ts'
export * from './open-inference.ts'
export { type Preprocessing, type PreprocessingOption, preprocessingOption, type ScoreKind } from './preprocessing.ts'

/** Every kind of model. */
export const models = [httpModel, linearModel, onnxModel, openInferenceModel]
