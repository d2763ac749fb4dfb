import { expect, test } from 'vitest'
import { cliFolder } from '../cli/cli-folder.ts'
import { bytesIn, evaluated, flip } from '../jobs/flipped-bytes.ts'

const place = cliFolder()

test.each([
  ['each image alone', {}],
  ['one perturbation for all', { universal: true }],
])('every byte of an evaluation, changed, is refused, or mended and said, or harmless: %s', async (kind, changes) => {
  const sound = place(kind.replaceAll(' ', '-'))
  await evaluated(sound, changes)
  const counts = { refused: 0, mended: 0, harmless: 0 }
  for (const [file, bytes] of bytesIn(sound)) {
    for (let at = 0; at < bytes.length; at++) counts[await flip(sound, file, at, at % 8)]++
  }
  const all = [...bytesIn(sound).values()].reduce((sum, { length }) => sum + length, 0)
  expect(counts.refused + counts.mended + counts.harmless).toBe(all)
  console.log(kind, counts)
})
