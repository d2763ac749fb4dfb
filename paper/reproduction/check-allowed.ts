import { type CompiledAttack, compileAttack, requirePermission } from '../../src/app/spec/attack/index.ts'
import type { JsonObject } from '../../src/app/spec/index.ts'
import { ZerothError } from '../../src/index.ts'
import { invocation } from './invocation.ts'

/** Checks an attack before it runs: that it can be read, and that its model may be attacked. */
export async function checkAllowed(spec: JsonObject, where?: string): Promise<CompiledAttack> {
  const locate = () => (where === undefined ? '' : `${where}: `)
  const compiled = await compileAttack(spec, { locate })
  try {
    requirePermission(compiled)
  } catch (error) {
    if (where === undefined || !(error instanceof ZerothError)) throw error
    throw new ZerothError(error.code, `${error.message}; ${invocation(['--out', where, '--permitted'])} continues`)
  }
  return compiled
}
