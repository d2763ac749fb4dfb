import { describe, expect, test } from 'vitest'
import type { AttackReport } from '../../src/robustness/index.ts'
import { betaGrid } from '../reproduction/tables/cells.ts'
import { type Course, courseReport } from '../test/course-report.ts'
import { type ClaimData, judgeClaims } from './claims.ts'

type Courses = Readonly<Record<string, Course>>

const unconstrained: Courses = {
  'zo-scd': { first: 45, finalL2sq: 8, rows: 21 },
  'zo-sgd': { first: 40, finalL2sq: 5 },
  'zo-sign-sgd': { first: 30, firstL2sq: 2, finalL2sq: 3 },
  'zo-adamm': { first: 10, finalL2sq: 1 },
}
const constrained: Courses = {
  'zo-nes': { first: 30, firstL2sq: 3, finalL2sq: 6 },
  'zo-psgd': { first: 40, finalL2sq: 4 },
  'zo-smd': { first: 40, finalL2sq: 4 },
  'zo-adamm': { first: 12, finalL2sq: 1 },
}
const reports = (courses: Courses) => new Map(Object.entries(courses).map(([name, each]) => [name, courseReport(each)]))
/** The better of two kinds of pairs of betas. */
const betas = (better: (beta1: number, beta2: number) => boolean, images = 10) =>
  new Map(
    betaGrid.flatMap((beta1) =>
      betaGrid.map((beta2) => {
        const finalL2sq = better(beta1, beta2) ? 1 : 2
        return [`${beta1} ${beta2}`, courseReport({ images, first: 10, finalL2sq })] as const
      }),
    ),
  )
const asRecommended = (beta1: number, beta2: number): boolean => beta1 === 0.9 && beta2 >= 0.3 && beta2 <= 0.5

/** A universal attack: the share of the images fooled, and how far the objective falls by when. */
const universalReport = (course: { fooled: number; finalL2sq: number; fallsAt: number }): AttackReport => {
  const iteration = Array.from({ length: 101 }, (_, i) => i)
  const images = courseReport({ first: 10, finalL2sq: course.finalL2sq }).images.map((image, index) => {
    const isFooled = index < 10 * course.fooled
    return { ...image, final: image.final && { ...image.final, fooled: isFooled } }
  })
  const fell = (i: number): boolean => i >= course.fallsAt
  const curve = {
    iteration,
    queries: iteration.map((i) => 1 + 11 * i),
    loss: iteration.map((i) => (fell(i) ? 0 : 2)),
    l2sq: iteration.map((i) => (fell(i) ? course.finalL2sq : 0)),
    linf: iteration.map(() => 0.1),
    fooled: iteration.map((i) => (fell(i) ? course.fooled : 0)),
  }
  const universal = { curve, queries: 1101, images: 10, modelCalls: 11_010 }
  return { summary: courseReport({ first: 10, finalL2sq: 1 }).summary, images, universal, warnings: [] }
}
const universals = {
  'zo-nes': { fooled: 0, finalL2sq: 6, fallsAt: 40 },
  'zo-psgd': { fooled: 0.1, finalL2sq: 4, fallsAt: 40 },
  'zo-smd': { fooled: 0.1, finalL2sq: 4, fallsAt: 40 },
  'zo-adamm': { fooled: 1, finalL2sq: 2, fallsAt: 20 },
}
const universal = (changes: Partial<typeof universals> = {}) =>
  new Map(Object.entries({ ...universals, ...changes }).map(([name, each]) => [name, universalReport(each)]))

/** What the paper says, as it would look in data. */
const asClaimed: ClaimData = {
  perImage: { unconstrained: reports(unconstrained), constrained: reports(constrained) },
  universal: universal(),
  betas: { unconstrained: betas(asRecommended), constrained: betas(asRecommended), universal: new Map() },
}

const verdicts = (data: ClaimData) =>
  Object.fromEntries(judgeClaims(data).map(({ id, verdict }) => [id, verdict.replace(' from this scale', '')]))

const changed = (
  problem: 'constrained' | 'unconstrained',
  method: string,
  course: Course,
  data: ClaimData = asClaimed,
): ClaimData => {
  const perImage = { ...data.perImage, [problem]: new Map(data.perImage[problem]).set(method, courseReport(course)) }
  return { ...data, perImage }
}

