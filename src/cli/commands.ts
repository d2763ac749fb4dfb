import type { Command } from 'commander'

/** A command as the list in `zeroth --help` shows it; its code is loaded when it is called. */
interface Listed {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<{ command(): Command }>
}

/** Every command, in the order of the help text. */
export const commands: readonly Listed[] = [
  {
    name: 'minimize',
    summary: 'minimise a function, a program, a service: from a spec file or from options',
    load: () => import('./commands/minimize.ts'),
  },
  { name: 'resume', summary: 'go on with a run that was interrupted', load: () => import('./commands/resume.ts') },
  { name: 'list', summary: 'list runs', load: () => import('./commands/list.ts') },
  { name: 'show', summary: 'show one run', load: () => import('./commands/show.ts') },
  { name: 'compare', summary: 'compare runs in a table and a page', load: () => import('./commands/compare.ts') },
  { name: 'report', summary: 'write the page of a run', load: () => import('./commands/report.ts') },
  {
    name: 'export',
    summary: 'write the history of a run as CSV, Parquet, npy or JSON',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'tune',
    summary: 'find the learning rate, and the betas, that serve a problem best',
    load: () => import('./commands/tune.ts'),
  },
  { name: 'theory', summary: 'check the statements of the paper', load: () => import('./commands/theory.ts') },
  { name: 'validate', summary: 'check a spec file without running it', load: () => import('./commands/validate.ts') },
  { name: 'schema', summary: 'print the JSON Schema of spec files', load: () => import('./commands/schema.ts') },
  { name: 'init', summary: 'write a commented spec file', load: () => import('./commands/init.ts') },
  { name: 'doctor', summary: 'say what works on this machine', load: () => import('./commands/doctor.ts') },
  { name: 'repair', summary: 'mend a damaged run as far as possible', load: () => import('./commands/repair.ts') },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    load: () => import('./commands/completion.ts'),
  },
]
