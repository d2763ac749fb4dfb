import { html, type Markup } from '../markup.ts'
import { shown } from '../number-markup.ts'
import { countText, shortened } from '../number-text.ts'
import { bestValue, isFinished, queriesOf, type RunData, secondsOf } from './run-data.ts'
import { order, type RunGroup, rankedValue } from './run-groups.ts'

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

function queriesText(count: number): string {
  return count === 1 ? '1 query' : `${countText(count)} queries`
}

function solverOf({ meta: { spec } }: RunData): string {
  return shortened(nameOf(spec.solver) ?? 'The method', longest)
}

/** What was minimised: a test problem by its name, a program, module or service by its own. */
function objectiveOf({ meta: { spec } }: RunData): string {
  const { command, module, url } = (spec.objective ?? {}) as Readonly<Record<string, unknown>>
  const program = Array.isArray(command) ? command.join(' ') : command
  const own = [program, module, url].find((each) => typeof each === 'string')
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
  converged: 'it converged',
  callback: 'the program stopped it',
  aborted: 'it was stopped by hand',
  'objective-failed': 'the objective failed',
}
