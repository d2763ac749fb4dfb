import type { Announcement, QueueStatus, Served } from '../queue/index.ts'

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
      present.map((worker) => [each(worker), worker.lanes ?? 1]),
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
