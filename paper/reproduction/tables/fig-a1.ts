import { betaReports } from '../../claims/claim-data.ts'
import { type HeatPanel, heatFigure } from '../page/figures.ts'
import { betaCell, betaGrid } from './cells.ts'
import type { Cell, Experiment, Results } from './experiment.ts'
import type { Plan } from './plan.ts'
import { chosenRate, type RateProblem, triedRates } from './rates.ts'

const maps: readonly (readonly [RateProblem, string])[] = [
  ['unconstrained', '(a) unconstrained'],
  ['constrained', '(b) constrained'],
  ['universal', '(c) universal'],
]

/** Fig. A1: the objective over the two betas of ZO-AdaMM. */
export const figA1: Experiment = {
  name: 'fig-a1',
  title: 'Fig. A1: the betas of ZO-AdaMM',
  cells: (plan, results) => maps.flatMap(([problem]) => cellsOf(plan, results, problem)),
  draw(plan, results) {
    const { betas, universalBetas } = plan.sizes
    const caption = `Mean objective at the end over beta1 and beta2 at one learning rate: ${betas.count} images and ${betas.iterations} iterations; universal ${universalBetas.count} and ${universalBetas.iterations} (the paper: one image, universal 10, 1000 iterations). The least is framed`
    return {
      tables: [
        {
          file: 'fig-a1',
          caption: 'The values of the figure',
          isHidden: true,
          columns: ['problem', 'beta1', 'beta2', 'objective', 'success'].map((key) => ({ key, title: key })),
          rows: maps.flatMap(([problem]) => rowsOf(plan, results, problem)),
        },
      ],
      figures: heatFigure(
        maps.map(
          ([problem, title]): HeatPanel => ({
            title,
            xLabel: 'beta2',
            yLabel: 'beta1',
            ticks: betaGrid.map(String),
            values: rowsOf(plan, results, problem).map(({ beta1, beta2, objective }) => ({
              x: betaGrid.indexOf(beta2),
              y: betaGrid.indexOf(beta1),
              value: objective ?? Number.NaN,
            })),
          }),
        ),
        { file: 'fig-a1', caption },
      ),
      remarks: [rateRemark(plan)],
    }
  },
}

/** One rate for all pairs suits some of them better than others. */
function rateRemark({ profile, sizes: { search, betas } }: Plan): string {
  const alone = 'other pairs might do better at a rate of their own'
  if (profile !== 'tuned') return `All pairs have the rate that belongs to betas 0.9 and 0.3: ${alone}.`
  const found = `The rate was searched at betas 0.9 and 0.3 with ${search.iterations} iterations: ${alone}`
  if (search.iterations === betas.iterations) return `${found}.`
  return `${found}, and with the ${betas.iterations} of the maps those that take smaller steps are at a disadvantage.`
}

function cellsOf(plan: Plan, results: Results, problem: RateProblem): Cell[] {
  const search = plan.profile === 'tuned' ? triedRates(plan, problem, 'zo-adamm').map(({ cell }) => cell) : []
  const rate = chosenRate(plan, results, problem, 'zo-adamm')
  if (rate === undefined) return search
  const pairs = betaGrid.flatMap((beta1) => betaGrid.map((beta2) => [beta1, beta2] as const))
  return [...search, ...pairs.map((pair) => betaCell(plan, problem, rate, pair))]
}

function rowsOf(plan: Plan, results: Results, problem: RateProblem) {
  return betaReports(plan, results, problem).map(([pair, report]) => {
    const [beta1 = Number.NaN, beta2 = Number.NaN] = pair.split(' ').map(Number)
    const { finalObjective, attackSuccessRate } = report?.summary ?? {}
    return { problem, beta1, beta2, objective: finalObjective?.mean, success: attackSuccessRate }
  })
}
