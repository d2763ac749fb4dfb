import { join } from 'node:path'
import { ZerothError } from '../index.ts'
import { listRuns } from '../trace/index.ts'
import { isAttack, isRun, runsPlace } from './folders.ts'

/** The runs that are meant by the folder or the name of a run, of a series, or of a folder with runs in it. */
export async function runsOf(given: string): Promise<string[]> {
  const place = runsPlace(given)
  if (isRun(place)) return [place]
  if (isAttack(place)) {
    const advice = `zeroth show, report and compare know it, and ${join(place, 'images.csv')} has all its images`
    throw new ZerothError('invalid-option', `${place} is an attack: ${advice}`)
  }
  const inside = await listRuns(place)
  if (inside.length > 0) return inside.map(({ folder }) => folder)
  throw new ZerothError('invalid-option', `${place} is no run, and there is none in it`)
}
