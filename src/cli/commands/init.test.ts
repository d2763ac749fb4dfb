import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { type Question, questions } from '../commented-spec.ts'
import { askAll } from './init.ts'

const proposals = { objective: 'rosenbrock', dim: '10', bounds: 'none', maxQueries: '5000' }

async function answered(text: string, isTTY: boolean, asked: readonly Question[] = questions) {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = new PassThrough()
  input.end(text)
  const answers = await askAll(asked, { input, output })
  return { answers, said: String(output.read() ?? '') }
}

test('takes answers from a pipe without asking; empty and missing ones are the proposals', async () => {
  const { answers, said } = await answered('f.js\n\n-1,1\n', false)
  expect(answers).toEqual({ ...proposals, objective: 'f.js', bounds: '-1,1' })
  expect(said).toBe('')
  expect((await answered('', false)).answers).toEqual(proposals)
})

test('a wrong answer in a pipe is an error that names the question', async () => {
  await expect(answered('\nx\n', false)).rejects.toThrow('dim: a whole number of at least 1, please, not x')
})

test('on a terminal it asks until the answer is good', async () => {
  const { answers, said } = await answered('nothing\nquadratic\nx\n4\n\n\n', true)
  expect(answers).toEqual({ ...proposals, objective: 'quadratic', dim: '4' })
  expect(said.match(/What is minimised\?/g)).toHaveLength(2)
  expect(said).toContain('How many variables? [10] ')
  expect(said).toContain('a whole number of at least 1, please, not x\n')
})

test('whoever had enough gets nothing', async () => {
  expect((await answered('quadratic\n', true)).answers).toBeUndefined()
})
