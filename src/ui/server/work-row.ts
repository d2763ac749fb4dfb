import { basename, join } from 'node:path'
import { readOverview, sampleTrace } from '../../trace/index.ts'
import { layout, readImages, readJson } from '../../work/evaluation/attack-files.ts'
import { readAttack } from '../../work/evaluation/attack-record.ts'
import type { ItemCounts, WorkKind } from '../../work/index.ts'
import { requirePlan } from '../../work/series-plan.ts'
import { workStatus } from '../../work/status.ts'
import type { WorkStatus } from '../../work/work.ts'
import type { WorkRow } from '../api.ts'

type Spec = Readonly<Record<string, unknown>>

/** Places of a trace that a small curve in the list has. */
const sparkPoints = 24

/** What the list shows of a work, from its files. One that cannot be read says why. */
export async function readRow(folder: string, id: string, parent: string | undefined): Promise<WorkRow> {
  const status = await workStatus(folder)
  const { kind, state, created, iterations, queries, best, value, setting, seconds, items, reason, problem } = status
  const bare: WorkRow = {
    ...{ id, name: basename(folder), kind, state, parent, about: '', created, iterations, queries },
    ...{ best, value, setting, seconds, items, reason, problem },
  }
  if (state === 'damaged') return bare
  try {
    return { ...bare, ...(await more[kind](folder, status)) }
  } catch (error) {
    return { ...bare, state: 'damaged', problem: (error as Error).message }
  }
}

/** What each kind of work has beside its status. */
const more: Readonly<Record<WorkKind, (folder: string, status: WorkStatus) => Promise<Partial<WorkRow>>>> = {
  async run(folder) {
    const { spec } = (await readOverview(folder)).meta
    const spark = sampleTrace(folder, { points: sparkPoints, mostBytes: 0 }).records.map(({ best }) => best)
    return { about: runAbout(spec), maxQueries: numberIn(spec, 'maxQueries'), spark }
  },
  async series(folder, { items }) {
    const { spec, seeds } = await requirePlan(folder)
    const each = numberIn(spec, 'maxQueries')
    const maxQueries = each === undefined ? undefined : each * (items?.total ?? seeds.length)
    return { about: `${runAbout(spec)}, ${seeds.length} seeds`, maxQueries }
  },
  async tuning(folder) {
    const { spec } = await requirePlan(folder)
    return { about: `learning rate of ${'model' in spec ? attackAbout(spec) : runAbout(spec)}` }
  },
  async evaluation(folder, { items }) {
    const about = attackAbout(readAttack(folder).spec)
    const { summary } = (readJson(join(folder, layout.summary)) ?? {}) as {
      summary?: Record<string, number> & { readonly finalObjective?: { readonly mean: number } }
    }
    if (summary === undefined) return { about, items: { ...(items ?? { done: 0, total: 0 }), ...countsOf(folder) } }
    const { attacked = 0, fooled = 0, failed = 0, unfinished = 0, robustAccuracy, finalObjective } = summary
    const total = attacked + unfinished
    return {
      about,
      robustAccuracy,
      value: finalObjective?.mean,
      items: { done: attacked, total, fooled, failed: failed + unfinished },
    }
  },
}

function countsOf(folder: string): Pick<ItemCounts, 'fooled' | 'failed'> {
  const images = [...readImages(folder).values()]
  return {
    fooled: images.filter(({ status }) => status === 'fooled').length,
    failed: images.filter(({ status }) => status === 'failed' || status === 'unfinished').length,
  }
}

function runAbout(spec: Spec): string {
  const { dim, variables, objective, solver } = spec
  const count = typeof dim === 'number' ? dim : Object.keys(variables ?? {}).length
  const size = count > 0 ? `${count} ${count === 1 ? 'variable' : 'variables'}` : ''
  return [nameOf(objective), size, nameOf(solver)].filter((text) => text !== '').join(', ')
}

function attackAbout({ model, count, solver, problem }: Spec): string {
  const images = typeof count === 'number' ? `${count} ${count === 1 ? 'image' : 'images'}` : 'all images'
  return [nameOf(model), images, nameOf(solver), nameOf(problem)].filter((text) => text !== '').join(', ')
}

/** What a part of a spec is called: the file of a model or a module says more than its kind. */
function nameOf(part: unknown): string {
  if (typeof part === 'string') return part
  const { name = '', file, module, model } = (part ?? {}) as Readonly<Record<string, unknown>>
  const place = [file, module, model].find((each) => typeof each === 'string')
  return place === undefined ? String(name) : basename(String(place))
}

function numberIn(spec: Spec, key: string): number | undefined {
  const value = spec[key]
  return typeof value === 'number' ? value : undefined
}
