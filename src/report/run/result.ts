import { luckyValue } from '../../core/closing-warnings.ts'
import { html, type Markup, type Piece } from '../markup.ts'
import { shown } from '../number-markup.ts'
import { countText, exactNumber, readableNumber, secondsText } from '../number-text.ts'
import type { Section } from '../page/document.ts'
import { badge, factTable, moreThanShown, pageTable, type Tile, tiles } from '../page/elements.ts'
import { bestValue, isFinished, iterationsOf, queriesOf, type RunData, secondsOf, seedOf } from './run-data.ts'
import { order, problemsOf, type RunGroup, rankedValue, unlikeProblems } from './run-groups.ts'

const listedEntries = 60

/** The result of one run in a few numbers: what it found, what it cost, and why it stopped. */
export function runResult(run: RunData): Section {
  const seconds = secondsOf(run)
  const queries = queriesOf(run)
  const value = bestValue(run)
  const rate = seconds > 0 ? `${rateText(queries / seconds)} a second` : undefined
  const stopped = html`<span class="words">${stopText(run)}</span>`
  return resultSection([
    { name: 'Best value', value: shown.value(value), note: valueNote(run) },
    { name: 'Queries', value: shown.count(queries), note: rate },
    { name: 'Iterations', value: shown.count(iterationsOf(run)) },
    { name: 'Time', value: shown.duration(seconds) },
    { name: 'Stopped', value: stopped, note: run.result?.stopReason ?? run.status },
  ])
}

/** The result of several runs in a few numbers. */
export function overview(groups: readonly RunGroup[]): Section {
  const runs = groups.flatMap((group) => group.runs)
  const best = runs.reduce((a, b) => (order(bestValue(b), bestValue(a)) < 0 ? b : a))
  return resultSection(
    [
      { name: 'Best value', value: shown.value(bestValue(best)), note: best.name },
      middle(groups),
      { name: 'Runs', value: shown.count(runs.length), note: runsNote(runs, groups.length) },
      { name: 'Queries', value: shown.count(sum(runs.map(queriesOf))), note: 'of all runs' },
      { name: 'Time', value: shown.duration(sum(runs.map(secondsOf))), note: 'of all runs' },
    ],
    problemNote(groups),
  )
}

function resultSection(list: readonly Tile[], note?: Markup): Section {
  return { id: 'result', title: 'Result', content: html`${tiles(list)}${note}` }
}

/** The point a run found, and its whole account. */
export function runDetails(run: RunData): Section {
  const content = html`<div class="pair">
${pointPart(run)}
${account(run)}
</div>`
  return { id: 'details', title: 'Point and account', content }
}

function rateText(rate: number): string {
  return rate < 100 ? String(Number(rate.toPrecision(3))) : countText(Math.round(rate))
}

/** What to know of a value that `luckyValue` warns of. */
export const luckyNote = 'lowest of varying answers: too low, by luck'

function valueNote(run: RunData): string | undefined {
  const isLucky = run.result?.warnings.includes(luckyValue) === true
  return isLucky ? luckyNote : exactly(bestValue(run))
}

/** A best value with all its digits, where it has more than the large figure shows. */
function exactly(value: number): string | undefined {
  return Number.isNaN(value) || exactNumber(value) === readableNumber(value) ? undefined : exactNumber(value)
}

function pointPart({ result, meta }: RunData): Markup {
  if (result === undefined || result.point.length === 0) {
    return html`<div><h3>Best point</h3><p>It is known when the run has ended.</p></div>`
  }
  const { point, variables: named } = result
  if (named !== undefined) return html`<div>${variablesTable(named, meta.spec.variables)}</div>`
  const { low, high, norm } = spread(point)
  return html`<div><h3>Best point</h3>
<p>${variables(point.length)} between ${shown.value(low)} and ${shown.value(high)}; length ${shown.value(norm)}.</p>
<p class="entries">${pointText(point, listedEntries)}</p></div>`
}

/** The best point in own units, beside the range that was searched. */
function variablesTable(named: Readonly<Record<string, number>>, ranges: unknown): Markup {
  const rows = Object.entries(named).slice(0, listedEntries)
  const range = (name: string, key: string): Piece => {
    const value = (ranges as Readonly<Record<string, Record<string, unknown>>> | undefined)?.[name]?.[key]
    return typeof value === 'number' ? shown.value(value) : String(value ?? '')
  }
  const more = moreThanShown(Object.keys(named).length - listedEntries, 'variables are in result.json of the run.')
  return html`${pageTable<[string, number]>(
    'Best point',
    [
      { title: 'Variable', cell: ([name]) => html`<code>${name}</code>` },
      { title: 'Value', numeric: true, cell: ([, value]) => shown.value(value) },
      { title: 'From', numeric: true, cell: ([name]) => range(name, 'from') },
      { title: 'To', numeric: true, cell: ([name]) => range(name, 'to') },
      { title: 'Scale', cell: ([name]) => range(name, 'scale') },
    ],
    rows,
  )}${more}`
}

/** The first entries of a named point, with dots where there are more. */
export function namedText(
  named: Readonly<Record<string, number>>,
  entries: number,
  text: (value: number) => string,
): string {
  const all = Object.entries(named)
  const first = all.slice(0, entries).map(([name, value]) => `${name} ${text(value)}`)
  return all.length > entries ? `${first.join(', ')}, …` : first.join(', ')
}

