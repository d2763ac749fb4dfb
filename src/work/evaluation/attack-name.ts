import type { JsonObject } from '../../spec/index.ts'
import { defaultName } from '../folders.ts'

/** What an attack is called if nobody says otherwise: after its model, its method, its problem and its seed. */
export function attackName({ model, solver, problem }: JsonObject, file: string | undefined, ending: string): string {
  const { name, file: network = '', model: served } = model as Record<string, string | undefined>
  const subject = served ?? (network === '' ? name : network.replace(/^.*[\\/]|\.onnx$/gi, ''))
  const about = { objective: subject ?? 'model', solver: solver as JsonObject }
  return defaultName(about, file, `${(problem as JsonObject).name}-${ending}`)
}
