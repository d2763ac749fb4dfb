import { html, type Markup } from '../markup.ts'
import { countText, shown } from '../number-text.ts'
import { type Tile, tiles } from '../page/tiles.ts'
import { bestValue, isFinished, queriesOf, type RunData, secondsOf } from './run-data.ts'
import { order, type RunGroup } from './run-groups.ts'

/** The result of several runs in a few numbers. */
export function overview(groups: readonly RunGroup[]): Markup {
  const runs = groups.flatMap((group) => group.runs)
  const [best] = [...runs].sort((a, b) => order(bestValue(a), bestValue(b)))
  const [first] = groups
  if (best === undefined || first === undefined) return html``
  return html`<section aria-labelledby="result"><h2 id="result">Result</h2>
${tiles([
  { name: 'Best value', value: shown.value(bestValue(best)), note: best.name },
  middle(groups, first),
  { name: 'Runs', value: shown.count(runs.length), note: runsNote(runs, groups.length) },
  { name: 'Queries', value: shown.count(sum(runs.map(queriesOf))), note: 'of all runs' },
  { name: 'Time', value: shown.duration(sum(runs.map(secondsOf))), note: 'of all runs' },
])}
${problemNote(groups)}</section>\n`
}

/** The median that leads, or the name of the leader where every group is a single run. */
function middle(groups: readonly RunGroup[], first: RunGroup): Tile {
  if (!groups.some(({ counted }) => counted.length > 1)) {
    return { name: 'Best group', value: html`<span class="words">${first.label}</span>` }
  }
  const name = groups.length > 1 ? 'Best median' : 'Median'
  return { name, value: shown.value(first.value.median), note: first.label }
}

function runsNote(runs: readonly RunData[], groups: number): string {
  const unfinished = runs.filter((run) => !isFinished(run)).length
  const grouped = groups === 1 ? 'one spec, several seeds' : `in ${countText(groups)} groups`
  return unfinished === 0 ? grouped : `${grouped}, ${countText(unfinished)} not finished`
}

/** Values of different problems can be drawn side by side, but say nothing about each other. */
function problemNote(groups: readonly RunGroup[]): Markup | undefined {
  const problems = groups.map(({ settings }) =>
    JSON.stringify(
      [...settings].filter(([path]) => /^(objective|dim)\b/.test(path)).map(([path, { exact }]) => [path, exact]),
    ),
  )
  if (new Set(problems).size < 2) return undefined
  return html`<p class="notice">These runs do not all minimise the same objective: compare values only where it is the same.</p>\n`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => (Number.isNaN(number) ? total : total + number), 0)
}
