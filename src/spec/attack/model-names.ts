import type { EmbeddedName } from '../../embedded/index.ts'
import type { JsonObject } from '../plain-data.ts'

/** The models that ship with the package; a spec names them like parts. */
export const embeddedModels: readonly EmbeddedName[] = ['digits', 'cifar10']

/** The embedded model that a written one is, if it is one. */
export function embeddedNameOf({ name }: JsonObject): EmbeddedName | undefined {
  return embeddedModels.find((each) => each === name)
}

/** Other names for parts: `http` is what anybody would write first. */
const shortNames: Readonly<Record<string, string>> = { http: 'http-classifier' }

/** A model with its full name. */
export function withFullName(model: JsonObject): JsonObject {
  const { name } = model
  return typeof name === 'string' && Object.hasOwn(shortNames, name)
    ? { ...model, name: shortNames[name] as string }
    : model
}

/** Whether a written model is somebody's service, not computed here. */
export function isService({ name }: JsonObject): boolean {
  return name === 'open-inference' || name === 'http-classifier'
}

/** Whether a written model is reached over HTTP, if only to fetch it: that takes permission. */
export function isRemote(model: JsonObject): boolean {
  return isService(model) || (typeof model.file === 'string' && /^https?:/i.test(model.file))
}
