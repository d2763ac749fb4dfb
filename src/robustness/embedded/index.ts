export {
  type DecayingRate,
  defaultRate,
  type EmbeddedModelOptions,
  type EmbeddedName,
  embeddedClassNames,
  embeddedImages,
  embeddedModel,
  embeddedNames,
  type ProblemName,
  type Split,
  tunedRate,
} from './embedded.ts'
