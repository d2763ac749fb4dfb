import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ZerothError } from '../../index.ts'
import type { JobEvent, Progress, Started } from '../jobs/index.ts'
import {
  explainError,
  interrupts,
  liveLine,
  millisecondsText,
  modeOf,
  paint,
  plainReason,
  plainText,
  watcher,
} from './terminal.ts'

test('makes one line of many and takes colours and commands to the terminal out', () => {
  expect(plainText('machine\nis \x1b[31;1moff\x1b[0m\r\n')).toBe('machine is off')
  expect(plainText('title\x1b]0;owned\x07 here')).toBe('title here')
  expect(plainText('a\u202eb\u2028c')).toBe('a b c')
})

test('nothing that a terminal would obey gets through', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for.
      expect(plainText(text)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/)
    }),
  )
})

test('a reason does not name our error class', () => {
  expect(plainReason('a query failed: ZerothError: exec: no such program')).toBe(
    'a query failed: exec: no such program',
  )
})

const terminal = { isTTY: true }

test('paints on terminals only, and never against NO_COLOR', () => {
  expect(paint(terminal, {}).red('x')).toBe('\x1b[31mx\x1b[39m')
  expect(paint({}, {}).red('x')).toBe('x')
  expect(paint(terminal, { TERM: 'dumb' }).red('x')).toBe('x')
  expect(paint(terminal, { NO_COLOR: '1' }).red('x')).toBe('x')
  expect(paint({}, { FORCE_COLOR: '1' }).red('x')).toBe('\x1b[31mx\x1b[39m')
  expect(paint({}, { FORCE_COLOR: '1', NO_COLOR: '1' }).red('x')).toBe('x')
})

test.each([
  [0, '0 ms'],
  [25.4, '25 ms'],
  [94.9, '95 ms'],
  [95, '0.1 s'],
  [1234, '1.2 s'],
  [8000, '8 s'],
  [9949, '9.9 s'],
  [9950, '10 s'],
  [59_400, '59 s'],
  [59_600, '1 min 0 s'],
  [200_000, '3 min 20 s'],
  [3_569_000, '59 min 29 s'],
  [3_570_000, '1 h 0 min'],
  [7_500_000, '2 h 5 min'],
])('%d ms reads %s', (milliseconds, text) => {
  expect(millisecondsText(milliseconds)).toBe(text)
})

test('mistakes of whoever called and of specs exit with 2, failures of runs with 1', () => {
  const codeOf = (code: ConstructorParameters<typeof ZerothError>[0]) =>
    explainError(new ZerothError(code, 'why')).exitCode
  expect(codeOf('invalid-option')).toBe(2)
  expect(codeOf('unknown-option')).toBe(2)
  expect(codeOf('invalid-data')).toBe(2)
  expect(codeOf('invalid-start')).toBe(2)
  expect(codeOf('invalid-run')).toBe(1)
  expect(codeOf('run-in-use')).toBe(1)
  expect(codeOf('storage-failed')).toBe(1)
})

test('an error of the system is told as it is', () => {
  try {
    readFileSync('/nowhere/at/all')
    expect.unreachable()
  } catch (error) {
    const { message, code, exitCode } = explainError(error)
    expect(message).toBe("ENOENT: no such file or directory, open '/nowhere/at/all'")
    expect([code, exitCode]).toEqual(['system', 1])
  }
})

test('anything else is one line without a stack that says how to find the stack', () => {
  const { message, code } = explainError(new TypeError('x is\nnot a function'))
  expect(message).toMatch(/^x is not a function \(.*ZEROTH_DEBUG=1/)
  expect(message).not.toMatch(/\n|at /)
  expect(code).toBe('internal')
  expect(explainError('a thrown string').message).toMatch(/^a thrown string/)
})

function source() {
  const events = new EventEmitter()
  const exits: number[] = []
  return Object.assign(events, { exits, exit: (code: number) => void exits.push(code) })
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])('the first %s stops the run, the second ends the program with %d', (name, code) => {
  const from = source()
  const said: string[] = []
  const { signal, close } = interrupts((message) => said.push(message), from)
  from.emit(name, name)
  expect(signal.aborted).toBe(true)
  expect((signal.reason as Error).message).toBe(`stopped by ${name}`)
  expect(said).toEqual(['interrupted: saving (Ctrl-C again to quit now)'])
  expect(from.exits).toEqual([])
  from.emit(name, name)
  expect(from.exits).toEqual([code])
  close()
  expect(from.listenerCount(name)).toBe(0)
})

