import { Argument, Command, Option } from 'commander'
import { ZerothError } from '../../../index.ts'
import {
  type Announcement,
  drainQueue,
  type QueueStatus,
  queueStatus,
  retryQueue,
  type Served,
} from '../../executors/queue/index.ts'
import { countText } from '../../report/number-text.ts'
import { textTable } from '../../report/table.ts'
import { type SecretPlace, secretPlace } from '../option-values.ts'
import { print } from '../program.ts'
import { plainText } from '../terminal.ts'

const examples = `
status  jobs waiting, under way, failed and why; workers; runs
drain   removes all jobs that no worker is doing, and old answers
retry   lets workers do failed jobs again; zeroth resume takes their answers

Examples:
  $ zeroth queue status redis://host:6379
  $ zeroth queue status env:REDIS_URL --metrics > zeroth.prom
  $ zeroth queue retry env:REDIS_URL --name nightly`

interface Flags {
  readonly name?: string
  readonly prefix?: string
  readonly json?: boolean
  readonly metrics?: boolean
}

const actions = ['status', 'drain', 'retry'] as const

/** `zeroth queue`: shows and steers the jobs of a queue. */
export function queueCommand(): Command {
  return new Command()
    .addArgument(new Argument('<action>', 'what to do').choices(actions))
    .argument('<address>', 'redis://host:6379, rediss:// for TLS, or env:NAME, file:PATH that holds it', secretPlace)
    .option('--name <queue>', 'name of the queue (default: default)')
    .option('--prefix <text>', 'what all keys on the server begin with (default: zeroth)')
    .addOption(new Option('--json', 'print one JSON object').conflicts('metrics'))
    .option('--metrics', 'status as Prometheus reads it')
    .addHelpText('after', examples)
    .action(performQueue)
}

async function performQueue(action: (typeof actions)[number], url: SecretPlace, flags: Flags): Promise<void> {
  const { name, prefix, json, metrics } = flags
  const place = { url, name, prefix }
  if (action === 'status') {
    const status = await queueStatus(place)
    const text = metrics === true ? queueMetrics : json === true ? JSON.stringify : statusText
    return print(text(status))
  }
  if (metrics === true) throw new ZerothError('invalid-option', `--metrics is for queue status, got queue ${action}`)
  const count = action === 'drain' ? await drainQueue(place) : await retryQueue(place)
  if (json === true) return print(JSON.stringify({ action, jobs: count }))
  const what = action === 'drain' ? 'removed' : 'waiting again'
  print(`${countText(count)} ${count === 1 ? 'job' : 'jobs'} ${what}`)
}

/** A queue as people read it. */
function statusText({ server, name, contents, workers, runs }: QueueStatus): string {
  const jobs = contents.map(({ serves, waiting, active, failed, answered }) => ({
    what: plainText(serves.what),
    counts: [waiting, active, failed, answered].map(countText),
  }))
  const table = textTable(jobs, [
    { title: 'jobs of', cell: ({ what }) => what },
    ...['waiting', 'active', 'failed', 'answered'].map((title, i) => ({
      title,
      align: 'right' as const,
      cell: ({ counts }: (typeof jobs)[number]) => counts[i] ?? '',
    })),
  ])
  const failures = contents.flatMap((each) => each.failures).map(({ id, reason }) => `  ${id}: ${plainText(reason)}`)
  return [
    `queue ${name} at ${server}`,
    jobs.length === 0 ? 'no jobs' : table,
    ...section('failed jobs', failures),
    ...section('workers', workers.map(whoText)),
    ...section('runs', runs.map(whoText)),
  ].join('\n')
}

function section(title: string, lines: readonly string[]): string[] {
  return [`${title}: ${lines.length === 0 ? 'none' : ''}`.trimEnd(), ...lines]
}

function whoText({ id, host, concurrency, serves, zeroth, left }: Announcement): string {
  const many = concurrency === undefined ? '' : `, ${concurrency} at once`
  const gone = left === undefined ? '' : `, left: ${left}`
  return `  ${plainText(`${id} on ${host}${many}: ${serves.what} (content ${serves.hash}, zeroth ${zeroth})${gone}`)}`
}

/** A queue in the text format that Prometheus reads. */
export function queueMetrics({ name, contents, workers, runs }: QueueStatus): string {
  const about = ({ what, hash }: Served): Labels => ({ queue: name, serves: what, content: hash })
  const states = ['waiting', 'active', 'failed', 'answered'] as const
  const jobs = contents.flatMap((each) =>
    states.map((state): Sample => [{ ...about(each.serves), state }, each[state]]),
  )
  const each = ({ id, host, serves }: Announcement): Labels => ({ ...about(serves), id, host })
  const present = workers.filter(({ left }) => left === undefined)
  return [
    ...family('zeroth_queue_jobs', 'Jobs on the server, by state.', jobs),
    ...family(
      'zeroth_queue_worker_lanes',
      'Jobs that a worker does at once, a line per worker.',
      present.map((worker) => [each(worker), worker.concurrency ?? 1]),
    ),
    ...family(
      'zeroth_queue_runs',
      'Runs that wait for jobs, a line per run.',
      runs.map((run) => [each(run), 1]),
    ),
  ].join('\n')
}

type Labels = Readonly<Record<string, string>>
type Sample = readonly [labels: Labels, value: number]

function family(name: string, help: string, samples: readonly Sample[]): string[] {
  const lines = samples.map(([labels, value]) => `${name}{${labelText(labels)}} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...lines]
}

function labelText(labels: Labels): string {
  const escaped = (text: string): string => text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')
  return Object.entries(labels)
    .map(([key, text]) => `${key}="${escaped(text)}"`)
    .join(',')
}
