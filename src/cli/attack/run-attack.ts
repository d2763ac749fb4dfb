import { resolve } from 'node:path'
import { rateLine } from '../../report/attack/attack-settings.ts'
import { completeEvaluationPage } from '../../report/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { type Evaluation, openEvaluation, readEvaluation } from '../../work/evaluation/index.ts'
import type { WorkEnd, WorkEvent } from '../../work/events.ts'
import { exitCodes } from '../exit-codes.ts'
import { print } from '../output.ts'
import type { Watcher, WatchFlags } from '../watch.ts'
import { type AttackLineOptions, attackLine } from './attack-line.ts'
import { concludeAttack } from './conclude-attack.ts'

/**
 * Continues the evaluation in a folder and prints its result. One that has finished asks nothing, unless images failed
 * because the model did not respond: those are tried again.
 */
export async function resumeAttack(folder: string, flags: WatchFlags, watching: Watcher): Promise<number> {
  return runAttack(await openEvaluation(folder), flags, watching)
}

/** Performs an evaluation and prints its result; returns the exit code. */
export async function runAttack(evaluation: Evaluation, flags: WatchFlags, watching: Watcher): Promise<number> {
  const { folder, record } = evaluation
  const { spec, rateSource } = record
  const rate = evaluation.result() === undefined ? rateLine(spec.solver as JsonObject, rateSource) : undefined
  if (rate !== undefined) watching.say(rate)
  const events = evaluation.perform({ signal: watching.signal })
  const end = await showEvents(events, watching, { universal: spec.universal === true })
  if (end === 'interrupted') return interrupted(folder, flags, watching)
  const attack = readEvaluation(folder)
  await completeEvaluationPage(folder)
  return concludeAttack(attack, flags, watching)
}

/** Shows the events of an evaluation as they come, progress in a line that changes; returns how it ended. */
export async function showEvents(
  events: AsyncIterable<WorkEvent>,
  watching: Watcher,
  options: AttackLineOptions,
): Promise<WorkEnd | undefined> {
  const line = attackLine(options)
  const hide = watching.display(line)
  let end: WorkEnd | undefined
  try {
    for await (const event of events) {
      line.take(event)
      if (event.type === 'warning') warned[event.code](event.message, watching)
      if (event.type === 'finished') end = event.status
    }
  } finally {
    hide()
  }
  return end
}

/** How warnings are said: what went wrong with the images even where nothing else is to be said. */
const warned = {
  note: (text: string, { say }: Watcher) => say(`zeroth: ${text}`),
  settings: (text: string, { say }: Watcher) => say(text),
  result: (text: string, { say }: Watcher) => say(text),
  model: (text: string, { say }: Watcher) => say(`warning: ${text}`),
  images: (text: string, { warn }: Watcher) => warn(`warning: ${text}`),
} as const

/** Says that an evaluation can be continued. */
function interrupted(folder: string, { json }: WatchFlags, watching: Watcher): number {
  if (json === true) print(JSON.stringify({ status: 'aborted', run: resolve(folder) }))
  watching.say(`interrupted and saved: zeroth resume ${folder} goes on`)
  return exitCodes.interrupted
}
