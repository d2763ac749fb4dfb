import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Cell, Results } from './experiment.ts'
import { experiments } from './index.ts'
import { planOf, profiles, scales } from './plan.ts'

const nothing: Results = {
  report: () => undefined,
  snapshot: () => undefined,
  picture: () => undefined,
  shape: () => undefined,
  classNames: () => undefined,
}

function cellsOf(options: Parameters<typeof planOf>[0]): Cell[] {
  const plan = planOf(options)
  return [
    ...new Map(experiments.flatMap((each) => each.cells(plan, nothing)).map((cell) => [cell.name, cell])).values(),
  ]
}

describe('a plan', () => {
  test('takes at most so many images and iterations', () => {
    const { sizes } = planOf({ scale: 'full', subject: { model: 'a.onnx' }, count: 20, iterations: 300 })
    expect(sizes.perImage).toEqual({ count: 20, iterations: 300 })
    expect(sizes.patterns).toEqual({ count: 10, iterations: 300 })
    expect(planOf({ scale: 'quick', count: 1000 }).sizes.perImage.count).toBe(12)
  })

  test('is tuned for the embedded classifiers, and follows the paper for others', () => {
    expect(scales.map((scale) => planOf({ scale }).profile)).toEqual(['tuned', 'tuned', 'paper'])
    expect(planOf({ scale: 'full', profile: 'reference' }).sizes).toMatchObject({
      perImage: { count: 100, iterations: 1000 },
      universal: { count: 10, iterations: 20_000 },
    })
  })

  test('that is tuned begins with as many rates for every method; ZO-SMD is tried as ZO-PSGD', () => {
    const names = cellsOf({ scale: 'quick' }).map(({ name }) => name)
    expect(names.every((name) => name.startsWith('search-'))).toBe(true)
    for (const method of [
      'unconstrained-zo-scd',
      'unconstrained-zo-adamm',
      'constrained-zo-psgd',
      'universal-zo-nes',
    ]) {
      expect(names.filter((name) => name.startsWith(`search-${method}-`))).toHaveLength(5)
    }
    expect(names.some((name) => name.includes('smd'))).toBe(false)
  })

  test("that follows the paper has the paper's rates, betas and sizes in its cells", () => {
    const cells = cellsOf({ scale: 'full', subject: { model: 'net.onnx', images: 'photos' } })
    const adamm = cells.find(({ name }) => name === 'per-image-constrained-zo-adamm')
    expect(adamm?.spec).toEqual({
      model: 'net.onnx',
      images: 'photos',
      problem: 'constrained',
      solver: { name: 'zo-adamm', learningRate: { value: 0.01, decay: 'sqrt' }, directions: 10, smoothing: 0.005 },
      lambda: 10,
      kappa: 0,
      count: 100,
      maxIterations: 1000,
      maxQueries: 21_001,
      secondMethod: false,
      seed: 1,
    })
    expect(cells.find(({ name }) => name === 'universal-100x40000-zo-psgd')?.spec).toMatchObject({
      universal: true,
      solver: { learningRate: { value: 3e-4, decay: 'sqrt' } },
    })
    expect(cells.find(({ name }) => name === 'universal-10x20000-zo-psgd')?.snapshots).toEqual([
      1000, 5000, 10_000, 20_000,
    ])
    expect(cells.filter(({ name }) => name.startsWith('betas-'))).toHaveLength(75)
  })

  test("that follows the authors' code has their variants of ZO-AdaMM", () => {
    const cells = cellsOf({ scale: 'full', profile: 'reference', subject: { model: 'net.onnx' } })
    const solvers = cells
      .filter(({ name }) => /^(per-image|universal).*adamm$/.test(name))
      .map(({ spec }) => spec.solver)
    expect(solvers).toMatchObject([
      {
        name: 'zo-adamm',
        initialSecondMoment: 1e-7,
        maxSecondMoment: 'metric-only',
        learningRate: { value: 0.002, decay: 'sqrt' },
      },
      // The comment beside the rate of the code; constrained it has none.
      { name: 'zo-adamm', beta2: 0.9, initialSecondMoment: 1e-7, learningRate: { value: 0.02, decay: 'sqrt' } },
      { name: 'zo-adamm', beta2: 0.9, initialSecondMoment: 1e-7, learningRate: { value: 0.01, decay: 'sqrt' } },
    ])
    expect(cells.every(({ spec }) => spec.kappa === 1e-10)).toBe(true)
  })

  test('with a class has it in all universal attacks and in no others; without one no attack has it', () => {
    const options = { scale: 'full', profile: 'reference', subject: { model: 'net.onnx' } } as const
    const cells = cellsOf({ ...options, class: 10 })
    const universal = cells.filter(({ name }) => name.includes('universal'))
    expect(universal.length).toBeGreaterThan(20)
    expect(universal.every(({ spec }) => spec.class === 10 && spec.universal === true)).toBe(true)
    expect(cells.filter((cell) => !universal.includes(cell)).every(({ spec }) => !('class' in spec))).toBe(true)
    expect(cellsOf(options).some(({ spec }) => 'class' in spec)).toBe(false)
    expect(cellsOf(options).map(({ name }) => name)).toEqual(cells.map(({ name }) => name))
  })

  test("that follows the authors' code says what is open about it; others do not", () => {
    const remarks = (options: Parameters<typeof planOf>[0]) =>
      experiments.flatMap(({ draw }) => draw(planOf(options), nothing).remarks ?? []).join(' ')
    const reference = { scale: 'full', profile: 'reference' } as const
    expect(remarks(reference)).toContain('"0.02 for uncons", which names no method')
    expect(remarks(reference)).toContain('Here they are of all classes: --class chooses one.')
    expect(remarks({ ...reference, class: 10 })).toContain('Here they are of class 10.')
    expect(remarks({ scale: 'full' })).not.toMatch(/for uncons|--class/)
  })

  test.each([
    ['quick', 'tuned', '99ec77134017ca95'],
    ['quick', 'paper', 'e4142f74b87d0f41'],
    ['standard', 'tuned', '3c6193b63028a2b7'],
    ['standard', 'paper', 'c9f9f8119c23482f'],
  ] as const)('of the %s scale, %s, is what it was: folders that were begun go on', (scale, profile, known) => {
    const attacks = cellsOf({ scale, profile }).map(({ name, spec }) => [name, spec])
    // Folders may have been begun with a bare rate, which attacks take for one that decays like this, and without a word
    // on a second method, which they then do not have.
    const bare = (key: string, each: unknown) =>
      key === 'secondMethod' && each === false ? undefined : Object(each).decay === 'sqrt' ? Object(each).value : each
    const digest = createHash('sha256').update(JSON.stringify(attacks, bare)).digest('hex')
    expect(digest.slice(0, 16)).toBe(known)
  })

  test('of the quick scale stays within 1.5 million images classified', () => {
    const paper = cellsOf({ scale: 'quick', profile: 'paper' }).filter(({ name }) => !name.startsWith('search-'))
    const search = cellsOf({ scale: 'quick' })
    const calls = [...paper, ...search].reduce((sum, cell) => sum + cell.calls, 0)
    expect(calls).toBeGreaterThan(1e6)
    expect(calls).toBeLessThan(1.5e6)
  })

  test('draws from nothing without an error, whatever the scale and the profile', () => {
    for (const scale of scales) {
      for (const profile of profiles) {
        const plan = planOf({ scale, profile })
        for (const experiment of experiments) expect(experiment.draw(plan, nothing)).toBeTypeOf('object')
      }
    }
  })
})
