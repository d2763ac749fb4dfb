import { join } from 'node:path'
import { ZerothError } from '../../optimizer/core/errors.ts'
import {
  Issue,
  integerFrom,
  json,
  listOf,
  type Output,
  oneOf,
  optional,
  recordOf,
  table,
  textUpTo,
} from '../../optimizer/core/options.ts'
import { nodeFiles, readWhole, type StoreFiles, writeAtomically } from './run-file.ts'
import { fileNames, runId } from './run-folder.ts'
import { type JsonObject, parseObject, sealedJson, unsealJson } from './sealed-json.ts'

/** A run that had ended was extended with other settings. */
const extension = table({
  /** How many records the journal had then: the last of them belong to the end that was given up. */
  records: integerFrom(0),
  /** The fields of the spec that changed, with their new values. */
  changes: recordOf(json),
})

const metaSchema = table({
  format: oneOf('zeroth-run'),
  version: oneOf(1),
  id: runId,
  created: textUpTo(64),
  zeroth: textUpTo(64),
  spec: recordOf(json),
  machine: recordOf(json),
  /** What is evaluated, by the content of its files. */
  content: optional(textUpTo(64)),
  extensions: listOf(extension),
})

/** What a run is: its id, when and with which zeroth it began, its resolved spec, and how it was extended. */
export type RunMeta = Output<typeof metaSchema>

/** What the caller says about a new run. */
export type NewRun = Pick<RunMeta, 'id' | 'created' | 'zeroth'> &
  Partial<Pick<RunMeta, 'machine' | 'content'>> & {
    /** Plain JSON. */
    readonly spec: Readonly<Record<string, unknown>>
  }

/** Checks what is said about a new run. */
export function newMeta({ id, created, zeroth, spec, machine = {}, content }: NewRun): RunMeta {
  const meta = { format: 'zeroth-run', version: 1, id, created, zeroth, spec, machine, content, extensions: [] }
  const found = metaSchema.read(meta)
  if (found instanceof Issue) {
    throw new ZerothError('invalid-option', `${['run', ...found.path].join('.')} ${found.text}`)
  }
  parseObject('run', JSON.stringify(meta))
  return found
}

/** Reads meta.json; undefined where there is none. */
export function readMeta(files: StoreFiles, folder: string): RunMeta | undefined {
  const path = join(folder, fileNames.meta)
  const bytes = readWhole(files, path)
  return bytes === undefined ? undefined : unsealJson(path, bytes, { format: 'zeroth-run', schema: metaSchema })
}

/** Reads meta.json of a folder that must be a run. */
export function requireMeta(files: StoreFiles, folder: string): RunMeta {
  const meta = readMeta(files, folder)
  if (meta === undefined) throw new ZerothError('invalid-run', `${folder} is not a run: it has no ${fileNames.meta}`)
  return meta
}

/** Writes meta.json; its presence makes a folder a run. */
export function writeMeta(files: StoreFiles, folder: string, meta: RunMeta): void {
  writeAtomically(files, join(folder, fileNames.meta), [sealedJson(meta satisfies JsonObject)])
}

/** Replaces the spec of a run that nobody is writing, for one that was made with a shortened spec. */
export function replaceSpec(folder: string, change: (spec: JsonObject) => JsonObject): void {
  const meta = requireMeta(nodeFiles, folder)
  writeMeta(nodeFiles, folder, { ...meta, spec: change(meta.spec) as typeof meta.spec })
}
