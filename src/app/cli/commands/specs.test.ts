import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { startServer } from '../../../../test/servers/server.ts'
import { minimize } from '../../../index.ts'
import { compileAttack } from '../../spec/attack/index.ts'
import { compileSpec, parseSpec } from '../../spec/index.ts'
import {
  type Answers,
  askAll,
  attackQuestions,
  commentedAttack,
  commentedSpec,
  type Question,
  questions,
} from './specs.ts'

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

/** Makes a spec of answers, checks it and runs it. */
async function ran(answers: Partial<Answers>, folder?: string) {
  const { spec, ...rest } = parseSpec(commentedSpec({ ...proposals, dim: '3', maxQueries: '60', ...answers }), {
    folder,
  })
  const { objective, start, session, resolved } = compileSpec(spec, rest)
  try {
    const { value, queries } = await minimize(objective, start, session)
    return { value, queries, resolved }
  } finally {
    await objective.close?.()
  }
}

test('the proposals make a spec that runs', async () => {
  const { value, queries, resolved } = await ran({})
  expect(value).toBeLessThan(10)
  expect(queries).toBeLessThanOrEqual(60)
  expect(resolved).toMatchObject({
    objective: { name: 'rosenbrock' },
    solver: { name: 'auto' },
    dim: 3,
    maxQueries: 60,
    seed: 0,
    failures: 'avoid',
  })
})

test('a problem with bounds', async () => {
  const { resolved } = await ran({ objective: 'quadratic', bounds: ' -1 , 2.5e0' })
  expect(resolved).toMatchObject({ set: { name: 'box', lower: -1, upper: 2.5 } })
})

test('a program, a module and a service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-init-'))
  const server = await startServer((_, reply) => void reply.end('{"value": 2}'))
  try {
    const program =
      'for await (const line of (await import("node:readline")).createInterface({ input: process.stdin })) console.log(JSON.stringify({ id: JSON.parse(line).id, value: 4 }))'
    writeFileSync(join(folder, 'my program.mjs'), program)
    writeFileSync(join(folder, 'f.mjs'), 'export default () => 3')
    expect((await ran({ objective: `${process.execPath} "my program.mjs"` }, folder)).value).toBe(4)
    const { spec } = parseSpec(commentedSpec({ ...proposals, objective: 'f.mjs' }), { folder })
    expect(spec.objective).toEqual({ name: 'workers', workers: 1, module: 'f.mjs' })
    expect((await ran({ objective: `${server.url}/f?a="b"` }, folder)).value).toBe(2)
  } finally {
    await server.close()
    rmSync(folder, { recursive: true })
  }
})

test.each([
  ['objective', 'rosenbrok', 'there is no test problem rosenbrok (known: '],
  ['objective', 'python3 "f.py', 'the quote " is never closed'],
  ['objective', 'http://', 'is no URL'],
  ['dim', '0', 'a whole number of at least 1, please, not 0'],
  ['dim', '2.5', 'a whole number'],
  ['maxQueries', 'many', 'a whole number'],
  ['bounds', '1,-1', 'the smaller one first'],
  ['bounds', '1', 'two numbers'],
  ['bounds', '1,', 'two numbers'],
  ['bounds', '0,1,2', 'two numbers'],
] as const)('the answer to %s cannot be %s', (key, answer, complaint) => {
  expect(questions.find((each) => each.key === key)?.check(answer)).toContain(complaint)
})

test.each([
  ['objective', 'rosenbrock'],
  ['objective', './f.sh -x'],
  ['objective', 'f.js'],
  ['bounds', 'none'],
  ['bounds', '-1e3,0.5'],
] as const)('the answer to %s can be %s', (key, answer) => {
  expect(questions.find((each) => each.key === key)?.check(answer)).toBeUndefined()
})

test.each([
  ['model', 'missing.onnx', 'there is no file missing.onnx'],
  ['images', 'missing', 'there is no folder missing'],
  ['linf', '8', 'as in 8/255 or 0.03, please, not 8'],
  ['linf', '0', 'as in 8/255'],
  ['linf', '8/0', 'as in 8/255'],
  ['failUnder', '80', 'as in 0.5, please, not 80'],
] as const)('of an attack, the answer to %s cannot be %s', (key, answer, complaint) => {
  expect(attackQuestions.find((each) => each.key === key)?.check(answer)).toContain(complaint)
})

test.each([
  ['linf', '8/255'],
  ['linf', '0.03'],
  ['linf', '.5'],
  ['linf', '1'],
  ['failUnder', '0'],
  ['failUnder', '0.85'],
  ['failUnder', '1'],
] as const)('of an attack, the answer to %s can be %s', (key, answer) => {
  expect(attackQuestions.find((each) => each.key === key)?.check(answer)).toBeUndefined()
})

test('a spec of an attack says all that was answered, and of a model behind HTTP that it may be tested', async () => {
  const answers = { images: 'digits', linf: '8/255', failUnder: '0.7' }
  const compiled = async (model: string) => {
    const { spec, ...rest } = parseSpec(commentedAttack({ ...answers, model }), {})
    return (await compileAttack(spec, rest)).resolved
  }
  expect(await compiled('digits')).toMatchObject({
    model: { name: 'digits' },
    problem: { name: 'constrained', linf: 8 / 255 },
    ...{ count: 100, maxQueries: 1000, failUnder: 0.7, seed: 0 },
  })
  expect(await compiled('http://127.0.0.1:1/v2/models/m')).toMatchObject({ model: { model: 'm' }, permitted: true })
})
