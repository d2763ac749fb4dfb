import type { ComparedRun } from '../../../src/app/report/attack/attack-run.ts'
import { courseBoxes, coursePlaces } from '../../../src/app/report/attack/figures.ts'
import type { AttackCurve } from '../../../src/robustness/index.ts'
import type { PaperTable } from './paper-table.ts'

const measures: readonly (readonly [string, (curve: AttackCurve) => readonly number[]])[] = [
  ['attack loss', ({ loss }) => loss],
  ['squared distortion', ({ l2sq }) => l2sq],
]

/** The boxes of Fig. 1 as numbers, for its file alone. */
export function courseTable(runs: readonly ComparedRun[], file: string): PaperTable {
  const places = coursePlaces(runs)
  return hidden(file, [
    ...['problem', 'method', 'measure', 'iteration', 'images'],
    ...['lowerWhisker', 'lowerQuartile', 'median', 'upperQuartile', 'upperWhisker'],
  ])(
    runs.flatMap((run) =>
      measures.flatMap(([measure, of]) =>
        courseBoxes(run, of, places).flatMap((box, i) => {
          if (box === undefined) return []
          const { count: images, lowerQuartile, median, upperQuartile, whiskers } = box
          const [lowerWhisker, upperWhisker] = whiskers
          const about = { problem: run.problem, method: run.name, measure, iteration: places[i] }
          return [{ ...about, images, lowerWhisker, lowerQuartile, median, upperQuartile, upperWhisker }]
        }),
      ),
    ),
  )
}

/** The lines of Fig. 2 as numbers, for its file alone. */
export function universalTable(runs: readonly ComparedRun[], file: string): PaperTable {
  return hidden(file, ['method', 'iteration', 'queries', 'loss', 'l2sq'])(
    runs.flatMap(({ name, report: { universal } }) =>
      (universal?.curve.iteration ?? []).map((iteration, i) => ({
        method: name,
        iteration,
        queries: universal?.curve.queries[i],
        loss: universal?.curve.loss[i],
        l2sq: universal?.curve.l2sq[i],
      })),
    ),
  )
}

function hidden(file: string, keys: readonly string[]) {
  const columns = keys.map((key) => ({ key, title: key }))
  return (rows: PaperTable['rows']): PaperTable => ({
    file,
    caption: 'The values of the figure',
    isHidden: true,
    columns,
    rows,
  })
}
