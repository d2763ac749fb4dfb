import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linearNetwork } from '../../test/networks/linear-network.ts'
import { onnxModel } from './onnx.ts'
import type { PreprocessingOption } from './preprocessing.ts'

const weights = [[1, 1, 1, 1], [1, 0, 0, 0]] // biome-ignore format: a matrix

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'zeroth-sidecar-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A network with this text in the file beside it. */
function networkWith(name: string, text: string): { file: string; beside: string } {
  const [file, beside] = [join(folder, `${name}.onnx`), join(folder, `${name}.preprocessing.json`)]
  writeFileSync(file, linearNetwork({ weights, sides: ['N', 1, 2, 2] }))
  writeFileSync(beside, text)
  return { file, beside }
}

async function scoresOf(file: string, preprocessing?: PreprocessingOption): Promise<number[]> {
  const model = await onnxModel({ file, preprocessing }).open()
  const into = new Float64Array(2)
  await model.predict({ rows: 1, write: (_, to, offset = 0) => to.set([0.1, 0.2, 0.3, 0.4], offset) }, into)
  await model.close()
  return Array.from(into, (each) => Number(each.toFixed(5)))
}

test('the file beside a network says what it wants, and the option wins', async () => {
  const { file } = networkWith('sum', '{ "range": [0, 255], "mean": 51 }')
  expect(await scoresOf(file)).toEqual([255 - 4 * 51, 25.5 - 51])
  expect(await scoresOf(file, { mean: 0 })).toEqual([255, 25.5])
})

test('a bad file beside a network is refused by file and field', async () => {
  const bad = networkWith('bad', '{ "range": 255 }')
  await expect(scoresOf(bad.file)).rejects.toThrow(`${bad.beside}: preprocessing.range must be a list, got 255`)
  const broken = networkWith('broken', '{ range')
  await expect(scoresOf(broken.file)).rejects.toThrow(`${broken.beside} is not JSON: `)
})

test('a misspelt field, in the file or in the option, is refused with the right one', async () => {
  const typo = networkWith('typo', '{ "rnage": [0, 255] }')
  await expect(scoresOf(typo.file)).rejects.toThrow(
    `${typo.beside}: preprocessing has no option rnage; did you mean range?`,
  )
  const option = { rnage: [0, 255] } as PreprocessingOption
  await expect(scoresOf(typo.file, option)).rejects.toThrow(
    'onnx.preprocessing has no option rnage; did you mean range?',
  )
})
