import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { attackRecord } from '../../../../test/attacks/attack-record.ts'
import { imageRecord } from '../../../../test/attacks/image-record.ts'
import { type ImageRecord, summarizeAttack } from '../../../robustness/index.ts'
import { baselineOf, readBaseline, writeBaseline } from './baseline.ts'
import { compareBaseline, keepComparison, readComparison } from './compare-baseline.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-baseline-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Status = ImageRecord['status']

const attackOf = (
  statuses: readonly Status[],
  spec = {},
  change: (image: ImageRecord) => ImageRecord = (image) => image,
) => {
  const images = statuses.map((status, index) => {
    const predicted = status === 'skipped' ? 4 : status === 'failed' ? null : 3
    return change(imageRecord({ index, title: `${index}.png`, status, predicted }))
  })
  const summary = summarizeAttack(images, { lambda: 10, kappa: 0 })
  return { record: attackRecord(spec), report: { summary, images, universal: null, warnings: [] } }
}

const compared = (before: readonly Status[], now: readonly Status[], tolerance = 0) =>
  compareBaseline(baselineOf(attackOf(before)), attackOf(now), { file: 'base.json', tolerance })

test.each<[string, Status[], Status[], number, string]>([
  ['the same', ['robust', 'fooled'], ['robust', 'fooled'], 0, 'met'],
  ['better', ['fooled', 'fooled'], ['robust', 'fooled'], 0, 'met'],
  ['worse', ['robust', 'fooled'], ['fooled', 'fooled'], 0, 'worse'],
  ['worse by what is tolerated', ['robust', 'fooled'], ['fooled', 'fooled'], 0.5, 'met'],
  ['one could not be measured', ['robust', 'fooled'], ['failed', 'fooled'], 0, 'unjudged'],
  ['one is misclassified now', ['robust', 'fooled'], ['skipped', 'fooled'], 0, 'worse'],
])('%s', (_, before, now, tolerance, kind) => {
  expect(compared(before, now, tolerance).kind).toBe(kind)
})

test('names the images that are no longer robust, and compares those that both screened', () => {
  const found = compared(['robust', 'robust', 'fooled', 'robust'], ['fooled', 'robust', 'robust'], 0.1)
  expect(found).toEqual({
    baseline: 'base.json',
    kind: 'met',
    tolerance: 0.1,
    images: 3,
    limits: [
      {
        kind: 'met',
        before: 2 / 3,
        now: 2 / 3,
        unmeasured: 0,
        regressions: [{ index: 0, title: '0.png', now: 'fooled' }],
        improved: 1,
      },
    ],
  })
  keepComparison(folder, found)
  expect(readComparison(folder)).toEqual(found)
})

test('each of several limits is compared', () => {
  const limits = [{ linf: 0.1 }, { linf: 0.2 }]
  const of = (small: Status) => {
    const attack = attackOf(['fooled'], { linf: [0.1, 0.2] }, (image) => ({
      ...image,
      limits: [
        { linf: 0.2, status: 'fooled', from: 'attack', queries: 1, success: null },
        { linf: 0.1, status: small, from: 'attack', queries: 1, success: null },
      ],
    }))
    const summary = summarizeAttack(attack.report.images, { lambda: 10, kappa: 0, limits })
    return { ...attack, report: { ...attack.report, summary } }
  }
  const found = compareBaseline(baselineOf(of('robust')), of('fooled'), { file: 'b', tolerance: 0 })
  expect(found.limits.map(({ linf, kind, before, now }) => [linf, kind, before, now])).toEqual([
    [0.1, 'worse', 1, 0],
    [0.2, 'met', 0, 0],
  ])
  expect(found.kind).toBe('worse')
})

test('refuses other settings and other images, and says which', () => {
  const base = baselineOf(attackOf(['robust']))
  const place = { file: 'base.json', tolerance: 0 }
  const other = attackOf(['robust'], { maxQueries: 5, problem: { name: 'constrained', linf: 0.1 }, seed: 1 })
  expect(() => compareBaseline(base, other, place)).toThrow(
    'base.json cannot be compared with this evaluation: problem is {"name":"constrained","linf":0.1}, was {"name":"constrained"}; maxQueries is 5, was 331; seed is 1, was 0',
  )
  const renamed = attackOf(['robust'], {}, (image) => ({ ...image, title: 'x.png' }))
  expect(() => compareBaseline(base, renamed, place)).toThrow('image 0 is x.png (class 3), was 0.png (class 3)')
  const model = attackOf(['robust'], { model: { name: 'onnx', file: 'new.onnx' }, images: '/elsewhere' })
  expect(compareBaseline(base, model, place).kind).toBe('met')
})

test('a file is written and read again; what is none says why', () => {
  const file = join(folder, 'base.json')
  const base = baselineOf(attackOf(['robust', 'skipped', 'failed']))
  writeBaseline(file, base)
  expect(readBaseline(file)).toEqual(base)
  expect(base.images.map(({ outcomes }) => outcomes)).toEqual([['robust'], ['misclassified'], ['unmeasured']])
  writeFileSync(file, '{"format": "zeroth-baseline", "version": 1}')
  expect(() => readBaseline(file)).toThrow('it is damaged at created')
  writeFileSync(file, 'x')
  expect(() => readBaseline(file)).toThrow('not valid JSON')
  writeFileSync(join(folder, 'summary.json'), '{}')
  expect(() => readBaseline(join(folder, 'summary.json'))).toThrow('there is no attack.json in')
})
