import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { attackRecord } from '../../../test/attacks/attack-record.ts'
import { threshold } from '../../../test/attacks/fake-model.ts'
import { memoryDataset } from '../../../test/attacks/memory-dataset.ts'
import { cliFolder } from '../../../test/cli/cli-folder.ts'
import { silentWatcher } from '../../../test/cli/silent-watcher.ts'
import { shownAttack } from '../../cli/attack/show-attack.ts'
import { readImages, readSurvey } from './attack-files.ts'
import { createAttack, readAttack } from './attack-record.ts'
import { performAttack } from './perform-attack.ts'
import { isWorthAnother } from './try-again.ts'

const place = cliFolder()
const spec = { maxQueries: 67, solver: { name: 'zo-adamm', learningRate: 0.1, directions: 10 }, parallel: 1 }
const labels = [1, 0, 1, 0, 1]
const images = labels.map((label) => ({ pixels: label === 1 ? [0.6, 0.7] : [0.2, 0.3], label }))

const recordOf = (more: object) => {
  const record = attackRecord({ ...spec, ...more })
  return { ...record, model: { ...record.model, shape: { channels: 1, height: 1, width: 2 } } }
}

/** A model that is down for some of its calls. */
const flaky = (isDown: (call: number) => boolean) => {
  const model = threshold([1, 1], 1)
  const asked: number[] = []
  return {
    ...model,
    asked,
    predict(...args: Parameters<typeof model.predict>) {
      asked.push(args[0].rows)
      if (isDown(asked.length)) throw new Error('connection refused')
      return model.predict(...args)
    },
  }
}

const perform = async (name: string, isDown: (call: number) => boolean, more = {}, retries = () => 0) => {
  const folder = place(name)
  if (!existsSync(folder)) await createAttack(folder, recordOf(more))
  const model = flaky(isDown)
  const watching = silentWatcher()
  const opened = { model, dataset: memoryDataset(images), retries }
  const report = await performAttack({ folder, record: readAttack(folder), opened }, watching)
  return { report, asked: model.asked, said: watching.said, summary: readFileSync(place(name, 'summary.json'), 'utf8') }
}

const up = () => false

describe('images that failed for want of an answer', () => {
  test('are attacked again, in the end as if the model had always answered; the others are not', async () => {
    const whole = await perform('whole', up)
    // The look is the first call; the model is back once the first image has failed.
    const isBack = () => existsSync(place('attack-down', 'images/0000/image.json'))
    const first = await perform('attack-down', (call) => call > 1 && !isBack())
    const failed = (first.report?.images ?? []).filter(isWorthAnother).map(({ index }) => index)
    expect(failed).toEqual([0])
    const again = await perform('attack-down', up)
    expect(again.said).toEqual(['image 0: tried again'])
    expect(again.summary).toBe(whole.summary)
    expect(again.asked.length).toBeLessThan(whole.asked.length)
    expect((await perform('attack-down', up)).asked).toEqual([])
  })

  test('are looked at again, and no more are attacked than were asked for', async () => {
    const whole = await perform('count', up, { count: 2 })
    const first = await perform('look-down', (call) => call === 1, { count: 2 })
    expect(first.report?.images.map(({ status }) => status === 'failed')).toEqual([true, true, false, false])
    const again = await perform('look-down', up)
    expect(again.said).toEqual(['image 0: looked at again', 'image 1: looked at again'])
    expect(again.summary).toBe(whole.summary)
    expect(readSurvey(place('look-down'))?.looked).toHaveLength(2)
    expect([...readImages(place('look-down')).keys()].sort()).toEqual([0, 1, 2, 3])
  })

  test('stay as they are, and the account of them, where the model is still down', async () => {
    const first = await perform('still-down', (call) => call === 1, { count: 1 })
    const again = await perform('still-down', (call) => call === 1)
    expect(again.said).toContain('image 0: looked at again')
    expect(again.summary).toBe(first.summary)
  })

  test('of a shared perturbation make it sought again, for all', async () => {
    const whole = await perform('universal', up, { universal: true })
    const first = await perform('universal-down', (call) => call > 1, { universal: true })
    expect(first.report?.images.every(isWorthAnother)).toBe(true)
    const again = await perform('universal-down', up)
    expect(again.summary).toBe(whole.summary)
    expect((await perform('universal-down', up)).report?.images).toEqual(whole.report?.images)
  })
})

test('how many images had to be asked about again is a warning of the report', async () => {
  let retries = 4
  const { report } = await perform('retries', up, {}, () => retries++)
  expect(report?.warnings).toEqual(['1 image had to be asked about again'])
})

describe('an attack that was interrupted', () => {
  const stopped = async (name: string, isTime: (call: number) => boolean) => {
    const folder = place(name)
    await createAttack(folder, recordOf({}))
    const watching = silentWatcher()
    const model = flaky((at) => {
      if (isTime(at)) watching.interrupt()
      return false
    })
    const opened = { model, dataset: memoryDataset(images), retries: () => 0 }
    expect(await performAttack({ folder, record: readAttack(folder), opened }, watching)).toBeUndefined()
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
    expect(text).toMatch(/^queries {10}67, /m)
    const { status, done, summary } = JSON.parse(shownAttack(folder, true))
    expect({ status, done }).toEqual({ status: 'interrupted, 1 of 5 images', done: { images: 1, of: 5 } })
    expect(summary).toMatchObject({ attacked: 1, queries: 67 })
  })
})
