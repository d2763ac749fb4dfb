import { Command } from 'commander'
import { ZerothError } from '../../../index.ts'
import type { JobWorker } from '../../executors/queue/index.ts'
import { closeWithin } from '../../jobs/job.ts'
import { type AttackFlags, attackFromOptions, flagKeys, hasModel, withAttackOptions } from '../attack-options.ts'
import { collected, milliseconds, type SecretPlace, secretPlace, wholeNumber } from '../option-values.ts'
import { type SpecFlags, specFromOptions, withObjectiveOptions } from '../options.ts'
import { tell } from '../program.ts'
import { exitCodes, interrupts, plainText } from '../terminal.ts'

const examples = `
It needs what the run has: the program, module or spec, or the model and the
images; and the packages bullmq and ioredis. Ctrl-C hands back what it is doing
and leaves.

Examples:
  $ zeroth worker redis://host:6379 problem.yaml -j 4
  $ zeroth worker redis://host:6379 --exec "python3 objective.py" --dim 4
  $ zeroth worker env:REDIS_URL --module ./objective.js --dim 8 -j 2
  $ zeroth worker redis://host:6379 --http http://localhost:8080/f --dim 20
  $ zeroth worker redis://host:6379 --model net.onnx --images photos -j 2`

/** `zeroth worker`: evaluates queries, or attacks images, of runs on other machines. */
export function workerCommand(): Command {
  const described = new Command()
    .argument('<address>', 'redis://host:6379, rediss:// for TLS, or env:NAME, file:PATH that holds it', secretPlace)
    .argument('[spec]', 'the spec of the run or the attack; options overrule its keys')
    .optionsGroup('What is evaluated:')
  const how = withObjectiveOptions(described)
    .option('-O, --option <key=value>', 'any key of the spec, as in objective.mode=one-shot', collected)
    .option('--serves <name>', 'a name for it, the same as queue.serves of the run, instead of its content')
    .optionsGroup('Jobs:')
    .option('-j, --jobs <n>', 'jobs done at once: rows or images (default: 1)', wholeNumber(1))
    .option('--timeout <time>', 'for one query: milliseconds, or 30s, 2m', milliseconds)
    .option('--lock <time>', 'when lost, its jobs go to others after this time (default: 6s)', milliseconds)
    .option('--name <queue>', 'name of the queue (default: default)')
    .option('--prefix <text>', 'what all keys on the server begin with (default: zeroth)')
    .option('-q, --quiet', 'say nothing but errors')
  return withImageOptions(how).addHelpText('after', examples).action(performWorker)
}

async function performWorker(url: SecretPlace, argument: string | undefined, flags: WorkerFlags): Promise<void> {
  const log = (line: string): void => {
    if (flags.quiet !== true) tell(`zeroth worker: ${plainText(line)}`)
  }
  const { signal, close } = interrupts(() => log('interrupted: handing back what is under way'))
  try {
    const serve = isForImages(argument, flags) ? imagesServed : rowsServed
    const begun = await serve(url, argument, flags, log)
    const reason = await Promise.race([begun.worker.failed, stopped(signal)])
    await begun.worker.stop()
    await begun.close()
    log(`left after ${begun.summary()}`)
    if (reason === undefined) return
    process.exitCode = exitCodes.failed
    throw reason
  } finally {
    close()
  }
}

async function rowsServed(
  url: SecretPlace,
  argument: string | undefined,
  flags: WorkerFlags,
  log: (line: string) => void,
): Promise<BegunWorker> {
  refuseImageOptions(flags)
  const { name, prefix, lock, jobs: concurrency = 1 } = flags
  const given = specFromOptions(argument, flags)
  const { serveRows } = await import('../../executors/queue/index.ts')
  const { compileServed } = await import('../../spec/index.ts')
  const { objective, serves: content } = compileServed(given.spec, concurrency, given)
  const close = async (): Promise<unknown> => objective.close?.()
  const serves = flags.serves ?? content
  const worker = await serveRows({ url, name, prefix, lock, concurrency, log, objective, serves }).catch(closing(close))
  const summary = (): string => {
    const { jobs, rows, failed } = worker.counts
    return `${jobs} ${jobs === 1 ? 'job' : 'jobs'} with ${rows} rows, ${failed} failed`
  }
  return { worker, summary, close }
}

function stopped(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

/** Keys of an attack spec that say what the model and the images of a worker are, and how it asks. */
const imageKeys = [
  ...(['model', 'modelName', 'preprocessing', 'images', 'resize', 'classNames'] as const),
  ...(['batch', 'providers', 'permitted', 'rate', 'patience', 'retries'] as const),
]

/** Options that mean nothing where images are attacked. */
const rowKeys = ['function', 'exec', 'http', 'module', 'dim', 'variable', 'timeout'] as const

/** Adds the options of workers that attack images. */
function withImageOptions(command: Command): Command {
  const others = flagKeys.filter((key) => !(imageKeys as readonly string[]).includes(key))
  return withAttackOptions(command, others)
}

/** Whether a worker is to attack images: a model is given, or the spec of an attack. */
function isForImages(argument: string | undefined, flags: WorkerFlags & AttackFlags): boolean {
  return flags.model !== undefined || hasModel(argument ?? flags.config)
}

/** Refuses options of attacks where rows are evaluated. */
function refuseImageOptions(flags: AttackFlags): void {
  const other = imageKeys.find((key) => flags[key] !== undefined)
  if (other !== undefined) throw doesNotGo(other, 'it is for workers that attack images: give --model')
}

/** Opens a model and images of its own, and attacks the images of evaluations elsewhere. */
async function imagesServed(
  url: SecretPlace,
  argument: string | undefined,
  flags: WorkerFlags & AttackFlags,
  log: (line: string) => void,
): Promise<BegunWorker> {
  const other = rowKeys.find((key) => flags[key] !== undefined)
  if (other !== undefined) throw doesNotGo(other, 'it does not go with a model')
  const { name, prefix, lock, serves, jobs: concurrency } = flags
  const given = attackFromOptions(argument, { ...flags, jobs: undefined })
  const { queue: _, universal: __, ...spec } = given.spec
  const { serveImages } = await import('../../jobs/evaluation/queue/serve-images.ts')
  const { compileAttack, openAttack } = await import('../../spec/attack/index.ts')
  const opened = await openAttack(await compileAttack(spec, given))
  const close = (): Promise<void> => closeWithin(opened.model)
  const worker = await serveImages({ opened, url, name, prefix, lock, concurrency, serves, log }).catch(closing(close))
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

/** What the options of `zeroth worker` say. */
interface WorkerFlags extends SpecFlags {
  readonly name?: string
  readonly prefix?: string
  readonly serves?: string
  readonly lock?: number
  readonly quiet?: boolean
}

/** A worker that has begun, and what is said and closed at its end. */
interface BegunWorker {
  readonly worker: JobWorker
  readonly summary: () => string
  readonly close: () => Promise<unknown> | undefined
}

/** Closes what was opened for a worker that could not begin. */
function closing(close: () => Promise<unknown>): (error: unknown) => Promise<never> {
  return async (error) => {
    await close()
    throw error
  }
}
