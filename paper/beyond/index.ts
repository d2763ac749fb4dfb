import type { Experiment } from '../reproduction/tables/experiment.ts'
import type { Plan } from '../reproduction/tables/plan.ts'
import { arenasOf, enrolled } from './arenas.ts'
import { entriesOf, trialsOf } from './attacks.ts'
import { isHeldOut } from './columns.ts'
import { curvesTable, ratesTable } from './curve-tables.ts'
import { edgeRemarks, findingsOf, goalText } from './findings.ts'
import { pairedTable, resultTable } from './result-tables.ts'
import { tradeOff } from './trade-off.ts'

/** Beyond the paper: fewer queries at no more distortion, against the paper's methods at their best and others. */
export const beyond: Experiment = {
  name: 'beyond',
  title: 'Beyond the paper: queries to success against distortion',
  cells: (plan, results) =>
    arenasOf(plan).flatMap((arena) => {
      const runs = entriesOf(arena, results).flatMap(({ contender, runs }) =>
        runs.map(({ cell }) => enrolled(arena, cell, contender.turn)),
      )
      // The search for a rate comes with its method; curves of methods without one can wait.
      const trials = trialsOf(arena, results).map(({ contender, cell }) =>
        enrolled(arena, cell, contender.kind === 'free' ? Math.max(1, contender.turn) : contender.turn),
      )
      return [...runs, ...trials]
    }),
  draw(plan, results) {
    const arenas = arenasOf(plan).map((arena) => ({
      arena,
      entries: entriesOf(arena, results),
      trials: trialsOf(arena, results),
    }))
    const tuned = arenas.filter(({ trials }) => trials.length > 0)
    return {
      findings: [goalText(plan), ...arenas.flatMap(({ arena, entries, trials }) => findingsOf(arena, entries, trials))],
      figures: tradeOff(arenas),
      tables: [
        ...arenas.map(({ arena, entries }) => resultTable(arena, entries)),
        ...arenas.map(({ arena, entries }) => pairedTable(arena, entries)),
        ...tuned.map(({ arena, trials }) => ratesTable(arena, trials)),
        ...tuned.map(({ arena, trials }) => curvesTable(arena, trials)),
      ],
      remarks: [...arenas.flatMap(({ arena, trials }) => edgeRemarks(arena, trials)), ...remarksOn(plan)],
    }
  },
}

function remarksOn(plan: Plan): string[] {
  return [equalQueries, ratesRemark(plan), ...remarks]
}

const defaults = 'zeroth and the specialists have their defaults; those of zeroth were chosen on tuning images'

function ratesRemark(plan: Plan): string {
  if (plan.profile !== 'tuned') {
    return `Nothing was tuned for this network: the paper's methods have its rates, the single changes rates that were found to suit large photographs. ${defaults} of other data.`
  }
  const where = isHeldOut(plan) ? 'on the tuning images' : 'on the first of the images themselves'
  return `The rate of every method that has one is that of the smallest mean objective ${where}, of as many rates for each, spaced alike. ${defaults}.`
}

const equalQueries =
  'Queries are equal for all methods: those of the paper ask 11 in each of their iterations and one at the end. At the end means the last point evaluated, for zeroth the best one it found: it returns that.'

const remarks = [
  'Scalar step: one second moment for all pixels. DCT subspace: ZO-AdaMM along orthogonal directions in the low frequencies of each channel. Both: the two together.',
  'SimBA, Square and SignHunter are designed for a quick first success within a given distance, not for small perturbations: their attacks end with it. two-phase is SimBA until then and zeroth after it. They are listed for information.',
  'An image counts once, however many seeds there are: intervals of comparisons are over images (Student; ratios of means to first order), those of the averages over seeds.',
]
