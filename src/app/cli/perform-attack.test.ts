import { expect, test } from 'vitest'
import { attackRecord } from '../../../test/attacks/attack-record.ts'
import { imageRecord } from '../../../test/attacks/image-record.ts'
import { printed } from '../../../test/cli/printed.ts'
import { silentWatcher } from '../../../test/cli/silent-watcher.ts'
import { type ImageRecord, summarizeAttack } from '../../robustness/index.ts'
import { attackJson, attackText, concludeAttack } from './perform-attack.ts'

const failed = imageRecord({ status: 'failed', predicted: null, first: null, best: null, final: null, reason: 'gone' })
const robust = imageRecord({ status: 'robust', first: null, best: null })

const unfinished = imageRecord({ status: 'unfinished', reason: 'the model does not answer any more: gone' })

const concluded = async (spec: object, images: readonly ImageRecord[], changed = 0, unanswered = 0) => {
  const watching = silentWatcher()
  const summary = summarizeAttack(images, { lambda: 10, kappa: 0 })
  const canaries = {
    asked: 5,
    changed,
    unanswered,
    reason: changed === 0 ? null : 'a.png: class 3 before, class 5 now',
  }
  const report = { summary, images, universal: null, canaries, warnings: [] }
  const attack = { folder: 'a', record: attackRecord({ ...spec }), report }
  const { value } = await printed(() => concludeAttack(attack, {}, watching))
  return { code: value, said: watching.said }
}

const useless = 'warning: 1 image could not be used: a.png: gone'
const incomplete = (what: string, allowed = 0, advice = '') =>
  `zeroth: the evaluation is not complete: ${what} ${what.startsWith('1 ') && !what.includes(' and ') ? 'image' : 'images'}; --allow-unfinished permits ${allowed}${advice}`
const again = '; zeroth resume a tries them again'

test.each([
  ['met', 0.5, [robust], 0, []],
  ['not met', 0.5, [imageRecord()], 3, []],
  ['not met in any case', 0.9, [imageRecord(), failed], 3, [useless]],
  ['met in any case, but something failed', 0.5, [robust, failed], 1, [useless, incomplete('1 failed', 0, again)]],
  [
    'perhaps met',
    0.6,
    [robust, failed],
    1,
    [useless, '--fail-under cannot be judged: 1 of 2 images could not be measured', incomplete('1 failed', 0, again)],
  ],
  [
    'not even asked about',
    0.5,
    [failed],
    1,
    [
      useless,
      '--fail-under cannot be judged: 1 of 1 images could not be measured',
      'zeroth: every image failed: nothing was measured',
    ],
  ],
])('what is demanded is %s', async (_, failUnder, images, code, said) => {
  expect(await concluded({ failUnder }, images)).toEqual({ code, said })
})

test('an unfinished or failed image is a failure, unless so many are allowed', async () => {
  const warning = 'warning: 1 image did not finish: a.png: the model does not answer any more: gone'
  const unread = imageRecord({ status: 'failed', predicted: null, label: null, modelCalls: 0, reason: 'has no label' })
  expect(await concluded({}, [robust, unfinished])).toEqual({
    code: 1,
    said: [warning, incomplete('1 unfinished', 0, again)],
  })
  expect(await concluded({ allowUnfinished: 1 }, [robust, unfinished])).toEqual({ code: 0, said: [warning] })
  expect((await concluded({ allowUnfinished: 1 }, [robust, unfinished, unread])).said.at(-1)).toBe(
    incomplete('1 unfinished and 1 failed', 1, again),
  )
  expect((await concluded({}, [robust, unread])).said.at(-1)).toBe(incomplete('1 failed'))
})

test('an unfinished image that was fooled by then cannot be robust, one that was not may be', async () => {
  const open = { ...unfinished, first: null, best: null }
  expect((await concluded({ failUnder: 0.6, allowUnfinished: 1 }, [robust, unfinished])).code).toBe(3)
  expect((await concluded({ failUnder: 0.6, allowUnfinished: 1 }, [robust, open])).code).toBe(1)
  expect((await concluded({ failUnder: 0.5, allowUnfinished: 1 }, [robust, open])).code).toBe(0)
})

test('a model that changed its answers voids the result, whatever it is', async () => {
  const why =
    'zeroth: the result is void: the model answers 2 of 5 clean images differently now than at the beginning ' +
    '(a.png: class 3 before, class 5 now): it was changed meanwhile, or its answers vary; begin anew in another folder'
  expect(await concluded({ failUnder: 0.5 }, [robust], 2)).toEqual({ code: 1, said: [why] })
  expect((await concluded({ failUnder: 0.9 }, [imageRecord()], 2)).code).toBe(1)
})

