import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { attackRecord } from '../../../../test/attacks/attack-record.ts'
import { threshold } from '../../../../test/attacks/fake-model.ts'
import { memoryDataset } from '../../../../test/attacks/memory-dataset.ts'
import { cliFolder } from '../../../../test/cli/cli-folder.ts'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import { shownAttack } from '../../cli/perform-attack.ts'
import type { EventBody } from '../events.ts'
import { isWorthAnother, readImages, readScreening } from './attack-files.ts'
import { createAttack, networkContent, readAttack } from './attack-record.ts'
import { outageReporter, performAttack } from './perform-attack.ts'

describe('perform-attack', () => {
  const place = cliFolder()
  const spec = {
    maxQueries: 67,
    solver: { name: 'zo-adamm', learningRate: { value: 0.1, decay: 'sqrt' }, directions: 10 },
    parallel: 1,
  }
  const labels = [1, 0, 1, 0, 1]
  const images = labels.map((label) => ({ pixels: label === 1 ? [0.6, 0.7] : [0.2, 0.3], label }))

  const recordOf = (more: object) => {
    const record = attackRecord({ ...spec, ...more })
    return { ...record, model: { ...record.model, shape: { channels: 1, height: 1, width: 2 } } }
  }

  const unreached = new ZerothError('query-failed', 'connection refused', { retryable: true })
  const refused = new Error('what is this?')

  /** A model that is down for some of its calls, or refuses them. */
  const flaky = (isDown: (call: number) => boolean, error: Error = unreached) => {
    const model = threshold([1, 1], 1)
    const asked: number[] = []
    return {
      ...model,
      asked,
      predict(...args: Parameters<typeof model.predict>) {
        asked.push(args[0].rows)
        if (isDown(asked.length)) throw error
        return model.predict(...args)
      },
    }
  }

  const perform = async (
    name: string,
    isDown: (call: number) => boolean,
    more = {},
    { retries = () => 0, error = unreached }: { retries?: () => number; error?: Error } = {},
  ) => {
    const folder = place(name)
    if (!existsSync(folder)) await createAttack(folder, recordOf(more))
    const model = flaky(isDown, error)
    const events: EventBody[] = []
    const stage = { job: name, emit: (_: string, event: EventBody) => void events.push(event), signal: never }
    const open = async () => ({ model, dataset: memoryDataset(images), retries, onOutage: () => undefined })
    const report = await performAttack({ folder, record: readAttack(folder), open }, stage)
    const said = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))
    return { report, asked: model.asked, said, events, summary: readFileSync(place(name, 'summary.json'), 'utf8') }
  }

  const up = () => false
  const never = new AbortController().signal

  /** A summary but for the count of what brought no answer. */
  const counted = (summary: string) =>
    summary.replaceAll(/"(failedQueries|retries)":\d+/g, '"$1":0').replace(/"sha256": "[0-9a-f]{64}"\n}\n$/, '')

  test('a network whose file has changed since the attack began is said, also by the summary, one that has not is not', async () => {
    const file = place('network.onnx')
    writeFileSync(file, 'weights')
    const model = { name: 'onnx', file }
    const record = recordOf({ model })
    const content = networkContent(record.spec)
    await createAttack(place('network'), { ...record, model: { ...record.model, content } })
    const changed = 'the file of the network has changed since the attack began: its images do not fit together'
    expect((await perform('network', (call) => call > 3)).said).not.toContain(changed)
    writeFileSync(file, 'other weights')
    const { said, report } = await perform('network', up)
    expect(said).toContain(changed)
    expect(report?.warnings).toContain(changed)
  })

  describe('images that failed because the model did not respond', () => {
    test.each([
      ['go on where it could not be asked', unreached, 'image 0: continued'],
      ['are attacked again where it refused everything', refused, 'image 0: tried again'],
    ])('%s, in the end as if the model had always answered; the others are not', async (about, error, note) => {
      const name = about.slice(0, 6)
      const whole = await perform(`whole ${name}`, up)
      // Screening is the first call; the model is back once the first image has been given up.
      const isBack = () => existsSync(place(name, 'images/0000/image.json'))
      const first = await perform(name, (call) => call > 3 && !isBack(), {}, { error })
      const open = (first.report?.images ?? []).filter(isWorthAnother)
      expect(open).toMatchObject([{ index: 0, status: 'unfinished' }])
      const again = await perform(name, up)
      expect(again.said).toEqual([note])
      expect(counted(again.summary)).toBe(counted(whole.summary))
      expect(again.report?.images[0]?.failedQueries).toBe(open[0]?.failedQueries)
      expect(open[0]?.failedQueries).toBeGreaterThan(0)
      expect(again.asked.length).toBeLessThan(whole.asked.length)
      expect((await perform(name, up)).asked).toEqual([])
    })

    test('ask nothing twice but the iteration that was given up', async () => {
      const whole = await perform('whole', up, { count: 1 })
      const first = await perform('once', (call) => call > 3, { count: 1 })
      expect(first.report?.images[0]).toMatchObject({ queries: 22, failedQueries: 11, stopReason: 'model-unreachable' })
      const again = await perform('once', up)
      // Screening, two iterations, one in vain, and a canary in vain, twice; then the other four, the last point,
      // five pictures around an image that withstood, and the canary in company and alone.
      expect([first.asked, again.asked]).toEqual([
        [1, 11, 11, 11, 1, 1],
        [11, 11, 11, 11, 1, 5, 1, 1],
      ])
      expect(counted(again.summary)).toBe(counted(whole.summary))
    })

    test('are screened again, and no more are attacked than were asked for', async () => {
      const whole = await perform('count', up, { count: 2 })
      const first = await perform('screen-down', (call) => call === 1, { count: 2 })
      expect(first.report?.images.map(({ status }) => status === 'failed')).toEqual([true, true, false, false])
      const again = await perform('screen-down', up)
      expect(again.said).toEqual(['image 0: screened again', 'image 1: screened again'])
      expect(counted(again.summary)).toBe(counted(whole.summary))
      expect(readScreening(place('screen-down'))?.screened).toHaveLength(2)
      expect([...readImages(place('screen-down')).keys()].sort()).toEqual([0, 1, 2, 3])
    })

    test('stay as they are, and the account of them, where the model is still down', async () => {
      const first = await perform('still-down', (call) => call === 1, { count: 1 })
      const again = await perform('still-down', (call) => call === 1)
      expect(again.said).toContain('image 0: screened again')
      expect(counted(again.summary)).toBe(counted(first.summary))
    })

    test('of a shared perturbation make it sought again, for all', async () => {
      const whole = await perform('universal', up, { universal: true })
      const first = await perform('universal-down', (call) => call > 1, { universal: true })
      expect(first.report?.images.every(isWorthAnother)).toBe(true)
      const again = await perform('universal-down', up)
      expect(counted(again.summary)).toBe(counted(whole.summary))
      expect((await perform('universal-down', up)).report?.images).toEqual(whole.report?.images)
    })
  })

  test('what happens is told: the beginning, progress, every image, the end', async () => {
    const { events } = await perform('told', up)
    const [started] = events
    expect(started).toMatchObject({ type: 'started', kind: 'evaluation', resumed: false, budget: { maxQueries: 67 } })
    expect(events.at(-1)).toEqual({ type: 'finished', status: 'finished', reason: 'complete' })
    const items = events.filter(({ type }) => type === 'item')
    expect(items).toHaveLength(5)
    expect(items[0]).toMatchObject({ index: 0, status: 'robust', label: 1, predicted: 1, queries: 67 })
    const progress = events.filter(({ type }) => type === 'progress').at(-1)
    expect(progress).toMatchObject({ phase: 'attacking', queries: 5 * 67, share: 1, items: { done: 5, total: 5 } })
    const again = await perform('told', up)
    expect(again.events.map(({ type }) => type)).toEqual(['started', 'finished'])
    expect(again.events[0]).toMatchObject({ resumed: true })
  })

  test('how many images were retried is a warning of the report', async () => {
    let retries = 4
    const { report } = await perform('retries', up, {}, { retries: () => retries++ })
    expect(report?.warnings).toContain('1 image was retried')
  })

  describe('an attack that was interrupted', () => {
    const stopped = async (name: string, isTime: (call: number) => boolean) => {
      const folder = place(name)
      await createAttack(folder, recordOf({}))
      const stopping = new AbortController()
      const model = flaky((at) => {
        if (isTime(at)) stopping.abort()
        return false
      })
      const open = async () => ({ model, dataset: memoryDataset(images), retries: () => 0, onOutage: () => undefined })
      const stage = { job: name, emit: () => undefined, signal: stopping.signal }
      expect(await performAttack({ folder, record: readAttack(folder), open }, stage)).toBeUndefined()
      return folder
    }

    test('is shown without any numbers before an image is done', async () => {
      const folder = await stopped('early', (call) => call === 3)
      const text = shownAttack(folder, false)
      expect(text).toMatch(/^status {11}interrupted, 0 of 5 images\n.*\nso far {11}no image is done/)
      expect(text).not.toMatch(/^(queries|robust)/m)
      expect(JSON.parse(shownAttack(folder, true))).toMatchObject({ summary: null, done: { images: 0, of: 5 } })
    })

    test('is shown with what the images that are done came to', async () => {
      const folder = await stopped('later', () => existsSync(place('later', 'images/0000/image.json')))
      const text = shownAttack(folder, false)
      expect(text).toMatch(/^so far {11}1 of 5 images is done; what follows is about it alone$/m)
      expect(text).toMatch(/^queries {10}67; /m)
      const { status, done, summary } = JSON.parse(shownAttack(folder, true))
      expect({ status, done }).toEqual({ status: 'interrupted, 1 of 5 images', done: { images: 1, of: 5 } })
      expect(summary).toMatchObject({ attacked: 1, queries: 67 })
    })
  })
})

describe('silence', () => {
  test('a silence is said after two seconds and every half minute, and when it is over', () => {
    const said: string[] = []
    const shown: (number | undefined)[] = []
    const tell = outageReporter(
      { outage: (at) => void shown.push(at) },
      180,
      (code, text) => void said.push(`${code}: ${text}`),
    )
    const reason = new Error('ECONNREFUSED')
    for (const milliseconds of [0, 900, 2400, 12_000, 33_000, 50_000]) tell({ milliseconds, reason, isOver: false })
    tell({ milliseconds: 61_000, reason, isOver: true })
    // So short a pause is not worth a word.
    tell({ milliseconds: 100, reason, isOver: false })
    tell({ milliseconds: 300, reason, isOver: true })
    expect(said).toEqual([
      'model: the model does not answer: waiting (2 s of 180 s): ECONNREFUSED',
      'model: the model does not answer: waiting (33 s of 180 s): ECONNREFUSED',
      'note: the model answers again, after 61 s',
    ])
    expect(shown).toEqual([0, 900, 2400, 12_000, 33_000, 50_000, undefined, 100, undefined])
  })
})
