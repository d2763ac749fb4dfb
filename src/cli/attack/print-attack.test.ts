import { expect, test } from 'vitest'
import { attackRecord } from '../../../test/attacks/attack-record.ts'
import { imageRecord } from '../../../test/attacks/image-record.ts'
import { summarizeAttack } from '../../attacks/index.ts'
import { attackJson, attackText } from './print-attack.ts'

const failed = (index: number, reason: string) =>
  imageRecord({ index, title: `${index}.png`, status: 'failed', reason, first: null, best: null, final: null })

const attackOf = (images: readonly ReturnType<typeof imageRecord>[], spec = {}, warnings: readonly string[] = []) => ({
  folder: 'runs/a',
  record: attackRecord(spec),
  report: { summary: summarizeAttack(images, { lambda: 10, kappa: 0 }), images, universal: null, warnings },
})

test('says in a few lines what an attack came to', () => {
  const robust = imageRecord({ index: 1, status: 'robust', first: null, best: null, success8bit: false })
  const text = attackText(
    attackOf([imageRecord(), robust, failed(2, 'has no\x1b[31m label')], { failUnder: 0.7 }, ['odd']),
  )
  expect(text.split('\n')).toEqual([
    'clean accuracy   100 % of 3 images',
    'robust accuracy  33.3 % below the 70 % demanded',
    '                 so far: from 33.3 % to 66.7 % with the images that are missing',
    'within           331 queries per image, changes of any size (--linf, --l2 limit them)',
    'attack success   50 %, 1 of 2 images (95 % interval 9.5 % to 90.5 %)',
    '8-bit success    50 % of those attacked: their saved pictures fool, too',
    'first success    median 34, mean 34 queries',
    'l2               median 0.4, mean 0.4, of the best success',
    'linf             median 0.1, mean 0.1, of the best success',
    'queries          993, 999 images classified in all',
    'failed           1',
    '                 - 2.png: has no label',
    'warning          odd',
    'run              runs/a',
    'report           runs/a/index.html',
  ])
})

test('names ten images of a kind, and says what cannot be known', () => {
  const text = attackText(attackOf(Array.from({ length: 12 }, (_, i) => ({ ...failed(i, 'gone'), predicted: null }))))
  expect(text).toMatch(
    /^clean accuracy {3}unknown\nrobust accuracy {2}unknown\nwithin .*\nattack success {3}no image was attacked\n/,
  )
  expect(text).toContain('- 9.png: gone\n                 and 2 more; images.csv has all of them')
  expect(text).not.toMatch(/^l2 /m)
})

test('as JSON it is one line, without curves, with words for what are no numbers', () => {
  const json = attackJson(attackOf([failed(0, 'gone')]))
  expect(json).not.toContain('\n')
  const { summary, images, settings, ...rest } = JSON.parse(json)
  expect(rest).toMatchObject({ status: 'finished', universal: null, warnings: [] })
  expect(rest.report).toMatch(/runs.a.index\.html$/)
  expect(summary.attackSuccessRate).toBe('NaN')
  expect(images[0]).not.toHaveProperty('curve')
  expect(settings).toMatchObject({ rateSource: 'given', modelFound: { classes: 10 } })
})

test('a robust accuracy is not held against what is demanded where images failed', () => {
  const text = attackText(attackOf([imageRecord(), failed(1, 'gone')], { failUnder: 0.5 }))
  expect(text).toContain(
    'robust accuracy  0 % of 2 images, cannot be held against the 50 % demanded: 1 of 2 images could not be measured\n',
  )
})