describe('the claims of the paper', () => {
  test('hold in data that are as the paper says', () => {
    const ids = ['C1', 'C2', 'C3', 'C4', 'C5a', 'C5b', 'C6', 'C7', 'C8', 'C9']
    expect(verdicts(asClaimed)).toEqual(Object.fromEntries(ids.map((id) => [id, 'holds'])))
  })

  test('come with a line of evidence per comparison, at equal iterations and at equal queries', () => {
    const [c1] = judgeClaims(asClaimed)
    expect(c1?.iterations.evidence).toHaveLength(6)
    expect(c1?.queries.evidence).toHaveLength(6)
    expect(c1?.iterations.evidence[0]).toMatchObject({
      problem: 'unconstrained',
      method: 'ZO-AdaMM',
      other: 'ZO-SCD',
      measure: 'objective, at 100 iterations',
      pairs: 10,
      direction: 'less',
    })
    expect(c1?.queries.evidence[0]?.measure).toBe('objective, at 1,101 queries')
  })

  test('C1, C5 and C9 do not hold where one method is clearly better', () => {
    const found = verdicts(changed('constrained', 'zo-psgd', { first: 5, finalL2sq: 0.5 }))
    const against = { C1: 'does not hold', C5a: 'does not hold', C5b: 'does not hold', C9: 'does not hold' }
    expect(found).toMatchObject({ ...against, C2: 'holds', C3: 'holds', C8: 'holds' })
  })

  test('C5a cannot be said where one method succeeds as early, though C5b holds where it does not get as low', () => {
    expect(verdicts(changed('constrained', 'zo-psgd', { first: 12, finalL2sq: 4 }))).toMatchObject({
      C1: 'holds',
      C5a: 'cannot be said',
      C5b: 'holds',
    })
  })

  test('C5b does not hold where another method alone comes near the lowest objective, however early ZO-AdaMM succeeds', () => {
    const farther = changed('constrained', 'zo-adamm', { first: 10, finalL2sq: 1.5 })
    const lower = changed('constrained', 'zo-psgd', { first: 40, finalL2sq: 0.1 }, farther)
    expect(verdicts(lower)).toMatchObject({ C5a: 'holds', C5b: 'does not hold' })
    const evidence = judgeClaims(lower).find(({ id }) => id === 'C5b')?.iterations.evidence
    expect(evidence?.find(({ other }) => other === 'ZO-PSGD')).toMatchObject({
      pairs: 10,
      mean: 101,
      direction: 'more',
    })
  })

  test('C2 does not hold where the distortion falls after the first success', () => {
    const found = verdicts(changed('constrained', 'zo-nes', { first: 30, firstL2sq: 6, finalL2sq: 5 }))
    expect(found.C2).toBe('does not hold')
  })

  test('C3 at equal queries counts what ZO-SCD asks: an image it did not fool in time counts as one it never fooled', () => {
    const slow = judgeClaims(changed('unconstrained', 'zo-scd', { first: 45, finalL2sq: 5, rows: 21 }))
    const evidence = (by: 'iterations' | 'queries') =>
      slow.find(({ id }) => id === 'C3')?.[by].evidence.find(({ other }) => other === 'ZO-SGD')
    expect(evidence('iterations')?.measure).toBe('iterations to first success, at 100 iterations')
    expect(evidence('iterations')?.mean).toBe(45.5)
    expect(evidence('queries')?.mean).toBe((1 + 21 * 45 + 1 + 21 * 46) / 2)
    const late = judgeClaims(changed('unconstrained', 'zo-scd', { first: 60, finalL2sq: 5, rows: 21 }))
    expect(late.find(({ id }) => id === 'C3')?.queries.evidence[0]?.mean).toBe(1102)
  })

  test('C3 does not hold where ZO-SCD ends nearer than another method, nor can it be said where it fooled nothing', () => {
    const near = verdicts(changed('unconstrained', 'zo-scd', { first: 60, finalL2sq: 1, rows: 21 }))
    expect(near.C3).toBe('does not hold')
    const none = judgeClaims(changed('unconstrained', 'zo-scd', { first: null, finalL2sq: 9, rows: 21 }))
    const c3 = none.find(({ id }) => id === 'C3')
    expect(c3?.verdict).toBe('cannot be said from this scale')
    expect(c3?.iterations.evidence.map(({ pairs }) => pairs)).toEqual([10, 10, 10, 0, 0, 0])
  })

  test('C4 does not hold where the recommended betas are worse than the mean, or beta2 = 0.9 is the best', () => {
    const withConstrained = (constrained: ClaimData['betas']['constrained']) =>
      verdicts({ ...asClaimed, betas: { ...asClaimed.betas, constrained } }).C4
    expect(withConstrained(betas((beta1) => beta1 < 0.9))).toBe('does not hold')
    expect(withConstrained(betas((_, beta2) => beta2 === 0.9))).toBe('does not hold')
    // The pairs that are best need not be those recommended, as long as these perform well.
    expect(
      withConstrained(betas((beta1, beta2) => asRecommended(beta1, beta2) || (beta1 === 0.1 && beta2 === 0.1))),
    ).toBe('holds')
    expect(withConstrained(betas(asRecommended, 4))).toBe('cannot be said')
  })

  test('C6 and C7 do not hold where another universal attack is nearer, and cannot be said where it is about as near', () => {
    const data = (changes: Partial<typeof universals>) => verdicts({ ...asClaimed, universal: universal(changes) })
    const nearer = data({ 'zo-nes': { fooled: 0, finalL2sq: 1, fallsAt: 40 } })
    expect(nearer).toMatchObject({ C6: 'does not hold', C7: 'does not hold' })
    const asNear = data({ 'zo-nes': { fooled: 0, finalL2sq: 2.1, fallsAt: 40 } })
    expect(asNear).toMatchObject({ C6: 'cannot be said', C7: 'cannot be said' })
  })

  test('C6 does not hold where another universal attack fools more, C7 where another is faster', () => {
    const data = (changes: Partial<typeof universals>) => verdicts({ ...asClaimed, universal: universal(changes) })
    const more = data({
      'zo-adamm': { fooled: 0, finalL2sq: 2, fallsAt: 20 },
      'zo-nes': { fooled: 1, finalL2sq: 6, fallsAt: 40 },
    })
    expect(more).toMatchObject({ C6: 'does not hold', C7: 'holds' })
    const faster = data({ 'zo-psgd': { fooled: 0.1, finalL2sq: 2.5, fallsAt: 10 } })
    expect(faster).toMatchObject({ C6: 'holds', C7: 'does not hold' })
  })

  test('C8 does not hold where ZO-SGD ends lower than ZO-signSGD', () => {
    const found = verdicts(changed('unconstrained', 'zo-sgd', { first: 40, finalL2sq: 2 }))
    expect(found).toMatchObject({ C1: 'holds', C8: 'does not hold' })
  })

  test('C9 allows ZO-AdaMM to fool a little less often, but not clearly less often', () => {
    const never = verdicts(changed('constrained', 'zo-adamm', { first: null, finalL2sq: 1 }))
    expect(never.C9).toBe('does not hold')
    const evidence = judgeClaims(asClaimed).find(({ id }) => id === 'C9')?.iterations.evidence
    expect(evidence?.at(-1)?.measure).toBe('success rate, at 100 iterations; a drop of up to 10 points is slight')
  })

  test('cannot be said of four images, nor of attacks that were not made', () => {
    const four = (courses: Courses) =>
      reports(Object.fromEntries(Object.entries(courses).map(([name, each]) => [name, { ...each, images: 4 }])))
    const perImage = { unconstrained: four(unconstrained), constrained: four(constrained) }
    expect(verdicts({ ...asClaimed, perImage })).toMatchObject({
      C1: 'cannot be said',
      C2: 'cannot be said',
      C3: 'cannot be said',
      C5a: 'cannot be said',
      C5b: 'cannot be said',
      C8: 'cannot be said',
      C9: 'cannot be said',
    })
    const none = new Map()
    const nothing = {
      perImage: { unconstrained: none, constrained: none },
      universal: none,
      betas: { unconstrained: none, constrained: none, universal: none },
    }
    expect(new Set(Object.values(verdicts(nothing)))).toEqual(new Set(['cannot be said']))
  })

  test('cannot be said to hold from some of the attacks, though one of them may speak against it', () => {
    const without = (courses: Courses, name: string) =>
      reports(Object.fromEntries(Object.entries(courses).filter(([each]) => each !== name)))
    const perImage = {
      unconstrained: without(unconstrained, 'zo-sgd'),
      constrained: without(constrained, 'zo-psgd'),
    }
    const some = { ...asClaimed.betas, constrained: new Map([...betas(asRecommended)].slice(1)) }
    const fewer = new Map([...universal()].slice(1))
    const found = judgeClaims({ perImage, universal: fewer, betas: some })
    for (const id of ['C1', 'C3', 'C4', 'C5a', 'C5b', 'C6', 'C7', 'C8', 'C9']) {
      const claim = found.find((each) => each.id === id)
      expect(claim?.verdict, id).toBe('cannot be said from this scale')
      expect(claim?.iterations.remarks.join(' '), id).toMatch(/have not all been made/)
    }
    const faster = without({ ...constrained, 'zo-nes': { first: 5, finalL2sq: 0.5 } }, 'zo-psgd')
    const against = verdicts({ ...asClaimed, perImage: { ...perImage, constrained: faster } })
    expect(against).toMatchObject({ C1: 'does not hold', C5a: 'does not hold' })
  })

  test('come with what else there is to know: how lasting successes went, and what the paper itself measured', () => {
    const remarks = (id: string) => judgeClaims(asClaimed).find((each) => each.id === id)?.iterations.remarks ?? []
    expect(remarks('C2')).toContain(
      'ZO-signSGD, unconstrained: 100 % of the images it fooled still fool the model at its end; their squared distortion: 2 at first, 3 then.',
    )
    expect(remarks('C5a').join(' ')).toMatch(/unconstrained, ZO-SGD needs 159 iterations, ZO-AdaMM 173; .*112.* 197\.$/)
  })

  test('that hold at equal iterations alone do not hold', () => {
    // Twice the queries per iteration: slower by queries, though not by iterations.
    const data = changed('constrained', 'zo-adamm', { first: 30, finalL2sq: 1, rows: 21 })
    const c5a = judgeClaims(data).find(({ id }) => id === 'C5a')
    expect(c5a?.iterations.verdict).toBe('cannot be said from this scale')
    expect(c5a?.queries.verdict).toBe('does not hold')
    expect(c5a?.verdict).toBe('does not hold')
  })
})
