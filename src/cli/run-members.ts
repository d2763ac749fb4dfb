import { ZerothError } from '../index.ts'
import { listRuns } from '../trace/index.ts'
import { isRun, runsPlace } from './run-places.ts'

/** The runs that are meant by the folder or the name of a run, of a series, or of a folder with runs in it. */
export async function runsOf(given: string): Promise<string[]> {
  const place = runsPlace(given)
  if (isRun(place)) return [place]
  const inside = await listRuns(place)
  if (inside.length > 0) return inside.map(({ folder }) => folder)
  throw new ZerothError('invalid-option', `${place} is no run, and there is none in it`)
}
