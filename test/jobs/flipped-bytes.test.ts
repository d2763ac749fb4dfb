import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cliFolder } from '../cli/cli-folder.ts'
import { bytesIn, evaluated, flip } from './flipped-bytes.ts'

const place = cliFolder()

test.each([
  ['each image alone', {}],
  ['one perturbation for all', { universal: true }],
])('any changed byte of an evaluation is refused, or mended and said, or harmless: %s', async (kind, changes) => {
  const sound = place(kind.replaceAll(' ', '-'))
  await evaluated(sound, changes)
  const files = [...bytesIn(sound)]
  expect(files.map(([file]) => file)).toEqual(
    expect.arrayContaining(['attack.json', 'screening.json', 'summary.json', 'images/0000/image.json', 'images.csv']),
  )
  // Two bytes in each file; all of them: test/long/flipped-bytes.test.ts.
  const inFile = (i: number) =>
    fc.record({ file: fc.constant(i), at: fc.nat((files[i]?.[1].length ?? 1) - 1), bit: fc.nat(7) })
  const found = new Set<string>()
  for (const i of files.keys()) {
    const flips = fc.asyncProperty(inFile(i), async ({ at, bit }) => {
      found.add(await flip(sound, files[i]?.[0] as string, at, bit))
    })
    await fc.assert(flips, { numRuns: 2 })
  }
  expect([...found].sort()).toEqual(['harmless', 'mended', 'refused'])
})
