import type { ImageShape } from '../src/core/types.ts'
import type { PreprocessingOption } from '../src/models/index.ts'
import type { AttackFrame, AttackTask } from './attack-image.ts'

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
