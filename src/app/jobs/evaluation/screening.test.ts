import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { attackRecord } from '../../../../test/attacks/attack-record.ts'
import { threshold } from '../../../../test/attacks/fake-model.ts'
import { memoryDataset } from '../../../../test/attacks/memory-dataset.ts'
import { cliFolder } from '../../../../test/cli/cli-folder.ts'
import { noiseWarnings } from '../../../robustness/index.ts'
import type { EventBody } from '../events.ts'
import { readScreening } from './attack-files.ts'
import { createAttack, readAttack } from './attack-record.ts'
import { performAttack } from './perform-attack.ts'

const place = cliFolder()
const labels = [1, 0, 1, 0, 1]
const images = labels.map((label) => ({ pixels: label === 1 ? [0.6, 0.7] : [0.2, 0.3], label }))
const solver = { name: 'nearest-boundary', smoothing: 0.005, directions: 2, refinement: 2 }

/** A model whose scores are a little off, the same way each time, and that has somebody stop the work at a call. */
const rough = (off: number, last = Infinity, stop: () => void = () => undefined) => {
  const model = threshold([1, 1], 1)
  const asked: number[] = []
  return {
    ...model,
    asked,
    predict(...[pictures, into, signal]: Parameters<typeof model.predict>) {
      asked.push(pictures.rows)
      if (asked.length === last) stop()
      model.predict(pictures, into, signal)
      for (let i = 0; i < into.length; i++) into[i] = (into[i] as number) + off * Math.sin(1e6 * (into[i] as number))
    },
  }
}

const perform = async (name: string, off: number, last?: number, pictures = images) => {
  const folder = place(name)
  const record = attackRecord({ solver, maxQueries: 300, parallel: 1 })
  const shape = { channels: 1, height: 1, width: 2 }
  if (!existsSync(folder)) await createAttack(folder, { ...record, model: { ...record.model, shape } })
  const stop = new AbortController()
  const model = rough(off, last, () => stop.abort())
  const events: EventBody[] = []
  const emit = (_: string, event: EventBody): void => void events.push(event)
  const open = async () => ({ model, dataset: memoryDataset(pictures), retries: () => 0, onOutage: () => undefined })
  const stage = { job: name, emit, signal: stop.signal }
  const report = await performAttack({ folder, record: readAttack(folder), open }, stage)
  const said = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))
  return { report, said, asked: model.asked, screening: readScreening(folder) }
}

test('noise is measured once, said, and kept beside what screening found', async () => {
  const { report, said, screening } = await perform('rough', 0.02)
  expect(screening?.noise?.share).toBeGreaterThan(0.2)
  expect(screening?.noise?.probe).toBeGreaterThan(0.005)
  expect(report?.noise).toEqual(screening?.noise)
  const [text = ''] = noiseWarnings(screening?.noise)
  expect(text).toContain('noise')
  expect(said).toContain(text)
  expect(report?.warnings).toContain(text)
  expect(JSON.parse(readFileSync(place('rough', 'summary.json'), 'utf8')).warnings).toContain(text)
})

test('an evaluation that is resumed measures no more, and ends as one that was not interrupted', async () => {
  const whole = await perform('whole', 0.02)
  const before = await perform('resumed', 0.02, 12)
  expect(before.report).toBeUndefined()
  expect(before.screening?.noise).toEqual(whole.screening?.noise)
  const after = await perform('resumed', 0.02)
  expect(after.report).toEqual(whole.report)
  expect(after.asked).not.toContain(whole.asked[1])
})

test('while images are screened they are appended to a file, and a killed process goes on behind its last whole line', async () => {
  const many = Array.from({ length: 20 }, () => images).flat()
  const whole = await perform('many', 0.02, undefined, many)
  const before = await perform('killed', 0.02, 3, many)
  expect(before.screening?.screened).toHaveLength(64)
  const file = place('killed', 'screening.jsonl')
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(2)
  expect(existsSync(place('killed', 'screening.json'))).toBe(false)
  appendFileSync(file, readFileSync(file).subarray(0, 900))
  const after = await perform('killed', 0.02, undefined, many)
  expect(after.report).toEqual(whole.report)
  expect(after.asked.slice(0, 2)).toEqual([32, 4])
  expect(existsSync(file)).toBe(false)
})

test('a model that is wrong about nearly all images is told from the first hundred, where all are to be screened', async () => {
  const wrong = Array.from({ length: 120 }, () => ({ pixels: [0.2, 0.3], label: 1 }))
  const { said, screening } = await perform('wrong', 0, undefined, wrong)
  expect(screening?.screened).toHaveLength(120)
  expect(said).toContain('the model misclassifies nearly all of the first images: Ctrl-C stops the evaluation')
})

test('a model that computes exactly is measured, and nothing is said', async () => {
  const { report, said } = await perform('exact', 0)
  expect(report?.noise?.share).toBeLessThan(1e-6)
  expect(said).toEqual([])
  expect(report?.warnings).toEqual([])
})
