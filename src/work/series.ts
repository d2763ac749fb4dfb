import { join } from 'node:path'
import { sayEnding } from '../cli/conclude.ts'
import { exitCodes } from '../cli/exit-codes.ts'
import { print } from '../cli/output.ts'
import { type Member, seriesJson, seriesText } from '../cli/series.ts'
import type { Watcher, WatchFlags } from '../cli/watch.ts'
import { runOrTakeUp } from './run.ts'
import type { SeriesPlan } from './series-plan.ts'

/** Brings every run of a series to its end, one after the other, and prints what they came to; returns the exit code. */
export async function runSeries(
  folder: string,
  { spec, seeds }: SeriesPlan,
  flags: WatchFlags,
  watching: Watcher,
): Promise<number> {
  const members: Member[] = []
  for (const [i, seed] of seeds.entries()) {
    const id = `seed-${seed}`
    const place = { folder: join(folder, id), id }
    const result = await runOrTakeUp(place, { ...spec, seed }, watching, `seed ${seed} (${i + 1} of ${seeds.length})`)
    members.push({ result, folder: place.folder })
    if (result.status === 'aborted') break
  }
  print(flags.json === true ? seriesJson(members, seeds.length, folder) : seriesText(members, folder))
  if (members.at(-1)?.result.status === 'aborted') {
    watching.say(`interrupted and saved: zeroth resume ${folder} goes on`)
    return exitCodes.interrupted
  }
  const codes = members.map((each) => sayEnding(each.result, each.folder, watching))
  return Math.max(...codes)
}
