import { luckyValue } from '../../../optimizer/core/ledger.ts'
import type { Phase } from '../../../optimizer/core/types.ts'
import { variableText } from '../../../optimizer/core/variable.ts'
import type { NamedPoint, Value, Variables } from '../../../optimizer/core/variable-types.ts'
import { flatPoint } from '../../../optimizer/core/variables.ts'
import { html, type Markup, type Piece } from '../markup.ts'
import {
  counted,
  countText,
  exactNumber,
  queriesText,
  readableNumber,
  secondsText,
  shortened,
  variableValue,
} from '../number-text.ts'
import {
  badge,
  factTable,
  moreThanShown,
  type PageColumn,
  pageTable,
  type Section,
  shown,
  type Tile,
  tiles,
} from '../page/elements.ts'
import {
  bestValue,
  hasLuckyAnswers,
  isFinished,
  iterationsOf,
  order,
  problemsOf,
  queriesOf,
  type RunData,
  type RunEnd,
  type RunGroup,
  rankedValue,
  secondsOf,
  seedOf,
  unlikeProblems,
} from './runs.ts'

const longest = 80

/** A page about runs in a few plain sentences: what was found, what it cost, and what to be careful with. */
export function summaryOf(groups: readonly RunGroup[]): Markup {
  const runs = groups.flatMap((group) => group.runs)
  const [only, ...others] = runs
  if (only === undefined) return html``
  const found = others.length === 0 ? ofOne(only) : groups.length === 1 ? ofSeeds(runs, only) : ofGroups(groups, runs)
  return html`${found}${troubleText(runs)}`
}

function ofOne(run: RunData): Markup {
  const value = bestValue(run)
  const cost = html`${queriesText(queriesOf(run))} in ${shown.duration(secondsOf(run))}`
  if (Number.isNaN(value)) return html`${solverOf(run)} has found no value of ${objectiveOf(run)} yet, after ${cost}.`
  const first = run.trace.best[0] ?? value
  const fell = first > value ? html`, down from ${shown.value(first)} at the start` : undefined
  const why = reasons[run.result?.stopReason ?? '']
  const stopped = why === undefined ? '' : ` It stopped because ${why}.`
  return html`${solverOf(run)} brought ${objectiveOf(run)} to <strong>${shown.value(value)}</strong>${fell}, with ${cost}.${stopped}`
}

function ofSeeds(runs: readonly RunData[], first: RunData): Markup {
  const values = runs.map(bestValue).sort(order)
  const [low, middle, high] = [values[0], values[Math.floor((values.length - 1) / 2)], values.at(-1)]
  return html`${countText(runs.length)} runs of ${solverOf(first)} on ${objectiveOf(first)}, which differ in their seeds: half of them ended at <strong>${shown.value(middle)}</strong> or below, the best at ${shown.value(low)}, the worst at ${shown.value(high)}.`
}

function ofGroups(groups: readonly RunGroup[], runs: readonly RunData[]): Markup {
  const [best, next] = groups as readonly [RunGroup, RunGroup]
  const each = groups.some((group) => group.counted.length > 1) ? `a ${best.ranking} of ` : ''
  return html`${countText(runs.length)} runs in ${countText(groups.length)} groups. <strong>${best.label}</strong> has the lowest values, with ${each}${shown.value(rankedValue(best))}; next is ${next.label}, with ${shown.value(rankedValue(next))}.`
}

/** What a reader must not overlook. */
function troubleText(runs: readonly RunData[]): string {
  const unfinished = runs.filter((run) => !isFinished(run)).length
  const failed = runs.reduce((sum, { result }) => sum + (result?.failures.count ?? 0), 0)
  const warned = runs.filter(({ result }) => (result?.warnings.length ?? 0) > 0).length
  return [
    unfinished > 0 && runs.length > 1 ? ` ${isOrAre(unfinished, 'run')} not finished.` : '',
    unfinished > 0 && runs.length === 1 ? ' It has not finished.' : '',
    failed > 0 ? ` ${queriesText(failed)} failed.` : '',
    warned > 0 ? ' There are warnings below.' : '',
  ].join('')
}

function isOrAre(count: number, thing: string): string {
  return count === 1 ? `1 ${thing} is` : `${countText(count)} ${thing}s are`
}

function solverOf({ meta: { spec } }: RunData): string {
  return shortened(nameOf(spec.solver) ?? 'The method', longest)
}

/** What was minimised: a test problem by its name, a program, module or service by its own. */
function objectiveOf({ meta: { spec } }: RunData): string {
  const { command, module, url, function: called } = (spec.objective ?? {}) as Readonly<Record<string, unknown>>
  const program = Array.isArray(command) ? command.join(' ') : command
  const own = [program, module, url, called].find((each) => typeof each === 'string')
  return shortened(String(own ?? nameOf(spec.objective) ?? 'the objective'), longest)
}

function nameOf(part: unknown): string | undefined {
  const name = typeof part === 'string' ? part : (part as { readonly name?: unknown } | null | undefined)?.name
  return typeof name === 'string' ? name : undefined
}

