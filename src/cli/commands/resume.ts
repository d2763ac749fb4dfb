import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import { ZerothError } from '../../index.ts'
import { isAttack, runPlace } from '../../work/folders.ts'
import { type Limits, limitKeys, newLimits } from '../../work/limits.ts'
import { takeUp } from '../../work/run.ts'
import { runSeries } from '../../work/series.ts'
import { readPlan, type SeriesPlan, writePlan } from '../../work/series-plan.ts'
import { runSearch, type Search } from '../../work/tuning.ts'
import { conclude } from '../conclude.ts'
import { milliseconds, number, wholeNumber } from '../option-values.ts'
import { type Watcher, type WatchFlags, watcher, withWatchOptions } from '../watch.ts'

const examples = `
A run that has finished prints its result again and asks nothing. One that
failed asks once more what failed. Other limits hold from where the run stands,
also for one that has finished. An attack tries the images again for which its
model did not answer.

Examples:
  $ zeroth resume zeroth-runs/problem-zo-adamm-7
  $ zeroth resume problem-zo-adamm-7 --max-queries 20000
  $ zeroth resume problem-zo-adamm-seeds-0-4       all runs of a series
  $ zeroth resume digits-zo-adamm-constrained-0    an attack`

interface Flags extends WatchFlags, Limits {}

/** `zeroth resume`: goes on where a run, a series, a search or an attack stands. */
export function command(): Command {
  const described = new Command()
    .argument('<run>', 'the folder of a run, a series, a search or an attack, or its name in zeroth-runs')
    .optionsGroup('Other limits:')
    .option('--max-queries <n>', 'queries at most, all of the run counted', wholeNumber(1))
    .option('--max-iterations <n>', 'iterations at most, all of the run counted', wholeNumber(0))
    .option('--max-time <time>', 'time at most, all of the run counted', milliseconds)
    .option('--target <value>', 'stop when a point has this value or a better one', number)
  return withWatchOptions(described).addHelpText('after', examples).action(resumeCommand)
}

async function resumeCommand(run: string, flags: Flags): Promise<void> {
  const folder = runPlace(run)
  const watching = watcher(flags)
  try {
    process.exitCode = await resumeOne(folder, flags, watching)
  } finally {
    watching.close()
  }
}

async function resumeOne(folder: string, flags: Flags, watching: Watcher): Promise<number> {
  if (isAttack(folder)) return resumeAttack(folder, flags, watching)
  const plan = await readPlan(folder)
  if (plan !== undefined) return resumeAll(folder, plan, flags, watching)
  const attack = dirname(dirname(resolve(folder)))
  if (isAttack(attack) || isAttack(dirname(resolve(folder)))) {
    const whole = isAttack(attack) ? attack : dirname(resolve(folder))
    throw new ZerothError('invalid-option', `${folder} is part of an attack: zeroth resume ${whole} goes on with it`)
  }
  return conclude(await takeUp(folder, (spec) => newLimits(spec, flags), watching), folder, flags, watching)
}

async function resumeAttack(folder: string, flags: Flags, watching: Watcher): Promise<number> {
  if (limitKeys.some((key) => flags[key] !== undefined)) {
    throw new ZerothError('invalid-option', `${folder} is an attack: it keeps its limits`)
  }
  const { resumeAttack: resumed } = await import('../attack/run-attack.ts')
  return resumed(folder, flags, watching)
}

/** Other limits are written into the plan first: however often this is interrupted, every run will have them. */
async function resumeAll(folder: string, plan: SeriesPlan, flags: Flags, watching: Watcher): Promise<number> {
  const limits = newLimits(plan.spec, flags)
  const hasOthers = Object.keys(limits).length > 0
  if (plan.search !== undefined) {
    if (hasOthers) throw new ZerothError('invalid-option', `${folder} is a search: its runs keep their limits`)
    const search = 'model' in plan.spec ? (await import('../attack/search-attacks.ts')).searchAttacks : runSearch
    return search(folder, plan as Search, flags, watching)
  }
  const changed = { ...plan, spec: { ...plan.spec, ...limits } }
  if (hasOthers) await writePlan(folder, changed)
  return runSeries(folder, changed, flags, watching)
}