test('what has not ended 4.5 seconds after the first signal is ended', () => {
  const from = source()
  interrupts(() => undefined, from)
  from.emit('SIGINT', 'SIGINT')
  vi.advanceTimersByTime(4499)
  expect(from.exits).toEqual([])
  vi.advanceTimersByTime(1)
  expect(from.exits).toEqual([130])
})

test('a run that has ended in time is left alone', () => {
  const from = source()
  const { close } = interrupts(() => undefined, from)
  from.emit('SIGINT', 'SIGINT')
  close()
  vi.advanceTimersByTime(10_000)
  expect(from.exits).toEqual([])
})

describe('progress is shown', () => {
  test.each([
    ['live on a terminal', {}, true, {}, 'live'],
    ['not where stderr is no terminal', {}, false, {}, 'none'],
    ['not with --no-progress', { progress: false }, true, {}, 'none'],
    ['not with --json', { json: true }, true, {}, 'none'],
    ['not in CI', {}, true, { CI: 'true' }, 'none'],
    ['where CI is empty or false', {}, true, { CI: 'false' }, 'live'],
    ['not on a dumb terminal', {}, true, { TERM: 'dumb' }, 'none'],
    ['as lines with --verbose, wherever that goes', { verbose: true, json: true }, false, { CI: '1' }, 'lines'],
    ['not with --quiet, even if verbose', { quiet: true, verbose: true }, true, {}, 'none'],
  ] as const)('%s', (_, flags, isTerminal, environment, mode) => {
    expect(modeOf(flags, isTerminal, environment)).toBe(mode)
  })
})

describe('the watcher', () => {
  const line = { text: () => 'iteration 1  queries 11  best 2.00000' }
  let written = ''
  const write = (text: string): void => {
    written += text
  }
  const screen = { isTTY: true, columns: 40, write }

  beforeEach(() => {
    written = ''
    vi.useFakeTimers()
    vi.stubEnv('CI', '')
    vi.stubEnv('TERM', 'xterm')
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllEnvs()
  })

  test('redraws one line ten times a second and clears it before anything else is said', () => {
    const watching = watcher({}, screen)
    const hide = watching.display(line)
    expect(written).toBe('')
    vi.advanceTimersByTime(200)
    expect(written).toBe('\r\x1b[Kiteration 1  queries 11  best 2.00000'.repeat(2))
    written = ''
    watching.say('something')
    expect(written).toBe('\r\x1b[Ksomething\n')
    hide()
    written = ''
    vi.advanceTimersByTime(1000)
    expect(written).toBe('')
    watching.close()
  })

  test('writes a line every two seconds where it is verbose', () => {
    const watching = watcher({ verbose: true }, screen)
    const hide = watching.display(line)
    vi.advanceTimersByTime(4100)
    expect(written).toBe('iteration 1  queries 11  best 2.00000\n'.repeat(2))
    hide()
    watching.close()
  })

  test('keeps quiet but for what went wrong', () => {
    const watching = watcher({ quiet: true }, screen)
    watching.display(line)
    vi.advanceTimersByTime(1000)
    watching.say('not worth saying')
    expect(written).toBe('')
    watching.warn('zeroth: it failed')
    expect(written).toBe('zeroth: it failed\n')
    watching.close()
  })
})

const stamp = { v: 1, seq: 0, at: 0 } as const
const begun = (changes: Partial<Started> = {}, work = 'w'): JobEvent => ({
  ...stamp,
  work,
  type: 'started',
  kind: 'run',
  resumed: false,
  budget: {},
  ...changes,
})
const at = (changes: Partial<Progress>, work = 'w'): JobEvent => ({
  ...stamp,
  work,
  type: 'progress',
  iterations: 101,
  queries: 1111,
  best: 0.5,
  rate: 550,
  left: 7070,
  tail: [],
  ...changes,
})

function line(...events: JobEvent[]) {
  let now = 0
  const made = liveLine(() => now)
  for (const event of events) made.take(event)
  const wait = (milliseconds: number): void => {
    now += milliseconds
  }
  return { ...made, wait }
}

test('says iteration, queries, best value, queries per second and the time left', () => {
  const { text } = line(begun({ budget: { maxQueries: 5000 } }), at({ best: 0.123456789 }))
  expect(text()).toBe('iteration 101  queries 1,111 of 5,000  best 0.123457  550 queries/s  7.1 s left')
})

