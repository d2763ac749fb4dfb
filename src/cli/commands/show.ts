import { resolve } from 'node:path'
import { Command } from 'commander'
import { jsonSafe } from '../../core/json-safe.ts'
import { countText } from '../../report/number-text.ts'
import { shortNumber, textTable } from '../../report/table.ts'
import { type RunProgress, readOverview } from '../../trace/index.ts'
import { runPlace } from '../../work/folders.ts'
import { kindOf, type WorkKind, workStatus } from '../../work/index.ts'
import { requirePlan } from '../../work/series-plan.ts'
import { print } from '../output.ts'
import { resultText } from '../print-result.ts'
import { millisecondsText } from '../terminal-text.ts'
import { listedRun, runColumns } from './list.ts'

const examples = `
Examples:
  $ zeroth show problem-auto-7
  $ zeroth show problem-auto-7 --json | python3 -m json.tool`

/** `zeroth show`: what a run, a series or an attack is and how far it is. */
export function command(): Command {
  return new Command()
    .argument('<run>', 'the folder of a run, a series or an attack, or its name in zeroth-runs')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples)
    .action(async (given: string, { json }: { json?: boolean }) => {
      const folder = runPlace(given)
      const kind = kindOf(folder) ?? 'run'
      await shows[kind](folder, json === true)
    })
}

const shows: Readonly<Record<WorkKind, (folder: string, json: boolean) => Promise<void>>> = {
  run: showRun,
  series: showSeries,
  tuning: showSeries,
  evaluation: async (folder, json) => print((await import('../attack/print-attack.ts')).shownAttack(folder, json)),
}

async function showRun(folder: string, json: boolean): Promise<void> {
  const { meta, status, result, problems, ...overview } = await readOverview(folder)
  for (const problem of problems) process.stderr.write(`zeroth: ${problem}\n`)
  if (json) {
    const { iterations, queries, best, seconds } = overview
    const shown = { run: resolve(folder), status, meta, result, problems, iterations, queries, best, seconds }
    return print(JSON.stringify(jsonSafe(shown)))
  }
  const about = `status      ${status}\nbegan       ${meta.created} with zeroth ${meta.zeroth}`
  const ended = result === undefined ? progressText(overview, folder) : resultText(result, folder)
  print(`${about}\n${ended}\n\n${JSON.stringify(meta.spec, null, 2)}`)
}

async function showSeries(folder: string, json: boolean): Promise<void> {
  const plan = await requirePlan(folder)
  const { value, setting, runs = [] } = listedRun(await workStatus(folder))
  if (json) return print(JSON.stringify(jsonSafe({ run: resolve(folder), ...plan, value, setting, runs })))
  const about = `${plan.kind === 'tune' ? 'tuning' : 'series'} of ${plan.created} with seeds ${plan.seeds.join(', ')}`
  const median = `median ${shortNumber(value ?? Number.NaN)} over the runs that have finished`
  const best =
    setting === undefined ? median : `best setting: ${setting}, mean ${shortNumber(value ?? Number.NaN)} over the seeds`
  print(
    `${about}\n${value === undefined ? '' : `${best}\n`}\n${textTable(runs, runColumns)}\n\n${JSON.stringify(plan.spec, null, 2)}`,
  )
}

/** How far a run is that has not ended. */
function progressText({ iterations, queries, best, seconds }: RunProgress, folder: string): string {
  const count = `${countText(queries)} in ${countText(iterations)} iterations`
  return `best        ${best}\nqueries     ${count}, ${millisecondsText(seconds * 1000)}\nrun         ${folder}`
}
