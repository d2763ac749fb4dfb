import { shortNumber } from '../../src/app/report/index.ts'
import type { Plan } from '../reproduction/tables/plan.ts'
import type { Arena } from './arenas.ts'
import { baselineEntry, type Entry, type Trial } from './attacks.ts'
import { settingText } from './columns.ts'
import type { Ratio } from './comparison.ts'
import { baseline, contenders, favorite } from './contenders.ts'
import { type JudgedRate, type Judgement, judge, judgedRates, wantedTimes } from './goal.ts'

/** The goal, in words. */
export function goalText({ profile }: Plan): string {
  const rate = profile === 'tuned' ? 'its best rate' : "the paper's rate"
  return `The goal: ${favorite.title} needs at least ${wantedTimes} times fewer queries to the first success than ${baseline.title} at ${rate}, by image and by the means, at no more distortion at the end over the images both fooled, and fools no fewer. It is judged by the averages; the intervals say how sure they are.`
}

/** Whether the goal is met on the images of an arena, and against every rate of ZO-AdaMM; empty while that is open. */
export function findingsOf(arena: Arena, entries: readonly Entry[], trials: readonly Trial[]): string[] {
  return [...goalFinding(arena, entries), ...ratesFinding(arena, judgedRates(trials))]
}

/** A best rate at the edge of those tried may not be the best. */
export function edgeRemarks({ title }: Arena, trials: readonly Trial[]): string[] {
  const titles = contenders.flatMap((contender) => {
    const own = trials.filter((trial) => trial.contender === contender)
    const isAtEdge = own.length > 1 && (own[0]?.isChosen === true || own.at(-1)?.isChosen === true)
    return contender.kind !== 'free' && isAtEdge ? [contender.title] : []
  })
  return titles.length === 0 ? [] : [`${title}: the best rate is at the edge of those tried for ${titles.join(', ')}.`]
}

function goalFinding({ title }: Arena, entries: readonly Entry[]): string[] {
  const own = entries.find(({ contender }) => contender.name === favorite.name)
  const against = baselineEntry(entries)
  if (!isThere(own) || !isThere(against)) return []
  const found = judge(own.runs, against.runs)
  const { comparison } = found
  const { images, seeds, queries, otherQueries, timesFewer, timesFewerOfMeans, firstShare, finalShare } = comparison
  const effort = `${images} images fooled by both${seeds > 1 ? `, ${seeds} seeds` : ''}`
  const rate = against.rate === undefined ? '' : ` at rate ${settingText(against.rate)}`
  if (images === 0) return [`${title}: the goal cannot be judged, no image was fooled by both.`]
  return [
    `${title}: goal ${verdict(found)}. ${favorite.title} needs ${timesText(timesFewerOfMeans.value)} queries to the first success than ${baseline.title}${rate} (${shortNumber(queries)} against ${shortNumber(otherQueries)} on average; image by image a factor of ${ratioText(timesFewer)}), succeeds at first with ${ratioText(firstShare)} of its distortion, ends with ${ratioText(finalShare)} of it, and fools ${percent(found.success)} against ${percent(found.otherSuccess)} (${effort}; intervals of 95 %).`,
  ]
}

function ratesFinding({ title }: Arena, rates: readonly JudgedRate[]): string[] {
  if (rates.length === 0) return []
  const better = rates.filter(({ judgement }) => judgement.isBetter)
  const met = rates.filter(({ judgement }) => judgement.isMet)
  const open = rates.filter((each) => !better.includes(each)).map(openText)
  const lines = [
    `${title}, tuning images: of the ${rates.length} rates of ${baseline.title}, ${favorite.title} is better in queries and in distortion and no worse in success against ${listed(better)}; the goal is met against ${listed(met)}.`,
  ]
  if (open.length > 0) lines.push(`Not against ${open.join('; ')}.`)
  return [lines.join(' ')]
}

function verdict({ isMet, shortfalls }: Judgement): string {
  return isMet ? 'met' : `not met (${shortfalls.join(', ')})`
}

function openText({ rate, judgement: { comparison, success, otherSuccess, isEnough } }: JudgedRate): string {
  if (!isEnough) return `${settingText(rate)} (${comparison.images} images fooled by both, too few to say)`
  const { timesFewer, timesFewerOfMeans, finalShare } = comparison
  const times = Math.min(timesFewer.value, timesFewerOfMeans.value)
  return `${settingText(rate)} (${timesText(times)} queries, ${shortNumber(finalShare.value)} of its distortion, ${percent(success)} against ${percent(otherSuccess)} fooled)`
}

function listed(rates: readonly JudgedRate[]): string {
  return rates.length === 0 ? 'none' : rates.map(({ rate }) => settingText(rate)).join(', ')
}

function isThere(entry: Entry | undefined): entry is Entry {
  return entry?.runs.some(({ report }) => report !== undefined) === true
}

function timesText(times: number): string {
  return times < 1 ? `${shortNumber(1 / times)} times more` : `${shortNumber(times)} times fewer`
}

function ratioText({ value, low, high }: Ratio): string {
  const within = Number.isNaN(low) ? '' : ` (${shortNumber(low)} to ${shortNumber(high)})`
  return `${shortNumber(value)}${within}`
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))} %`
}
