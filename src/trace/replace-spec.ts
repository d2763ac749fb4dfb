import { requireMeta, writeMeta } from './meta-file.ts'
import type { JsonObject } from './sealed-json.ts'
import { nodeFiles } from './store-files.ts'

/** Replaces the spec of a run that nobody is writing, for one that was made with a shortened spec. */
export function replaceSpec(folder: string, change: (spec: JsonObject) => JsonObject): void {
  const meta = requireMeta(nodeFiles, folder)
  writeMeta(nodeFiles, folder, { ...meta, spec: change(meta.spec) as typeof meta.spec })
}
