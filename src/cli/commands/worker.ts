import { Command } from 'commander'
import { serveRows } from '../../queue/index.ts'
import { compileServed } from '../../spec/index.ts'
import { type BegunWorker, closing, type WorkerFlags } from '../begun-worker.ts'
import { exitCodes } from '../explain-error.ts'
import { interrupts } from '../interrupts.ts'
import { collected, milliseconds, type SecretPlace, secretPlace, wholeNumber } from '../option-values.ts'
import { specFromOptions } from '../spec-from-options.ts'
import { withObjectiveOptions } from '../spec-options.ts'
import { plainText } from '../terminal-text.ts'
import { imagesServed, isForImages, refuseImageOptions, withImageOptions } from '../worker-images.ts'

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
export function command(): Command {
  const described = new Command()
    .argument('<address>', 'redis://host:6379, rediss:// for TLS, or env:NAME, file:PATH that holds it', secretPlace)
    .argument('[spec]', 'the spec of the run or the attack; options overrule its keys')
    .optionsGroup('What is evaluated:')
  const how = withObjectiveOptions(described)
    .option('-O, --option <key=value>', 'any key of the spec, as in objective.mode=one-shot', collected)
    .option('--serves <name>', 'a name for it, the same as queue.serves of the run, instead of its content')
    .optionsGroup('How:')
    .option('-j, --jobs <n>', 'jobs done at once: rows or images (default: 1)', wholeNumber(1))
    .option('--timeout <time>', 'for one query: milliseconds, or 30s, 2m', milliseconds)
    .option('--lock <time>', 'when lost, its jobs go to others after this time (default: 6s)', milliseconds)
    .option('--name <queue>', 'name of the queue (default: default)')
    .option('--prefix <text>', 'what all keys on the server begin with (default: zeroth)')
    .option('-q, --quiet', 'say nothing but errors')
  return withImageOptions(how).addHelpText('after', examples).action(workerCommand)
}

async function workerCommand(url: SecretPlace, argument: string | undefined, flags: WorkerFlags): Promise<void> {
  const log = (line: string): void => {
    if (flags.quiet !== true) process.stderr.write(`zeroth worker: ${plainText(line)}\n`)
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
  const { name, prefix, lock, jobs: lanes = 1 } = flags
  const given = specFromOptions(argument, flags)
  const { objective, serves: content } = compileServed(given.spec, lanes, given)
  const close = async (): Promise<unknown> => objective.close?.()
  const serves = flags.serves ?? content
  const worker = await serveRows({ url, name, prefix, lock, lanes, log, objective, serves }).catch(closing(close))
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
