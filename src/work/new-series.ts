import { isDeepStrictEqual } from 'node:util'
import { ZerothError } from '../index.ts'
import { isRun, newRunPlace } from './folders.ts'
import { changedLimits } from './limits.ts'
import { createPlan, readPlan, type SeriesPlan } from './series-plan.ts'

/**
 * The folder of a new series: the one that --out names, or a free one. With --resume the series that is there goes on,
 * provided it is the same.
 */
export async function newSeries(
  { out, resume }: { readonly out?: string; readonly resume?: boolean },
  name: string,
  plan: SeriesPlan,
): Promise<string> {
  if (resume === true && out === undefined) {
    throw new ZerothError('invalid-option', '--resume needs --out: the folder to go on in')
  }
  const { folder } = newRunPlace(out, name)
  const there = await readPlan(folder)
  if (there === undefined) {
    if (isRun(folder)) throw new ZerothError('invalid-option', `${folder} is a single run: choose another folder`)
    await createPlan(folder, plan)
    return folder
  }
  if (resume !== true) {
    const advice = `zeroth resume ${out} goes on with them, --resume begins or goes on`
    throw new ZerothError('invalid-option', `${folder} holds several runs already: ${advice}, or choose another folder`)
  }
  checkSame(folder, there, plan)
  return folder
}

function checkSame(folder: string, there: SeriesPlan, wanted: SeriesPlan): void {
  for (const key of ['kind', 'seeds', 'search'] as const) {
    if (isDeepStrictEqual(there[key], wanted[key])) continue
    const [old, now] = [there[key], wanted[key]].map((value) => JSON.stringify(value))
    throw new ZerothError(
      'invalid-option',
      `${folder} holds other runs (${key}: ${old}, not ${now}): choose another folder`,
    )
  }
  const [limit] = Object.keys(changedLimits(folder, there.spec, wanted.spec))
  if (limit === undefined) return
  throw new ZerothError('invalid-option', `${folder} has another ${limit}: zeroth resume ${folder} takes other limits`)
}
