export { type Accuracy, type AccuracyOptions, measureAccuracy } from './accuracy.ts'
export { diagnosis, type Measured } from './accuracy-diagnosis.ts'
export { classifierObjective, type Loss, type LossContext } from './classifier-objective.ts'
export { coalesced } from './coalesced.ts'
export {
  type Answered,
  type Asking,
  canBeLent,
  factsOf,
  lentModel,
  type ModelFacts,
  type ServedModel,
  servedModel,
} from './lent-model.ts'
export type { Images, Model, ModelSource, ScoreKind } from './model.ts'
export { withClassesOf } from './model-classes.ts'
export { isAccelerated, type OnnxProvider, providersOption } from './onnx-providers.ts'
export { onnxRuntimeVersion } from './onnx-runtime.ts'
export { paced } from './paced.ts'
export type { PacedOptions } from './paced-options.ts'
export { type PersistentModel, type PersistentOptions, persistent, type Silence } from './persistent.ts'
export { type Preprocessing, type PreprocessingOption, preprocessingOption } from './preprocessing.ts'
export * from './registry.ts'