test('waits for the first answers and says for how long', () => {
  const { text, wait } = line(begun({ title: 'seed 3' }))
  wait(12_000)
  expect(text()).toBe('seed 3  waiting for the first answers  12 s')
})

test('says neither a pace nor a time before it can know them, and no value before there is one', () => {
  const early = at({ iterations: 1, queries: 11, best: Number.NaN, rate: 0, left: undefined })
  expect(line(begun({ budget: { maxQueries: 100 } }), early).text()).toBe('iteration 1  queries 11 of 100  best -')
})

test('is about the member that was begun last', () => {
  const member = begun({ parent: 'w', title: 'seed 3 (4 of 5)' }, 'w/seed-3')
  const { text, take } = line(begun({ kind: 'series' }), at({ items: { done: 3, total: 5 } }))
  expect(text()).toBe('3 of 5 done')
  take(member)
  take(at({ queries: 9 }))
  take(at({ queries: 77, iterations: 7 }, 'w/seed-3'))
  expect(text()).toBe('seed 3 (4 of 5)  iteration 7  queries 77  best 0.500000  550 queries/s  7.1 s left')
})

test('of an evaluation it says how many images are done and fooled', () => {
  const { text, take, share } = line(
    begun({ kind: 'evaluation' }),
    at({ phase: 'screening', items: { done: 12, total: 4 } }),
  )
  expect(text()).toBe('screening images: 12')
  take(at({ phase: 'attacking', share: 0.25, items: { done: 1, total: 4, fooled: 1 }, rate: 110, left: 25_000 }))
  expect(text()).toBe('images 1 of 4  fooled 1  110 queries/s  at most 25 s left')
  expect(share()).toBe(0.25)
})

test('says who works on it elsewhere and what is left to do there', () => {
  const queue = { workers: 4, waiting: 1200, active: 4, failed: 0 }
  const { text, take } = line(begun(), at({ queue, rate: 0, left: undefined }))
  expect(text()).toBe('iteration 101  queries 1,111  best 0.500000  4 workers: 1,200 waiting, 4 active')
  take(at({ queue: { workers: 1, waiting: 0, active: 1, failed: 2 }, rate: 0, left: undefined }))
  expect(text()).toBe('iteration 101  queries 1,111  best 0.500000  1 worker: 0 waiting, 1 active, 2 failed')
})

test('says first that a model does not answer, and for how long', () => {
  const items = { done: 1, total: 4, fooled: 1 }
  const { text, take, wait } = line(
    begun({ kind: 'evaluation' }),
    at({ phase: 'attacking', items, rate: 0, left: undefined, waiting: 10_000 }),
  )
  wait(2000)
  expect(text()).toBe('the model does not answer: waiting (12 s)  images 1 of 4  fooled 1')
  take(at({ phase: 'attacking', items, rate: 0, left: undefined }))
  expect(text()).toBe('images 1 of 4  fooled 1')
})

test('of a universal attack it says how many images the perturbation fools now', () => {
  const items = { done: 0, total: 4, fooled: 3 }
  const { text } = line(
    begun({ kind: 'evaluation' }),
    at({ phase: 'universal', iterations: 45, items, rate: 500, left: 1000 }),
  )
  expect(text()).toBe('iteration 45  fooled 3 of 4  500 queries/s  at most 1 s left')
})

test('on a narrow terminal the least important goes first and no line is longer', () => {
  const { text } = line(begun({ budget: { maxQueries: 5000 }, title: 'seed 3 (4 of 5)' }), at({}))
  expect(text(80)).toBe('iteration 101  queries 1,111 of 5,000  best 0.500000  550 queries/s  7.1 s left')
  expect(text(60)).toBe('queries 1,111 of 5,000  best 0.500000  7.1 s left')
  expect(text(30)).toBe('best 0.500000')
  for (let width = 1; width < 120; width++) expect(text(width).length).toBeLessThanOrEqual(width)
})

test('variables with names are shown where there is room', () => {
  const shown = line(begun(), at({ variables: { rate: 0.00123456, width: 2.5, mode: 'fast', threads: 1048577 } }))
  expect(shown.text()).toContain('best 0.500000  rate 0.001235  width 2.500  mode fast  threads 1048577  550 queries/s')
  expect(shown.text(60)).not.toContain('rate')
})
