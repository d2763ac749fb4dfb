import { Command } from 'commander'
import { serveRows } from '../../queue/index.ts'
import { compileServed } from '../../spec/index.ts'
import { exitCodes } from '../explain-error.ts'
import { interrupts } from '../interrupts.ts'
import { collected, milliseconds, type SecretPlace, secretPlace, wholeNumber } from '../option-values.ts'
import { specFromOptions } from '../spec-from-options.ts'
import { type SpecFlags, withObjectiveOptions } from '../spec-options.ts'
import { plainText } from '../terminal-text.ts'

const examples = `
It needs the program, module or spec that the run has, and the packages bullmq
and ioredis. Ctrl-C hands back what it is evaluating and leaves.

Examples:
  $ zeroth worker redis://host:6379 problem.yaml -j 4
  $ zeroth worker redis://host:6379 --exec "python3 objective.py" --dim 4
  $ zeroth worker env:REDIS_URL --module ./objective.js --dim 8 -j 2
  $ zeroth worker redis://host:6379 --http http://localhost:8080/f --dim 20`

interface Flags extends SpecFlags {
  readonly name?: string
  readonly prefix?: string
  readonly serves?: string
  readonly lock?: number
  readonly quiet?: boolean
}

/** `zeroth worker`: evaluates queries of runs on other machines. */
export function command(): Command {
  const described = new Command()
    .argument('<address>', 'redis://host:6379, rediss:// for TLS, or env:NAME, file:PATH that holds it', secretPlace)
    .argument('[spec]', 'the spec of the run; options overrule its keys')
    .optionsGroup('What is evaluated:')
  return withObjectiveOptions(described)
    .option('-O, --option <key=value>', 'any key of the spec, as in objective.mode=one-shot', collected)
    .option('--serves <name>', 'a name for it, the same as queue.serves of the run, instead of its content')
    .optionsGroup('How:')
    .option('-j, --jobs <n>', 'jobs evaluated at once (default: 1)', wholeNumber(1))
    .option('--timeout <time>', 'for one query: milliseconds, or 30s, 2m', milliseconds)
    .option('--lock <time>', 'when lost, its jobs go to others after this time (default: 6s)', milliseconds)
    .option('--name <queue>', 'name of the queue (default: default)')
    .option('--prefix <text>', 'what all keys on the server begin with (default: zeroth)')
    .option('-q, --quiet', 'say nothing but errors')
    .addHelpText('after', examples)
    .action(workerCommand)
}

async function workerCommand(url: SecretPlace, argument: string | undefined, flags: Flags): Promise<void> {
  const { name, prefix, lock, jobs: lanes = 1 } = flags
  const log = (line: string): void => {
    if (flags.quiet !== true) process.stderr.write(`zeroth worker: ${plainText(line)}\n`)
  }
  const given = specFromOptions(argument, flags)
  const { objective, serves } = compileServed(given.spec, lanes, given)
  const { signal, close } = interrupts(() => log('interrupted: handing back what is under way'))
  try {
    const served = flags.serves ?? serves
    const worker = await serveRows({ url, name, prefix, lock, lanes, log, objective, serves: served })
    const reason = await Promise.race([worker.failed, stopped(signal)])
    await worker.stop()
    const { jobs, rows, failed } = worker.counts
    log(`left after ${jobs} ${jobs === 1 ? 'job' : 'jobs'} with ${rows} rows, ${failed} failed`)
    if (reason === undefined) return
    process.exitCode = exitCodes.failed
    throw reason
  } finally {
    await objective.close?.()
    close()
  }
}

function stopped(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
