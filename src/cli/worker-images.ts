import type { Command } from 'commander'
import { ZerothError } from '../index.ts'
import { compileAttack, openAttack } from '../spec/attack/index.ts'
import { serveImages } from '../work/evaluation/queue/serve-images.ts'
import { closeWithin } from '../work/work.ts'
import { type AttackFlags, flagKeys, withAttackOptions } from './attack/attack-flags.ts'
import { attackFromOptions, hasModel } from './attack/attack-from-options.ts'
import { type BegunWorker, closing, type WorkerFlags } from './begun-worker.ts'
import type { SecretPlace } from './option-values.ts'

/** Keys of an attack spec that say what the model and the images of a worker are, and how it asks. */
const imageKeys = [
  ...(['model', 'modelName', 'preprocessing', 'images', 'resize', 'classNames'] as const),
  ...(['batch', 'providers', 'permitted', 'rate', 'patience', 'retries'] as const),
]

/** Options that mean nothing where images are attacked. */
const rowKeys = ['function', 'exec', 'http', 'module', 'dim', 'variable', 'timeout'] as const

/** Adds the options of workers that attack images. */
export function withImageOptions(command: Command): Command {
  const others = flagKeys.filter((key) => !(imageKeys as readonly string[]).includes(key))
  return withAttackOptions(command, others)
}

/** Whether a worker is to attack images: a model is given, or the spec of an attack. */
export function isForImages(argument: string | undefined, flags: WorkerFlags & AttackFlags): boolean {
  return flags.model !== undefined || hasModel(argument ?? flags.config)
}

/** Refuses options of attacks where rows are evaluated. */
export function refuseImageOptions(flags: AttackFlags): void {
  const other = imageKeys.find((key) => flags[key] !== undefined)
  if (other !== undefined) throw doesNotGo(other, 'it is for workers that attack images: give --model')
}

/** Opens a model and images of its own, and attacks the images of evaluations elsewhere. */
export async function imagesServed(
  url: SecretPlace,
  argument: string | undefined,
  flags: WorkerFlags & AttackFlags,
  log: (line: string) => void,
): Promise<BegunWorker> {
  const other = rowKeys.find((key) => flags[key] !== undefined)
  if (other !== undefined) throw doesNotGo(other, 'it does not go with a model')
  const { name, prefix, lock, serves, jobs: lanes } = flags
  const given = attackFromOptions(argument, { ...flags, jobs: undefined })
  const { queue: _, universal: __, ...spec } = given.spec
  const opened = await openAttack(compileAttack(spec, given))
  const close = (): Promise<void> => closeWithin(opened.model)
  const worker = await serveImages({ opened, url, name, prefix, lock, lanes, serves, log }).catch(closing(close))
  const summary = (): string => {
    const { jobs, failed } = worker.counts
    return `${jobs} ${jobs === 1 ? 'image' : 'images'}, ${failed} failed`
  }
  return { worker, summary, close }
}

function doesNotGo(key: string, why: string): ZerothError {
  const option = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  return new ZerothError('invalid-option', `${option}: ${why}`)
}
