import { describe, expect, test } from 'vitest'
import { betaGrid } from '../reproduction/tables/cells.ts'
import { type Course, courseReport } from '../test/course-report.ts'
import { type ClaimData, judgeClaims } from './claims.ts'

type Courses = Readonly<Record<string, Course>>

const unconstrained: Courses = {
  'zo-scd': { first: 60, finalL2sq: 5, rows: 21 },
  'zo-sgd': { first: 40, finalL2sq: 4 },
  'zo-sign-sgd': { first: 30, firstL2sq: 3, finalL2sq: 6 },
  'zo-adamm': { first: 10, finalL2sq: 1 },
}
const constrained: Courses = {
  'zo-nes': { first: 30, firstL2sq: 3, finalL2sq: 6 },
  'zo-psgd': { first: 40, finalL2sq: 4 },
  'zo-smd': { first: 40, finalL2sq: 4 },
  'zo-adamm': { first: 10, finalL2sq: 1 },
}
const reports = (courses: Courses) => new Map(Object.entries(courses).map(([name, each]) => [name, courseReport(each)]))
const betas = (best: string, images = 10) =>
  new Map(
    betaGrid.flatMap((beta1) =>
      betaGrid.map((beta2) => {
        const pair = `${beta1} ${beta2}`
        return [pair, courseReport({ images, first: 10, finalL2sq: pair === best ? 1 : 2 })] as const
      }),
    ),
  )

/** What the paper says, as it would look in data. */
const asClaimed: ClaimData = {
  perImage: { unconstrained: reports(unconstrained), constrained: reports(constrained) },
  betas: { unconstrained: betas('0.9 0.3'), constrained: betas('0.9 0.5'), universal: new Map() },
}

const verdicts = (data: ClaimData) =>
  Object.fromEntries(judgeClaims(data).map(({ id, verdict }) => [id, verdict.replace(' from this scale', '')]))

const changed = (problem: 'constrained' | 'unconstrained', method: string, course: Course): ClaimData => {
  const perImage = {
    ...asClaimed.perImage,
    [problem]: new Map(asClaimed.perImage[problem]).set(method, courseReport(course)),
  }
  return { ...asClaimed, perImage }
}

describe('the claims of the paper', () => {
  test('hold in data that are as the paper says', () => {
    expect(verdicts(asClaimed)).toEqual({ C1: 'holds', C2: 'holds', C3: 'holds', C4: 'holds', C5: 'holds' })
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

  test('C1 and C5 do not hold where one method is clearly better', () => {
    const found = verdicts(changed('constrained', 'zo-psgd', { first: 5, finalL2sq: 0.5 }))
    expect(found).toMatchObject({ C1: 'does not hold', C5: 'does not hold', C2: 'holds', C3: 'holds' })
  })

  test('C5 cannot be said where one method is as fast', () => {
    expect(verdicts(changed('constrained', 'zo-psgd', { first: 10, finalL2sq: 4 }))).toMatchObject({
      C1: 'holds',
      C5: 'cannot be said',
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
    expect(evidence('iterations')?.mean).toBe(45.5)
    expect(evidence('queries')?.mean).toBe((1 + 21 * 45 + 1 + 21 * 46) / 2)
    const late = judgeClaims(changed('unconstrained', 'zo-scd', { first: 60, finalL2sq: 5, rows: 21 }))
    expect(late.find(({ id }) => id === 'C3')?.queries.evidence[0]?.mean).toBe(1102)
  })

  test('C4 does not hold where other betas are clearly better, and needs as many images as the others', () => {
    const other = { ...asClaimed.betas, constrained: betas('0.5 0.9') }
    expect(verdicts({ ...asClaimed, betas: other }).C4).toBe('does not hold')
    const few = { ...asClaimed.betas, constrained: betas('0.9 0.5', 4) }
    expect(verdicts({ ...asClaimed, betas: few }).C4).toBe('cannot be said')
  })

  test('cannot be said of four images, nor of attacks that were not made', () => {
    const four = (courses: Courses) =>
      reports(Object.fromEntries(Object.entries(courses).map(([name, each]) => [name, { ...each, images: 4 }])))
    const perImage = { unconstrained: four(unconstrained), constrained: four(constrained) }
    expect(verdicts({ ...asClaimed, perImage })).toMatchObject({
      C1: 'cannot be said',
      C2: 'cannot be said',
      C3: 'cannot be said',
      C5: 'cannot be said',
    })
    const none = new Map()
    const nothing = {
      perImage: { unconstrained: none, constrained: none },
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
    const some = { ...asClaimed.betas, constrained: new Map([...betas('0.9 0.5')].slice(1)) }
    const found = judgeClaims({ perImage, betas: some })
    for (const id of ['C1', 'C3', 'C4', 'C5']) {
      const claim = found.find((each) => each.id === id)
      expect(claim?.verdict, id).toBe('cannot be said from this scale')
      expect(claim?.iterations.remarks.join(' '), id).toMatch(/have not all been made/)
    }
    const faster = without({ ...constrained, 'zo-nes': { first: 5, finalL2sq: 0.5 } }, 'zo-psgd')
    const against = verdicts({ ...asClaimed, perImage: { ...perImage, constrained: faster } })
    expect(against).toMatchObject({ C1: 'does not hold', C5: 'does not hold' })
  })

  test('come with what else there is to know: how lasting successes went, and what the paper itself measured', () => {
    const remarks = (id: string) => judgeClaims(asClaimed).find((each) => each.id === id)?.iterations.remarks ?? []
    expect(remarks('C2')).toContain(
      'ZO-signSGD, unconstrained: 100 % of the images it fooled still fool the model at its end; their squared distortion: 3 at first, 6 then.',
    )
    expect(remarks('C5').join(' ')).toMatch(/unconstrained, ZO-SGD needs 159 iterations, ZO-AdaMM 173; .*112.* 197\.$/)
  })

  test('that hold at equal iterations alone do not hold', () => {
    // Twice the queries per iteration: slower by queries, though not by iterations.
    const data = changed('constrained', 'zo-adamm', { first: 30, finalL2sq: 1, rows: 21 })
    const c5 = judgeClaims(data).find(({ id }) => id === 'C5')
    expect(c5?.iterations.verdict).toBe('cannot be said from this scale')
    expect(c5?.queries.verdict).toBe('does not hold')
    expect(c5?.verdict).toBe('does not hold')
  })
})
