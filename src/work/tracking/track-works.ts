import { basename, join, resolve } from 'node:path'
import { summarize, ZerothError } from '../../index.ts'
import type { WorkKind } from '../events.ts'
import { kindOf, runsPlace } from '../folders.ts'
import { requirePlan } from '../series-plan.ts'
import { listWorks, workStatus } from '../status.ts'
import { trackEvaluation } from './track-evaluation.ts'
import { trackRun } from './track-run.ts'
import { numbersIn, type Place, type Tracked } from './tracked.ts'

/** The work in a folder for experiment trackers; of a series or a tuning also its members, of another folder the works in it. */
export async function trackWorks(given: string): Promise<Tracked[]> {
  const folder = runsPlace(given)
  const kind = kindOf(folder)
  if (kind !== undefined) return trackWork(folder, kind, { path: [basename(resolve(folder))], isMember: false })
  const works = await trackMembers(folder, { path: [], isMember: false })
  if (works.length > 0) return works
  throw new ZerothError('invalid-option', `${folder} is not a run and contains none`)
}

async function trackWork(folder: string, kind: WorkKind, place: Place): Promise<Tracked[]> {
  if (kind === 'run') return [await trackRun(folder, place)]
  if (kind === 'evaluation') return [trackEvaluation(folder, place)]
  return [await trackSeries(folder, kind, place), ...(await trackMembers(folder, { ...place, isMember: true }))]
}

async function trackMembers(folder: string, { path, isMember }: Place): Promise<Tracked[]> {
  const works: Tracked[] = []
  for (const member of await listWorks(folder)) {
    const name = basename(member.folder)
    works.push(...(await trackWork(join(folder, name), member.kind, { path: [...path, name], isMember })))
  }
  return works
}

/** A series or a tuning itself: its plan, and statistics over its members. */
async function trackSeries(folder: string, kind: 'series' | 'tuning', place: Place): Promise<Tracked> {
  const { created, zeroth, spec, seeds, search } = await requirePlan(folder)
  const { state, queries = 0, seconds = 0, best, members = [] } = await workStatus(folder)
  const values = members.flatMap((each) => (each.state === 'finished' && each.best !== undefined ? [each.best] : []))
  const value = values.length === 0 ? undefined : summarize(values)
  return {
    ...place,
    kind,
    created,
    state,
    settings: { ...spec, ...(search === undefined ? {} : { search: { ...search } }), seeds: [...seeds] },
    facts: { id: basename(resolve(folder)), version: zeroth, seeds: seeds.join(', ') },
    end: { queries, seconds },
    results: numbersIn({ queries, seconds, best, value }, 'result'),
    warnings: [],
    history: () => [],
    thinHistory: async () => ({ metrics: [], rows: 0, iterations: 0 }),
    images: [],
    curves: () => [],
    pictures: [],
    files: () => [],
  }
}
