export { embeddedClassNames, embeddedImages, type Split } from './embedded-images.ts'
export { type EmbeddedModelOptions, embeddedModel } from './embedded-model.ts'
export { type EmbeddedName, embeddedNames } from './embedded-names.ts'
export { type DecayingRate, defaultRate, type ProblemName, tunedRate } from './rates.ts'
