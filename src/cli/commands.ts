import type { Command } from 'commander'

/** A command as the list in `zeroth --help` shows it; its code is loaded when it is called. */
export interface Listed {
  readonly name: string
  readonly summary: string
  readonly group: string
  readonly load: () => Promise<{ command(): Command }>
}

const running = 'Run:'
const showing = 'Results:'
const writing = 'Write specs:'
const more = 'More:'

/** Every command, in the order of the help text. */
export const commands: readonly Listed[] = [
  {
    name: 'minimize',
    summary: 'minimise a function, a program, a service: from a spec file or from options',
    group: running,
    load: () => import('./commands/minimize.ts'),
  },
  {
    name: 'attack',
    summary: "measure a classifier's robustness through queries alone",
    group: running,
    load: () => import('./commands/attack.ts'),
  },
  {
    name: 'resume',
    summary: 'continue an interrupted run, series, tuning or attack',
    group: running,
    load: () => import('./commands/resume.ts'),
  },
  {
    name: 'tune',
    summary: 'find the best learning rate, and betas, for a problem',
    group: running,
    load: () => import('./commands/tune.ts'),
  },
  {
    name: 'worker',
    summary: 'evaluate queries or attack images of other machines, by way of a queue',
    group: running,
    load: () => import('./commands/worker.ts'),
  },
  {
    name: 'queue',
    summary: 'show the jobs and workers of a queue, drop or retry jobs',
    group: running,
    load: () => import('./commands/queue.ts'),
  },
  {
    name: 'list',
    summary: 'list runs, series, tunings and attacks',
    group: showing,
    load: () => import('./commands/list.ts'),
  },
  {
    name: 'ui',
    summary: 'show them in the browser, live',
    group: showing,
    load: () => import('./commands/ui.ts'),
  },
  { name: 'show', summary: 'show one of them', group: showing, load: () => import('./commands/show.ts') },
  {
    name: 'compare',
    summary: 'compare runs in a table and a page',
    group: showing,
    load: () => import('./commands/compare.ts'),
  },
  {
    name: 'report',
    summary: 'write the page of a run or a series',
    group: showing,
    load: () => import('./commands/report.ts'),
  },
  {
    name: 'export',
    summary: 'write runs and attacks as CSV, Parquet, JSON or npy, or for TensorBoard and MLflow',
    group: showing,
    load: () => import('./commands/export.ts'),
  },
  { name: 'init', summary: 'write a commented spec file', group: writing, load: () => import('./commands/init.ts') },
  {
    name: 'validate',
    summary: 'check a spec file without running it',
    group: writing,
    load: () => import('./commands/validate.ts'),
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of spec files',
    group: writing,
    load: () => import('./commands/schema.ts'),
  },
  {
    name: 'docs',
    summary: 'print a page of the documentation, or list them',
    group: more,
    load: () => import('./commands/docs.ts'),
  },
  {
    name: 'doctor',
    summary: 'check what works on this machine',
    group: more,
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'repair',
    summary: 'repair a damaged run as far as possible',
    group: more,
    load: () => import('./commands/repair.ts'),
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    group: more,
    load: async () => {
      const { command } = await import('./commands/completion.ts')
      return { command: () => command(commands) }
    },
  },
]
