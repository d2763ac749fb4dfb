import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliFolder } from '../../../../test/cli/cli-folder.ts'
import { keepSnapshot, readSnapshot } from './image-runs.ts'

const folder = cliFolder()

test('keeps a perturbation at the iterations that are wanted, and no others', () => {
  mkdirSync(folder('universal'))
  const variables = Float64Array.of(0.5, -0.25, 0)
  const at = (iteration: number) => ({ index: -1, title: 'universal', iteration, queries: 1, fooled: 0, variables })
  for (const iteration of [1, 2, 3]) {
    variables[2] = iteration
    keepSnapshot(folder(), at(iteration), [2])
  }
  keepSnapshot(folder(), { ...at(4), variables: undefined }, [4])
  keepSnapshot(folder(), at(5))
  expect([1, 2, 3, 4, 5].map((iteration) => readSnapshot(folder(), iteration))).toEqual([
    undefined,
    Float32Array.of(0.5, -0.25, 2),
    undefined,
    undefined,
    undefined,
  ])
  const file = folder('universal/perturbation-2.f32')
  const bytes = readFileSync(file)
  bytes[5] = (bytes[5] as number) ^ 1
  writeFileSync(file, bytes)
  expect(() => readSnapshot(folder(), 2)).toThrow('perturbation-2.f32 does not fit its sha256')
})
