import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startServer } from '../../test/servers/server.ts'
import { minimize } from '../index.ts'
import { compileSpec, parseSpec } from '../spec/index.ts'
import { type Answers, commentedSpec, questions } from './commented-spec.ts'

const proposals = Object.fromEntries(questions.map(({ key, proposal }) => [key, proposal])) as unknown as Answers

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
    failures: 'stop',
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
    expect((await ran({ objective: 'f.mjs' }, folder)).value).toBe(3)
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
