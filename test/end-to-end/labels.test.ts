import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { encodePng } from '../../src/robustness/images/image-file.ts'
import { linearNetwork } from '../networks/linear-network.ts'
import { attackObject, essence } from './attack-results.ts'
import { zeroth } from './zeroth.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-labels-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

/** Which half of a picture of 8 x 8 is brighter: a network that ends with ArgMax and gives int64. */
function writeWorld(): void {
  const half = (side: number): number[] =>
    Array.from({ length: 64 }, (_, i) => (Math.floor((i % 8) / 4) === side ? 1 : 0))
  const sides = ['N', 1, 8, 8]
  writeFileSync(
    join(cwd, 'net.onnx'),
    linearNetwork({ weights: [half(0), half(1)], sides, answer: 'int64', outputSides: ['N'] }),
  )
  const picture = (side: number) => ({
    shape: { channels: 1, height: 8, width: 8 },
    pixels: Float32Array.from(half(side), (each) => 0.45 + 0.1 * each),
  })
  for (const side of [0, 1]) writeFileSync(join(cwd, `${side}.png`), encodePng(picture(side)))
  writeFileSync(join(cwd, 'labels.csv'), 'file,label\n0.png,0\n1.png,1\n')
}

test('a network that gives a class alone is attacked with the method for such models, resumably, and says so', async () => {
  writeWorld()
  const args = ['attack', '--model', 'net.onnx', '--images', '.', '--max-queries', '300', '--out', 'run', '--json']
  const ended = await zeroth(args, { cwd })
  expect(ended.code).toBe(0)
  const { summary, settings, warnings } = attackObject(ended)
  expect(settings).toMatchObject({ solver: { name: 'strongest' } })
  expect(summary).toMatchObject({ methods: ['label-only'] })
  expect(warnings).toContain('the model answers with a class and no scores: only methods for labels can attack it')
  expect(summary).toMatchObject({ attacked: 2, fooled: 2, robustAccuracy: 0, queries: 600 })
  // The sums of the halves differ by 3.2, and a step along the normal of length 8 changes that by 8 times its length.
  const nearest = (0.1 * 32) / Math.sqrt(64)
  expect(summary.bestL2.mean / nearest).toBeGreaterThanOrEqual(1)
  expect(summary.bestL2.mean / nearest).toBeLessThan(1.1)
  const before = essence(join(cwd, 'run'))
  rmSync(join(cwd, 'run', 'summary.json'))
  rmSync(join(cwd, 'run', 'images/0001/image.json'))
  expect((await zeroth(['resume', 'run', '--json'], { cwd })).stdout).toBe(ended.stdout)
  expect(essence(join(cwd, 'run'))).toEqual(before)

  const limited = await zeroth([...args.slice(0, -2), 'limited', '--linf', '0.06', '--json'], { cwd })
  expect(attackObject(limited).summary).toMatchObject({ fooled: 2 })
  expect(attackObject(limited).summary.bestLinf.mean).toBeLessThanOrEqual(0.06)
  const blind = await zeroth([...args.slice(0, -2), 'blind', '--solver', 'zo-adamm', '--json'], { cwd })
  expect(attackObject(blind).warnings.join()).toContain('zo-adamm needs scores')
})
