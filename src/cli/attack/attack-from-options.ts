import { resolve } from 'node:path'
import { ZerothError } from '../../index.ts'
import { type JsonObject, parseSpec, readSpec } from '../../spec/index.ts'
import { assign, type GivenSpec, given, givenFile, located, queueAt } from '../spec-from-options.ts'
import { type AttackFlags, flagKeys } from './attack-flags.ts'

/** Keys that describe a thing: another thing does not have them. */
const belongings = {
  model: ['modelName', 'preprocessing', 'batch', 'providers', 'classNames'],
  images: ['resize'],
} as const

/** The attack spec that a file, if one is given, and the options describe together. */
export function attackFromOptions(argument: string | undefined, flags: AttackFlags): GivenSpec {
  const source = givenFile(argument, flags.config)
  const changes = changesOf(source.spec, flags)
  const spec: Record<string, unknown> = { ...structuredClone(source.spec), ...changes }
  for (const [thing, keys] of Object.entries(belongings)) {
    for (const key of keys) if (thing in changes && !(key in changes)) delete spec[key]
  }
  const assigned = (flags.option ?? []).map((assignment) => assign(spec, assignment))
  if (spec.model === undefined) {
    throw new ZerothError('invalid-option', 'nothing to attack: give a spec file, or --model, as in --model digits')
  }
  const locate = located(source, assigned, (key) => (key in changes ? key : undefined))
  return { ...source, spec: spec as JsonObject, locate }
}

/** The keys of the spec that the options set; their paths are those of the current folder, not of the spec's. */
function changesOf(spec: JsonObject, flags: AttackFlags): Record<string, unknown> {
  const { model, images, preprocessing, classNames, solver, queue, ...rest } = given(
    Object.fromEntries(flagKeys.map((key) => [key, flags[key]])),
  ) as Record<string, unknown>
  return given({
    ...rest,
    model: pathOf('--model', model, /\.(onnx|ya?ml|json)$/i),
    images: pathOf('--images', images, /^(?!(digits|cifar10)(:|$))/),
    preprocessing: pathOf('--preprocessing', preprocessing, /./),
    classNames: classNames === undefined ? undefined : resolve(String(classNames)),
    solver: solverOf(spec.solver, solver),
    queue: queueAt(spec.queue, queue),
  })
}

/** What an option names: a path, or something else; or all of it, as `{ key: value }` in YAML or JSON. */
function pathOf(option: string, text: unknown, isPath: RegExp): unknown {
  if (typeof text !== 'string' || /^https?:/i.test(text)) return text
  if (text.trimStart().startsWith('{')) return parseSpec(text, { name: option }).spec
  return isPath.test(text) ? resolve(text) : text
}

/** Another solver has other options; the one that is there keeps its own. */
function solverOf(current: unknown, named: unknown): unknown {
  const present = typeof current === 'object' && current !== null ? (current as { name?: unknown }).name : current
  return named === present ? undefined : named
}

/** Whether a file is the spec of an attack. */
export function hasModel(file: string | undefined): boolean {
  return file !== undefined && 'model' in readSpec(file).spec
}
