import { expect, test } from 'vitest'
import { queueMetrics } from './queue.ts'

test('a queue is written as Prometheus reads it, with a line per number, and without workers that have left', () => {
  const serves = { kind: 'exec', what: 'exec "a\\b"', hash: 'c0ffee' }
  const who = { host: 'h', pid: 1, serves, zeroth: '0.1.0' }
  const text = queueMetrics({
    server: 'redis://127.0.0.1:6379',
    name: 'nightly',
    contents: [{ serves, waiting: 12, active: 2, failed: 1, answered: 30, failures: [{ id: 'j', reason: 'no' }] }],
    workers: [
      { ...who, id: 'w', concurrency: 2 },
      { ...who, id: 'gone', concurrency: 9, left: 'no licence' },
    ],
    runs: [{ ...who, id: 'r' }],
  })
  const labels = String.raw`queue="nightly",serves="exec \"a\\b\"",content="c0ffee"`
  expect(text.split('\n')).toEqual([
    '# HELP zeroth_queue_jobs Jobs on the server, by state.',
    '# TYPE zeroth_queue_jobs gauge',
    `zeroth_queue_jobs{${labels},state="waiting"} 12`,
    `zeroth_queue_jobs{${labels},state="active"} 2`,
    `zeroth_queue_jobs{${labels},state="failed"} 1`,
    `zeroth_queue_jobs{${labels},state="answered"} 30`,
    '# HELP zeroth_queue_worker_lanes Jobs that a worker does at once, a line per worker.',
    '# TYPE zeroth_queue_worker_lanes gauge',
    `zeroth_queue_worker_lanes{${labels},id="w",host="h"} 2`,
    '# HELP zeroth_queue_runs Runs that wait for jobs, a line per run.',
    '# TYPE zeroth_queue_runs gauge',
    `zeroth_queue_runs{${labels},id="r",host="h"} 1`,
  ])
})
