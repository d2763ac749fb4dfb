import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { makeAnswers } from '../../../optimizer/core/answers.ts'
import type { Objective, Queries } from '../../../optimizer/core/types.ts'
import { execObjective } from '../exec.ts'
import { lineReader } from './child.ts'

/** The lines of a text that arrives in pieces of the given sizes, and how often one was too long. */
function linesOf(text: string, sizes: readonly number[], maxBytes = 1000): { lines: string[]; tooLong: number } {
  const bytes = new TextEncoder().encode(text)
  const lines: string[] = []
  let tooLong = 0
  const reader = lineReader(
    maxBytes,
    (line) => void lines.push(line),
    () => tooLong++,
  )
  let start = 0
  for (const size of sizes) {
    reader.push(bytes.subarray(start, start + size))
    start += size
  }
  reader.push(bytes.subarray(start))
  reader.end()
  return { lines, tooLong }
}

test('a line is the same however its bytes arrive', () => {
  const pieces = fc.array(fc.nat(20), { maxLength: 50 })
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), pieces, (texts, sizes) => {
      const expected = texts.flatMap((text) => text.split(/[\r\n]/)).map((line) => line.trim())
      expect(linesOf(texts.join('\n'), sizes).lines).toEqual(expected.filter((line) => line !== ''))
    }),
  )
})

test('lines end with a new line, a carriage return, both, or the end of the output', () => {
  expect(linesOf('1\n2\r\n3\r4', []).lines).toEqual(['1', '2', '3', '4'])
})

test('blank lines are left out', () => {
  expect(linesOf('\n\n  \n1\n\t\n', []).lines).toEqual(['1'])
})

test('a line that is too long is told once and dropped, and the next one is read again', () => {
  const { lines, tooLong } = linesOf(`12345\n${'x'.repeat(100)}\n67890\n`, [30, 30, 30], 5)
  expect(lines).toEqual(['12345', '67890'])
  expect(tooLong).toBe(1)
})

const folder = mkdtempSync(join(tmpdir(), 'zeroth-group-'))
afterAll(() => rmSync(folder, { recursive: true }))

const queries: Queries = {
  key: { seed: 1, iteration: 1 },
  rows: 1,
  dim: 1,
  centers: 1,
  sample: () => 0,
  write: (row, into, offset = 0) => into.set([row], offset),
}

/** Children and a grandchild, none of which minds a polite signal. It writes down its process id, which is its group's. */
const stubborn = `trap "" TERM
  sleep 1000 &
  sh -c 'sleep 1001 & wait' &
  echo $$ > "$1"
  while :; do sleep 1000; done`

/** The same, but it answers, and goes on when its standard input ends. */
const stubbornButPolite = `trap "" TERM
  sleep 1000 &
  sh -c 'sleep 1001 & wait' &
  echo $$ > "$1"
  while read -r line; do echo 1; done
  while :; do sleep 1000; done`

interface Started {
  readonly objective: Objective
  readonly work: Promise<void>
  readonly group: number
}

let files = 0

async function started(script: string, options: object, signal?: AbortSignal): Promise<Started> {
  const file = join(folder, `pid-${files++}`)
  const objective = execObjective({ dim: 1, command: ['sh', '-c', script, 'sh', file], ...options })
  const work = Promise.resolve(objective.evaluate(queries, makeAnswers(1), signal))
  await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'))
  const group = Number(readFileSync(file, 'utf8'))
  await until(async () => (await living(group)).length >= 4)
  return { objective, work, group }
}

/** The commands of a group's living members. The dead that nobody took notice of are no processes any more. */
async function living(group: number): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pgid=,stat=,args='])
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([pgid, state]) => Number(pgid) === group && !`${state}`.startsWith('Z'))
    .map((fields) => fields.slice(2).join(' '))
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Ends once a group is gone; one that stays is a test that never ends. */
async function gone(group: number): Promise<void> {
  await until(async () => (await living(group)).length === 0)
}

describe.concurrent.each(['persistent', 'one-shot'])(
  'a command in %s mode whose descendants ignore SIGTERM',
  (mode) => {
    test('is gone after its time-out', async () => {
      const { objective, work, group } = await started(stubborn, { mode, timeout: 4000 })
      await work
      await gone(group)
      await objective.close?.()
    })

    test('is gone after an abort', async () => {
      const stop = new AbortController()
      const { objective, work, group } = await started(stubborn, { mode }, stop.signal)
      stop.abort()
      await work
      await gone(group)
      await objective.close?.()
    })

    test('is gone once close has returned', async () => {
      const { objective, group } = await started(stubborn, { mode })
      await objective.close?.()
      await gone(group)
    })
  },
)

test.concurrent('an idle process that ignores SIGTERM and the end of its input is gone once close has returned', async () => {
  const { objective, work, group } = await started(stubbornButPolite, {})
  await work
  await objective.close?.()
  await gone(group)
})

test.concurrent('an idle process that ends with its input is given the time to do so', async () => {
  const file = join(folder, 'farewell')
  const script = 'while read -r line; do echo 1; done; sleep 0.1; echo bye > "$1"'
  const objective = execObjective({ dim: 1, command: ['sh', '-c', script, 'sh', file] })
  await objective.evaluate(queries, makeAnswers(1))
  await objective.close?.()
  expect(readFileSync(file, 'utf8')).toBe('bye\n')
})

test.concurrent('what a process leaves behind when it dies is ended, too', async () => {
  const file = join(folder, 'orphan')
  const script = 'sh -c "trap \\"\\" TERM; sleep 1000" & echo $$ > "$1"; exit 3'
  const objective = execObjective({ dim: 1, command: ['sh', '-c', script, 'sh', file], mode: 'one-shot' })
  const answers = makeAnswers(1)
  await objective.evaluate(queries, answers)
  expect(String(answers.reasons[0])).toContain('exited with code 3')
  await objective.close?.()
  expect(await living(Number(readFileSync(file, 'utf8')))).toEqual([])
})

test('the signals of this program have no listeners of ours once everything is gone', async () => {
  const before = process.listenerCount('SIGINT')
  const objective = execObjective({ dim: 1, command: ['sh', '-c', 'while read -r line; do echo 1; done'] })
  await objective.evaluate(queries, makeAnswers(1))
  expect(process.listenerCount('SIGINT')).toBe(before + 1)
  await objective.close?.()
  expect(process.listenerCount('SIGINT')).toBe(before)
  expect(process.listeners('exit').map(({ name }) => name)).not.toContain('killAll')
})
