import { expect, test } from 'vitest'
import { attackRecord } from '../../../../test/attacks/attack-record.ts'
import { threshold } from '../../../../test/attacks/fake-model.ts'
import { memoryDataset } from '../../../../test/attacks/memory-dataset.ts'
import { cliFolder } from '../../../../test/cli/cli-folder.ts'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import type { ScreenedImage } from '../../../robustness/index.ts'
import { createAttack, readAttack } from './attack-record.ts'
import { remoteAttack } from './remote-attack.ts'

const place = cliFolder()
const nothing = () => undefined

test('queries asked in vain are told, and added to those of earlier tries', async () => {
  const record = attackRecord({
    maxQueries: 67,
    solver: { name: 'zo-adamm', learningRate: { value: 0.1, decay: 'sqrt' }, directions: 10 },
  })
  const shape = { channels: 1, height: 1, width: 2 }
  await createAttack(place('attack'), { ...record, model: { ...record.model, shape } })
  const model = threshold([1, 1], 1)
  let calls = 0
  const falling = {
    ...model,
    predict(...args: Parameters<typeof model.predict>) {
      if (++calls > 2) throw new ZerothError('query-failed', 'connection refused', { retryable: true })
      return model.predict(...args)
    },
  }
  const attack = await remoteAttack(
    {
      folder: place('attack'),
      record: readAttack(place('attack')),
      model: falling,
      dataset: memoryDataset([{ pixels: [0.6, 0.7], label: 1 }]),
      briefing: { scores: 'logits' },
      signal: new AbortController().signal,
    },
    { asked: nothing, note: nothing, iteration: nothing },
  )
  const known = { label: 1, predicted: 1, target: null, reason: null }
  const image: ScreenedImage = { index: 0, title: 'image 0', ...known, status: 'attacked', modelCalls: 1 }
  const end = await attack(image, 5)
  // Two iterations of eleven queries, and a third in vain.
  expect(end.unanswered).toBe(11)
  expect(end.attacked?.record).toMatchObject({ status: 'unfinished', queries: 22, failedQueries: 5 + 11 })
})