const reasons: Readonly<Record<string, string>> = {
  'max-queries': 'it had used all its queries',
  'max-iterations': 'it had done all its iterations',
  'max-time': 'its time was up',
  target: 'it reached its target',
  patience: 'it had not become better for long enough',
  converged: 'it converged',
  callback: 'the program stopped it',
  aborted: 'it was interrupted',
  'objective-failed': 'the objective failed',
}

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
export const luckyNote = 'lowest noisy evaluation (optimistic)'

function valueNote(run: RunData): string | undefined {
  if (run.result?.warnings.includes(luckyValue) === true) return luckyNote
  const estimate = run.result?.estimate
  return estimate === undefined ? exactly(bestValue(run)) : estimateNote(estimate)
}

/** What a noisy run knows of its value: the large figure is one answer. */
export function estimateNote({ mean, error, answers }: NonNullable<RunEnd['estimate']>): string {
  return `mean of ${counted(answers, 'answer')} there: ${readableNumber(mean)} ± ${readableNumber(error)}`
}

/** A best value with all its digits, if it has more than the large figure shows. */
function exactly(value: number): string | undefined {
  return Number.isNaN(value) || exactNumber(value) === readableNumber(value) ? undefined : exactNumber(value)
}

function pointPart({ result, meta }: RunData): Markup {
  if (result === undefined || result.point.length === 0) {
    return html`<div><h3>Best point</h3><p>It is known when the run has ended.</p></div>`
  }
  const { point, variables: named } = result
  if (named !== undefined)
    return html`<div>${variablesTable(named, (meta.spec.variables ?? {}) as unknown as Variables)}</div>`
  const { low, high, norm } = spread(point)
  return html`<div><h3>Best point</h3>
<p>${variables(point.length)} between ${shown.value(low)} and ${shown.value(high)}; length ${shown.value(norm)}.</p>
<p class="entries">${pointText(point, listedEntries)}</p></div>`
}

/** The best point in own units, beside what was searched. */
function variablesTable(named: NamedPoint, searched: Variables): Markup {
  const all = flatPoint(named)
  const more = moreThanShown(all.length - listedEntries, 'variables are in result.json of the run.')
  return html`${pageTable<[string, Value]>(
    'Best point',
    [
      { title: 'Variable', cell: ([name]) => html`<code>${name}</code>` },
      {
        title: 'Value',
        numeric: true,
        cell: ([, value]) =>
          typeof value === 'number' && !Number.isInteger(value) ? shown.value(value) : variableValue(value),
      },
      { title: 'Range', cell: ([name]) => (searched[name] === undefined ? '' : variableText(searched[name])) },
    ],
    all.slice(0, listedEntries),
  )}${more}`
}

/** The first entries of a named point, with dots if there are more. */
export function namedText(named: NamedPoint, entries: number, text: (value: number) => string): string {
  const all = flatPoint(named)
  const first = all.slice(0, entries).map(([name, value]) => `${name} ${variableValue(value, text)}`)
  return all.length > entries ? `${first.join(', ')}, …` : first.join(', ')
}

/** The first entries of a point, with dots if there are more. */
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

/** The median or mean that leads, or the name of the leader if every group is a single run. */
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
  patience: 'patience was over',
  converged: 'converged',
  callback: 'stopped by the program',
  aborted: 'interrupted',
  'objective-failed': 'the objective failed',
}

const looks: Readonly<Record<string, string>> = {
  finished: 'good',
  failed: 'bad',
  interrupted: 'warn',
}

/** Why a run ended, in words. */
export function stopText({ result }: RunData): string {
  return result === undefined ? 'not ended' : stopReasonText(result.stopReason)
}

/** A stop reason in words; itself if there are none. */
export function stopReasonText(reason: string): string {
  return Object.hasOwn(stopReasons, reason) ? (stopReasons[reason] as string) : reason
}

/** The status of a run. */
export function statusBadge({ status }: RunData): Markup {
  return badge(status === 'aborted' ? 'interrupted' : status, looks)
}

/** What a reader of the numbers of an unfinished run must know first; nothing for a finished one. */
export function statusNotice(run: RunData): Markup | undefined {
  const so = `after ${countText(queriesOf(run))} queries`
  const interrupted = html`This run was interrupted ${so}. The numbers below are what it had found by then.${resumeHint(run)}`
  const said: Record<string, Markup> = {
    interrupted,
    running: html`This run was still running ${so}, when this page was written. Its numbers are provisional.`,
    aborted: interrupted,
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

/** What a method that chooses for itself did, phase by phase; undefined for other methods. */
export function runPhases(run: RunData): Section | undefined {
  const { result } = run
  if (result?.phases === undefined) return undefined
  const columns: PageColumn<Phase>[] = [
    { title: 'Method', cell: ({ method }) => method },
    { title: 'Queries', numeric: true, cell: ({ queries }) => shown.count(queries) },
    {
      title: hasLuckyAnswers(run) ? 'Lowest answer then' : 'Best value then',
      numeric: true,
      cell: ({ value }) => shown.value(value),
    },
    { title: 'Why', cell: ({ why }) => html`<span class="reason">${why}</span>` },
  ]
  const content = pageTable('What the method chose, and why', columns, result.phases)
  return { id: 'phases', title: 'What it did', content }
}
