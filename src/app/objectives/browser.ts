import { httpObjective } from './http.ts'
import { openInferenceObjective } from './open-inference.ts'

export * from './http.ts'
export * from './open-inference.ts'

/** Every black box that a browser can ask. */
export const objectives = [httpObjective, openInferenceObjective]
