import { expect, test } from 'vitest'
import { attackRecord } from '../../../test/attacks/attack-record.ts'
import { imageRecord } from '../../../test/attacks/image-record.ts'
import { printed } from '../../../test/cli/printed.ts'
import { silentWatcher } from '../../../test/cli/silent-watcher.ts'
import { type ImageRecord, summarizeAttack } from '../../attacks/index.ts'
import { concludeAttack } from './run-attack.ts'

const failed = imageRecord({ status: 'failed', predicted: null, first: null, best: null, final: null, reason: 'gone' })
const robust = imageRecord({ status: 'robust', first: null, best: null })

const concluded = async (spec: object, images: readonly ImageRecord[]) => {
  const watching = silentWatcher()
  const summary = summarizeAttack(images, { lambda: 10, kappa: 0 })
  const report = { summary, images, universal: null, warnings: [] }
  const attack = { folder: 'a', record: attackRecord({ ...spec }), report }
  const { value } = await printed(() => concludeAttack(attack, {}, watching))
  return { code: value, said: watching.said }
}

test.each([
  ['met', 0.5, [robust], 0, []],
  ['not met', 0.5, [imageRecord()], 3, []],
  ['not met in any case', 0.9, [imageRecord(), failed], 3, []],
  ['met in any case', 0.5, [robust, failed], 0, []],
  ['perhaps met', 0.6, [robust, failed], 1, ['--fail-under cannot be judged: 1 of 2 images could not be measured']],
  [
    'not even asked about',
    0.5,
    [failed],
    1,
    [
      '--fail-under cannot be judged: 1 of 1 images could not be measured',
      'zeroth: every image failed: nothing was measured',
    ],
  ],
])('what is demanded is %s', async (_, failUnder, images, code, said) => {
  expect(await concluded({ failUnder }, images)).toEqual({ code, said })
})

test('fewer images than were asked for are no failure, but said', async () => {
  expect(await concluded({ count: 3 }, [robust, failed])).toEqual({
    code: 0,
    said: ['notice: 1 of the 3 images that --count asks for were attacked'],
  })
  expect(await concluded({ count: 1 }, [robust])).toEqual({ code: 0, said: [] })
})
