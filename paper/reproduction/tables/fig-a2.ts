import { encodePng } from '../../../src/robustness/images/index.ts'
import type { ImageRecord } from '../../../src/robustness/index.ts'
import { pictureFigure } from '../page/figures.ts'
import type { PictureRow } from '../page/picture-chart.ts'
import { snapshotsOf } from './cells.ts'
import type { Drawing, Experiment, Results } from './experiment.ts'
import { figureA2 as published } from './published.ts'
import { type UniversalAttack, universalAttacks, universalCells } from './table-2.ts'

const shown = 4

/** Fig. A2: how the perturbation grows, how large it is, and what the model then sees. */
export const figA2: Experiment = {
  name: 'fig-a2',
  title: 'Fig. A2: patterns of the universal perturbation',
  cells: (plan, results) => universalCells(plan, results, 'patterns'),
  draw(plan, results): Drawing {
    const iterations = snapshotsOf(plan.sizes.patterns)
    const attacks = universalAttacks(plan, results, 'patterns').filter(({ report }) => report !== undefined)
    const patterns = attacks.map((attack) => patternsOf(attack, results, iterations))
    const rows = attacks.map(
      (attack, i): PictureRow => ({
        title: attack.method.title,
        pictures: [...(patterns[i] ?? []), ...examplesOf(attack, results)],
      }),
    )
    const caption =
      'The size of the perturbation of each pixel at some iterations, darkest where it is largest, with the largest change below; then pictures it changes, with what the model sees in them as they are shown, rounded to 8 bits'
    const heads = [
      ...iterations.map((iteration) => `iteration ${iteration}`),
      ...Array.from({ length: shown }, (_, i) => `example ${i + 1}`),
    ]
    return {
      figures: pictureFigure(rows, { file: 'fig-a2', caption, heads }),
      tables: [
        {
          file: 'fig-a2',
          caption:
            'Largest change of a pixel, where pixels go from 0 to 1; the paper at 1000, 5000, 10,000 and 20,000 iterations',
          columns: [
            { key: 'method', title: 'method' },
            ...iterations.flatMap((iteration, i) => [
              { key: `at${iteration}`, title: `iteration ${iteration}`, as: 'number' as const },
              { key: `paper${i}`, title: 'paper', as: 'number' as const, paper: true, digits: 3 },
            ]),
          ],
          rows: attacks.map(({ method }, i) => ({
            method: method.title,
            ...Object.fromEntries(iterations.map((each, k) => [`at${each}`, patterns[i]?.[k]?.largest])),
            ...Object.fromEntries(iterations.map((_, k) => [`paper${k}`, published[method.name]?.[k]])),
          })),
        },
      ],
      pictures: Object.fromEntries(
        attacks.flatMap(({ method }, i) =>
          (patterns[i] ?? []).flatMap(({ png }, k) =>
            png === undefined ? [] : [[`fig-a2-${method.name}-${iterations[k]}`, png] as const],
          ),
        ),
      ),
    }
  },
}

function patternsOf({ cell }: UniversalAttack, results: Results, iterations: readonly number[]) {
  const shape = results.shape(cell)
  return iterations.map((iteration) => {
    const delta = results.snapshot(cell, iteration)
    if (delta === undefined || shape === undefined) return { png: undefined, text: '', largest: undefined }
    // What counts is the size: of a pixel of several colours, the largest of its changes.
    const plane = shape.height * shape.width
    const sizes = Float64Array.from({ length: plane }, (_, i) =>
      Array.from({ length: shape.channels }, (_, c) => Math.abs(delta[c * plane + i] ?? 0)).reduce(
        (a, b) => Math.max(a, b),
        0,
      ),
    )
    const largest = sizes.reduce((most, size) => Math.max(most, size), 0)
    const pixels = sizes.map((size) => 1 - size / (largest || 1))
    const png = encodePng({ shape: { ...shape, channels: 1 }, pixels })
    return { png, text: `max ${largest.toFixed(3)}`, largest }
  })
}

function examplesOf({ cell, report }: UniversalAttack, results: Results) {
  const names = results.classNames(cell)
  const named = (label: number | null | undefined): string =>
    label == null ? 'unknown' : (names?.[label] ?? `class ${label}`)
  const attacked = (report?.images ?? []).filter(({ saved }) => saved !== null)
  // What is shown has 8 bits: a success may fall back behind the boundary with them.
  const rankOf = ({ status, success8bit }: ImageRecord): number =>
    success8bit === true ? 0 : status === 'fooled' ? 1 : 2
  return [...attacked]
    .sort((one, other) => rankOf(one) - rankOf(other))
    .slice(0, shown)
    .map(({ files, label, saved }) => {
      const png = files?.adversarial === undefined ? undefined : results.picture(cell, files.adversarial)
      return { png, text: `${named(label)} → ${named(saved?.predicted)}` }
    })
}
