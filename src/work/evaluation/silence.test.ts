import { expect, test } from 'vitest'
import { silenceTeller } from './silence.ts'

test('a silence is said after two seconds and every half minute, and when it is over', () => {
  const said: string[] = []
  const shown: (number | undefined)[] = []
  const tell = silenceTeller(
    { silent: (at) => void shown.push(at) },
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