test('a model that cannot be asked at the end leaves the evaluation incomplete', async () => {
  const { code, said } = await concluded({ allowUnfinished: 5 }, [robust], 0, 5)
  expect(code).toBe(1)
  expect(said[0]).toContain('5 clean images got no answer at the end')
})

test('fewer images than were asked for are no failure, but said', async () => {
  const said = (skipped: number) =>
    `warning: 1 of the 3 images that --count asks for were attacked: of the 130 there are, ${skipped} were skipped and 0 failed`
  const skipped = imageRecord({ status: 'skipped', predicted: 1 })
  const all = [robust, ...Array.from({ length: 129 }, () => skipped)]
  expect(await concluded({ count: 3 }, all)).toEqual({ code: 0, said: [said(129)] })
  const rest = '; the other 128 were not looked at, as the model errs on nearly all'
  expect(await concluded({ count: 3 }, [robust, skipped])).toEqual({ code: 0, said: [said(1) + rest] })
  expect(await concluded({ count: 1 }, [robust])).toEqual({ code: 0, said: [] })
})

test('of many images that could not be used the first reasons are said', async () => {
  const many = Array.from({ length: 5 }, (_, i) => ({ ...failed, title: `${i}.png`, reason: 'has no label' }))
  expect((await concluded({ allowUnfinished: 9 }, [robust, ...many])).said).toEqual([
    'warning: 5 images could not be used: 0.png: has no label; 1.png: has no label; 2.png: has no label; and 2 more',
  ])
})

const failedImage = (index: number, reason: string) =>
  imageRecord({ index, title: `${index}.png`, status: 'failed', reason, first: null, best: null, final: null })

const attackOf = (images: readonly ReturnType<typeof imageRecord>[], spec = {}, warnings: readonly string[] = []) => ({
  folder: 'runs/a',
  record: attackRecord(spec),
  report: { summary: summarizeAttack(images, { lambda: 10, kappa: 0 }), images, universal: null, warnings },
})

test('says in a few lines what an attack came to', () => {
  const robust = imageRecord({ index: 1, status: 'robust', first: null, best: null, success8bit: false })
  const text = attackText(
    attackOf([imageRecord(), robust, failedImage(2, 'has no\x1b[31m label')], { failUnder: 0.7 }, ['odd']),
  )
  expect(text.split('\n')).toEqual([
    'images           3 of 130: class 3 3',
    'clean accuracy   100 % of 3 images',
    'robust accuracy  33.3 % of 3 images, FAILS the required 70 %',
    '                 so far: from 33.3 % to 66.7 % with the images that are missing',
    'within           331 queries per image, changes of any size (--linf, --l2 limit them)',
    'attack success   50 %, 1 of 2 images (95 % interval 9.5 % to 90.5 %)',
    'saved PNGs       50 % of those attacked still fool the model as saved',
    'first success    median 34, mean 34 queries',
    'l2               median 0.4, mean 0.4, of the best success',
    'linf             median 0.1, mean 0.1, of the best success',
    'queries          993; 999 model calls including screening',
    'failed           1',
    '                 - 2.png: has no label',
    'warning          odd',
    'run              runs/a',
    'report           runs/a/index.html',
  ])
})

test('names ten images of a kind, and says what cannot be known', () => {
  const text = attackText(
    attackOf(Array.from({ length: 12 }, (_, i) => ({ ...failedImage(i, 'gone'), predicted: null }))),
  )
  expect(text).toMatch(
    /^images .*\nclean accuracy {3}unknown\nrobust accuracy {2}unknown\nwithin .*\nattack success {3}no image was attacked\n/,
  )
  expect(text).toContain('- 9.png: gone\n                 and 2 more; images.csv has all of them')
  expect(text).not.toMatch(/^l2 /m)
})

test('as JSON it is one line, without curves, with words for what are no numbers', () => {
  const json = attackJson(attackOf([failedImage(0, 'gone')]))
  expect(json).not.toContain('\n')
  const { summary, images, settings, ...rest } = JSON.parse(json)
  expect(rest).toMatchObject({ status: 'finished', universal: null, warnings: [] })
  expect(rest.report).toMatch(/runs.a.index\.html$/)
  expect(summary.attackSuccessRate).toBe('NaN')
  expect(images[0]).not.toHaveProperty('curve')
  expect(settings).toMatchObject({ rateSource: 'given', modelFound: { classes: 10 } })
})

test('a robust accuracy is not held against what is demanded where images failed', () => {
  const text = attackText(attackOf([imageRecord(), failedImage(1, 'gone')], { failUnder: 0.5 }))
  expect(text).toContain(
    'robust accuracy  0 % of 2 images, cannot be held against the required 50 %: 1 of 2 images could not be measured\n',
  )
})