/** The first entries of a point, with dots where there are more. */
export function pointText(point: ArrayLike<number>, entries: number, text = readableNumber): string {
  const first = Array.from({ length: Math.min(entries, point.length) }, (_, i) => text(point[i] as number))
  return point.length > entries ? `${first.join(', ')}, …` : first.join(', ')
}

function account(run: RunData): Markup {
  const { result } = run
  const seed = seedOf(run)
  const facts: (readonly [Piece, Piece])[] = [['seed', seed === undefined ? 'unknown' : String(seed)]]
  if (result !== undefined) {
    facts.push(
      ['value at the last point', shown.value(result.last.value)],
      ['answers from the cache', shown.count(result.cacheHits)],
      ['retries', shown.count(result.retries)],
      ['failed queries', shown.count(result.failures.count)],
      ['iterations without a step', shown.count(result.skippedIterations)],
      ['time per query', result.queries > 0 ? secondsText(result.seconds / result.queries) : 'none'],
      ['hash of the points', html`<code class="hash">${result.hash}</code>`],
    )
  }
  return html`<div>${factTable('Account', facts)}</div>`
}

function variables(count: number): string {
  return count === 1 ? '1 variable' : `${countText(count)} variables`
}

function spread(point: ArrayLike<number>): { low: number; high: number; norm: number } {
  let low = Infinity
  let high = -Infinity
  let squares = 0
  for (let i = 0; i < point.length; i++) {
    const entry = point[i] as number
    low = Math.min(low, entry)
    high = Math.max(high, entry)
    squares += entry * entry
  }
  return { low, high, norm: Math.sqrt(squares) }
}

/** The median or mean that leads, or the name of the leader where every group is a single run. */
function middle(groups: readonly RunGroup[]): Tile {
  const first = groups[0] as RunGroup
  if (!groups.some(({ counted }) => counted.length > 1)) {
    return { name: 'Best group', value: html`<span class="words">${first.label}</span>` }
  }
  const name = groups.length > 1 ? `Best ${first.ranking}` : 'Median'
  return { name, value: shown.value(groups.length > 1 ? rankedValue(first) : first.value.median), note: first.label }
}

function runsNote(runs: readonly RunData[], groups: number): string {
  const unfinished = runs.filter((run) => !isFinished(run)).length
  const grouped = groups === 1 ? 'one spec, several seeds' : `in ${countText(groups)} groups`
  return unfinished === 0 ? grouped : `${grouped}, ${countText(unfinished)} not finished`
}

/** Values of different problems can be drawn side by side, but say nothing about each other. */
function problemNote(groups: readonly RunGroup[]): Markup | undefined {
  const problems = problemsOf(groups.map(({ settings }) => settings)).map(({ key }) => key)
  return new Set(problems).size < 2 ? undefined : html`<p class="notice">${unlikeProblems}</p>\n`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => (Number.isNaN(number) ? total : total + number), 0)
}

const stopReasons: Readonly<Record<string, string>> = {
  'max-queries': 'all queries used',
  'max-iterations': 'all iterations done',
  'max-time': 'time was up',
  target: 'target reached',
  converged: 'converged',
  callback: 'stopped by the program',
  aborted: 'stopped by hand',
  'objective-failed': 'the objective failed',
}

const looks: Readonly<Record<string, string>> = {
  finished: 'good',
  failed: 'bad',
  aborted: 'warn',
  interrupted: 'warn',
}

/** Why a run ended, in words. */
export function stopText({ result }: RunData): string {
  return result === undefined ? 'not ended' : stopReasonText(result.stopReason)
}

/** A stop reason in words; itself where there are none. */
export function stopReasonText(reason: string): string {
  return Object.hasOwn(stopReasons, reason) ? (stopReasons[reason] as string) : reason
}

/** The status of a run. */
export function statusBadge({ status }: RunData): Markup {
  return badge(status, looks)
}

/** What a reader of the numbers of an unfinished run must know first; nothing for a finished one. */
export function statusNotice(run: RunData): Markup | undefined {
  const so = `after ${countText(queriesOf(run))} queries`
  const said: Record<string, Markup> = {
    interrupted: html`This run was interrupted ${so}. The numbers below are what it had found by then.${resumeHint(run)}`,
    running: html`This run was still running ${so}, when this page was written. Its numbers are provisional.`,
    aborted: html`This run was stopped by hand ${so}, before its own end.${resumeHint(run)}`,
    failed: html`This run failed ${so}. The numbers below are what it had found by then.`,
  }
  if (run.status === 'finished' && run.result !== undefined) return undefined
  const known = Object.hasOwn(said, run.status)
    ? said[run.status]
    : html`This run has not finished: its status is ${run.status}.`
  return html`<p class="notice">${known}</p>\n`
}

/** Only a name that a shell takes for one word is worth copying into it. */
function resumeHint({ name }: RunData): Markup | undefined {
  return /^[\w./-]+$/.test(name) && !name.startsWith('-')
    ? html` <code>zeroth resume ${name}</code> continues from there.`
    : undefined
}
