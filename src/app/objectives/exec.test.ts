import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { sampleQueries } from '../../../test/objectives/sample-queries.ts'
import { makeAnswers, markFailures } from '../../optimizer/core/answers.ts'
import { ZerothError } from '../../optimizer/core/errors.ts'
import type { Answers, Objective } from '../../optimizer/core/types.ts'
import { zoAdaMM } from '../../optimizer/methods/presets.ts'
import { minimize } from '../../optimizer/minimize/minimize.ts'
import { execObjective } from './exec.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-exec-'))
afterAll(() => rmSync(folder, { recursive: true }))

const open: Objective[] = []
afterEach(() => Promise.all(open.splice(0).map((objective) => objective.close?.())))

type Options = Parameters<typeof execObjective>[0]

/** An objective that is closed after the test. */
function exec(options: Omit<Options, 'dim'> & { readonly dim?: number }): Objective {
  const objective = execObjective({ dim: 2, ...options })
  open.push(objective)
  return objective
}

/** A shell script: it starts in a few milliseconds, on a busy machine, too. */
function sh(script: string, ...args: string[]): string[] {
  return ['sh', '-c', script, 'sh', ...args]
}

function node(script: string, ...args: string[]): string[] {
  return [process.execPath, '-e', script, ...args]
}

/** Answers each request by the lines of a shell `case` over its row; $id is the request's. */
function byRow(cases: string): string[] {
  return sh(`while IFS= read -r line; do
    id=\${line#*:}; id=\${id%%,*}; row=\${line##*:}; row=\${row%?}
    case $row in ${cases} *) echo "{\\"id\\":$id,\\"value\\":$row}" ;; esac
  done`)
}

async function answered(objective: Objective, rows: number, signal?: AbortSignal): Promise<Answers> {
  const answers = makeAnswers(rows)
  await objective.evaluate(sampleQueries(rows), answers, signal)
  return answers
}

/** Far more than a pipe holds. */
const wideDim = 300_000

async function answeredWide(objective: Objective, rows: number): Promise<Answers> {
  const answers = makeAnswers(rows)
  await objective.evaluate(
    { ...sampleQueries(rows), dim: wideDim, write: (row, into) => void into.fill(row + 0.5) },
    answers,
  )
  return answers
}

/** The reason of the only row that failed. */
async function failure(options: Omit<Options, 'dim'>, code = 'query-failed'): Promise<ZerothError> {
  const { failed, reasons } = await answered(exec(options), 1)
  expect(Array.from(failed).reduce((sum, each) => sum + each, 0)).toBe(1)
  const reason = reasons.find((each) => each !== undefined)
  expect(reason).toBeInstanceOf(ZerothError)
  expect((reason as ZerothError).code).toBe(code)
  return reason as ZerothError
}

const echo = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, ...rest } = JSON.parse(line)
  console.log(JSON.stringify({ id, error: JSON.stringify(rest) }))
})`

/** Nothing but sums and products, in JavaScript here and there. */
const bowl = (x: ArrayLike<number>): number => {
  let sum = (x[0] as number) * (x[1] as number)
  for (let i = 0; i < x.length; i++) sum += (i + 1) * ((x[i] as number) - 0.25 * i) * ((x[i] as number) - 0.25 * i)
  return sum
}
const bowlProgram = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, x } = JSON.parse(line)
  let sum = x[0] * x[1]
  for (let i = 0; i < x.length; i++) sum += (i + 1) * (x[i] - 0.25 * i) * (x[i] - 0.25 * i)
  console.log(JSON.stringify({ id, value: sum }))
})`

/** The same once more: awk starts faster than Node. */
const bowlInAwk = `{
  gsub(/.*\\[|\\].*/, ""); count = split($0, x, ",")
  sum = x[1] * x[2]
  for (i = 0; i < count; i++) sum += (i + 1) * (x[i + 1] - 0.25 * i) * (x[i + 1] - 0.25 * i)
  printf "%.17g\\n", sum
}`

describe('a persistent program', () => {
  test('is told the point, the sample, the iteration and the row', async () => {
    const { reasons } = await answered(exec({ command: node(echo) }), 3)
    expect(String(reasons[2])).toContain('{"x":[2,20],"sample":102,"iteration":7,"row":2}')
  })

  test('is started once, by the first query, and keeps what it knows', async () => {
    const starts = join(folder, 'starts')
    writeFileSync(starts, '')
    const counting = 'echo start >> "$1"; n=0; while read -r line; do n=$((n+1)); echo $n; done'
    const objective = exec({ command: sh(counting, starts) })
    expect(readFileSync(starts, 'utf8')).toBe('')
    expect(Array.from((await answered(objective, 3)).values)).toEqual([1, 2, 3])
    expect(Array.from((await answered(objective, 2)).values)).toEqual([4, 5])
    expect(readFileSync(starts, 'utf8')).toBe('start\n')
  })

  test('may run in several processes: the rows are shared out and keep their places', async () => {
    const pids = new Set<number>()
    const objective = exec({ command: sh('while read -r line; do sleep 0.02; echo $$; done'), processes: 3 })
    for (const value of (await answered(objective, 9)).values) pids.add(value)
    expect(pids.size).toBe(3)
    const rows = await answered(exec({ command: byRow(''), processes: 3 }), 20)
    expect(Array.from(rows.values)).toEqual(Array.from({ length: 20 }, (_, row) => row))
  })

  test('serves two evaluations at once, no process more than one request at a time', async () => {
    const objective = exec({ command: byRow(''), processes: 2 })
    const [one, two] = await Promise.all([answered(objective, 12), answered(objective, 7)])
    expect(Array.from(one.values)).toEqual(Array.from({ length: 12 }, (_, row) => row))
    expect(Array.from(two.values)).toEqual(Array.from({ length: 7 }, (_, row) => row))
  })

  test('may write bare numbers, blank lines, late answers of unknown id and other line ends', async () => {
    const script = `while read -r line; do printf '\\r\\n\\n{"id":999,"value":3}\\r\\n  2.5 \\r\\n'; done`
    expect(Array.from((await answered(exec({ command: sh(script) }), 3)).values)).toEqual([2.5, 2.5, 2.5])
  })

  test.each([
    ['NaN', '1) echo NaN ;;', undefined],
    ['Infinity', '1) echo "{\\"id\\":$id,\\"value\\":\\"Infinity\\"}" ;;', undefined],
    [
      'a string',
      '1) echo "{\\"id\\":$id,\\"value\\":\\"one\\"}" ;;',
      'answered with the value "one" instead of a number',
    ],
    ['null', '1) echo "{\\"id\\":$id,\\"value\\":null}" ;;', 'answered with the value null instead of a number'],
    [
      'no value',
      '1) echo "{\\"id\\":$id,\\"loss\\":1}" ;;',
      /exec: sh -c .* answered without the field value: its reply is an object with "id", "loss"$/,
    ],
    ['an error', '1) echo "{\\"id\\":$id,\\"error\\":\\"too hot\\"}" ;;', 'answered with an error: too hot'],
    ['silence', '1) ;;', 'did not answer within 3000 ms', 3000],
    [
      'something else',
      '1) echo "one moment" ;;',
      'wrote a line that is not a reply: "one moment" (messages belong on standard error)',
    ],
    [
      'other fields',
      '1) echo "{\\"loss\\":1}" ;;',
      'wrote a line that is not a reply: "{\\"loss\\":1}" (a reply has the field value or error)',
    ],
  ])('that answers %s fails its row only', async (_, cases, reason, timeout = 60_000) => {
    const result = await answered(exec({ command: byRow(cases), timeout }), 4)
    expect(String(result.reasons[1])).toMatch(reason ?? 'undefined')
    expect(markFailures(result, 4)).toBe(1)
    expect(Array.from(result.failed)).toEqual([0, 1, 0, 0])
    expect([0, 2, 3].map((row) => result.values[row])).toEqual([0, 2, 3])
  })

  test('may answer 1e308', async () => {
    expect(Array.from((await answered(exec({ command: byRow('1) echo 1e308 ;;') }), 3)).values)).toEqual([0, 1e308, 2])
  })

  test('that writes a second number costs the next row, never a wrong value', async () => {
    const { values, failed, reasons } = await answered(exec({ command: byRow('1) printf "1\\n7\\n" ;;') }), 4)
    expect(Array.from(failed)).toEqual([0, 0, 1, 0])
    expect(Array.from(values)).toEqual([0, 1, Number.NaN, 3])
    expect(String(reasons[2])).toContain('sent a reply without a request: "7"')
  })

  test('that dies fails the open row with its exit code and its last words, and is started again', async () => {
    const { values, failed, reasons } = await answered(
      exec({ command: byRow('1) echo working >&2; echo "no such file" >&2; exit 3 ;; 2) kill -9 $$ ;;') }),
      5,
    )
    expect(Array.from(failed)).toEqual([0, 1, 1, 0, 0])
    expect([0, 3, 4].map((row) => values[row])).toEqual([0, 3, 4])
    expect(String(reasons[1])).toMatch(
      /exec: sh -c .* exited with code 3 before it answered; last line of stderr: no such file$/,
    )
    expect(String(reasons[2])).toMatch(/was ended by SIGKILL before it answered$/)
    expect((reasons[1] as Error).cause).toBe('working\nno such file')
  })

  test('that dies of an exception says so in the reason, and all the rest is its cause', async () => {
    const reason = await failure({
      command: node('process.stdin.once("data", () => { throw new TypeError("burnt") })'),
    })
    expect(reason.message).toMatch(/exited with code 1 before it answered; last line of stderr: TypeError: burnt$/)
    expect(String(reason.cause)).toMatch(/TypeError: burnt\nat .*/)
  })

  test('that answers in time is heard, even if this program was busy until long after', async () => {
    const answersWritten = join(folder, 'answers-written')
    const script = `while read -r line; do echo 0; echo x >> "$1"; done`
    const objective = exec({ command: sh(script, answersWritten), timeout: 2000 })
    await answered(objective, 1)
    const work = answered(objective, 1)
    // Until the request is written, but not until its answer could be read.
    for (let turn = 0; turn < 50; turn++) await undefined
    const hasAnswered = () => readFileSync(answersWritten).length === 4
    for (const until = performance.now() + 2200; performance.now() < until || !hasAnswered(); );
    expect(Array.from((await work).values)).toEqual([0])
  })

  test('that ends after one answer is told about the other mode', async () => {
    const { values, reasons } = await answered(exec({ command: sh('read -r line; echo 1; sleep 0.05') }), 2)
    expect(values[0]).toBe(1)
    expect(String(reasons[1])).toContain('exited with code 0 before it answered (a program that ends after one query')
  })

  test('that dies at once is started once per row, no more', async () => {
    const starts = join(folder, 'deaths')
    const { failed } = await answered(exec({ command: sh('echo start >> "$1"; exit 1', starts), processes: 2 }), 6)
    expect(Array.from(failed)).toEqual([1, 1, 1, 1, 1, 1])
    expect(readFileSync(starts, 'utf8').trim().split('\n').length).toBe(6)
  })

  test('that closes its standard input and lives on fails the row long before its time is up', async () => {
    const { reasons } = await answeredWide(exec({ command: sh('exec 0<&-; sleep 30'), dim: wideDim }), 1)
    expect(String(reasons[0])).toContain('does not read its standard input')
  })

  test('that answers without reading is not sent more than it reads', async () => {
    const objective = exec({ command: sh('while :; do echo 1; sleep 0.05; done'), dim: wideDim })
    const { values, reasons } = await answeredWide(objective, 2)
    expect(Array.from(values)).toEqual([1, Number.NaN])
    expect(String(reasons[1])).toContain('sent a reply without a request: "1"')
  })

  test('reads points far larger than a pipe', async () => {
    const sum = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      console.log(JSON.parse(line).x.reduce((a, b) => a + b, 0)) })`
    const { values } = await answeredWide(exec({ command: node(sum), dim: wideDim }), 2)
    expect(Array.from(values)).toEqual([0.5 * wideDim, 1.5 * wideDim])
  })

  test('that writes a line without end fails its row', async () => {
    const reason = await failure({ command: sh("printf '%02000d' 1; sleep 30"), maxLineBytes: 1000 })
    expect(reason.message).toContain('wrote a line of more than 1000 bytes')
  })
})

describe('a one-shot program', () => {
  const mode = 'one-shot'

  test.each([
    ['a number', 'echo 2.5', 2.5],
    ['a number without a line end', 'printf 2.5', 2.5],
    ['the last line that is not blank', 'echo loading; echo 2.5; echo; echo "  "', 2.5],
    ['the reply of the protocol', `read -r line; id=\${line#*:}; echo "{\\"id\\":\${id%%,*},\\"value\\":2.5}"`, 2.5],
  ])('answers %s', async (_, script, value) => {
    const { values } = await answered(exec({ command: sh(script), mode }), 3)
    expect(Array.from(values)).toEqual([value, value, value])
  })

  test('is started for each query and told it on its standard input', async () => {
    const { reasons } = await answered(exec({ command: node(echo), mode, processes: 2 }), 3)
    expect(reasons.map(String)[1]).toContain('{"x":[1,10],"sample":101,"iteration":7,"row":1}')
  })

  test.each([
    [
      'ends with another exit code than 0',
      'echo 2.5; echo lost >&2; exit 4',
      'exited with code 4; last line of stderr: lost',
    ],
    ['is killed', 'kill -9 $$', 'was ended by SIGKILL'],
    ['writes nothing', 'true', 'wrote nothing to its standard output'],
    ['writes no reply', 'echo 2.5; echo bye', 'wrote a last line that is not a reply: "bye"'],
    ['answers another request', 'echo "{\\"id\\":77,\\"value\\":1}"', 'answered request 77, not 1'],
    ['answers an error', 'echo "{\\"error\\":\\"too hot\\"}"', 'answered with an error: too hot'],
    ['is silent', 'sleep 3000', 'did not answer within 300 ms', 300],
  ])('that %s fails its row', async (_, script, reason, timeout = 60_000) => {
    expect((await failure({ command: sh(script), mode, timeout })).message).toContain(reason)
  })

  test('need not read its standard input, however long the point', async () => {
    const { values } = await answeredWide(exec({ command: sh('echo 1'), mode, dim: wideDim }), 1)
    expect(Array.from(values)).toEqual([1])
  })

  test('is not waited for where it left something running that holds its output', async () => {
    const { values } = await answered(exec({ command: sh('sleep 30 & echo 4'), mode }), 1)
    expect(Array.from(values)).toEqual([4])
  })
})

describe.each(['persistent', 'one-shot'] as const)('a command in %s mode', (mode) => {
  test('that does not exist fails its rows and says so', async () => {
    const reason = await failure({ command: ['no-such-program-of-zeroth', '--x'], mode }, 'invalid-objective')
    expect(reason.retryable).toBe(false)
    expect(reason.message).toBe(
      'exec: no-such-program-of-zeroth --x cannot be started: there is no such program (ENOENT)',
    )
  })

  test('that holds its arguments in its name is told how to write them', async () => {
    const reason = await failure({ command: ['python3 objective.py'], mode }, 'invalid-objective')
    expect(reason.message).toBe(
      'exec: python3 objective.py cannot be started: there is no such program (ENOENT); give its arguments as separate items of the command',
    )
  })

  test('that may not be executed fails its rows and says so', async () => {
    const file = join(folder, `not-executable-${mode}`)
    writeFileSync(file, '#!/bin/sh\necho 1\n', { mode: 0o600 })
    expect((await failure({ command: [file], mode }, 'invalid-objective')).message).toContain(
      'cannot be started: it may not be executed (EACCES)',
    )
  })

  test('is started in its folder with its environment', async () => {
    const command = sh('read -r line; test "$(pwd -P)" = "$1" && echo "$NUMBER"', folder)
    const { values } = await answered(exec({ command, mode, cwd: folder, env: { NUMBER: '17' } }), 1)
    expect(Array.from(values)).toEqual([17])
  })

  test('may be given its folder as a URL, and its command as a list that nobody may change', async () => {
    const command = ['sh', '-c', 'read -r line; test "$(pwd -P)" = "$1" && echo 17', 'sh', folder] as const
    const { values } = await answered(exec({ command, mode, cwd: pathToFileURL(folder) }), 1)
    expect(Array.from(values)).toEqual([17])
  })

  test('sees variables that are set after it was made', async () => {
    const objective = exec({ command: sh('read -r line; echo "$ZEROTH_EXEC_LATE"'), mode })
    process.env.ZEROTH_EXEC_LATE = '18'
    expect(Array.from((await answered(objective, 1)).values)).toEqual([18])
    delete process.env.ZEROTH_EXEC_LATE
  })

  test('in a folder that is none is refused when it is made', () => {
    const file = join(folder, `no-folder-${mode}`)
    writeFileSync(file, '')
    for (const cwd of [file, join(folder, 'nowhere')]) {
      expect(() => exec({ command: sh('echo 1'), mode, cwd })).toThrow(`exec.cwd: there is no folder ${cwd}`)
    }
  })

  test('can be closed twice, before and after use, and starts again when asked again', async () => {
    const objective = exec({ command: sh('while read -r line; do echo $$; done'), mode })
    await objective.close?.()
    const [first] = (await answered(objective, 1)).values
    await objective.close?.()
    await objective.close?.()
    const [second] = (await answered(objective, 1)).values
    expect(second).toBeGreaterThan(0)
    expect(second).not.toBe(first)
  })

  test('that is closed while it works fails the rows not answered and starts nothing more', async () => {
    const starts = join(folder, `closed-${mode}`)
    const objective = exec({ command: sh('echo start >> "$1"; sleep 30', starts), mode })
    const work = answered(objective, 5)
    await expect.poll(() => readFileSync(starts, { encoding: 'utf8', flag: 'a+' })).toBe('start\n')
    await objective.close?.()
    const { failed, reasons } = await work
    expect(Array.from(failed)).toEqual([1, 1, 1, 1, 1])
    expect(String(reasons[0])).toContain('was stopped: the objective was closed')
    for (const reason of reasons) expect(reason).toMatchObject({ code: 'query-failed', retryable: false })
    expect(readFileSync(starts, 'utf8')).toBe('start\n')
  })

  test('that is aborted returns at once and starts nothing more', async () => {
    const starts = join(folder, `aborted-${mode}`)
    const stop = new AbortController()
    const objective = exec({ command: sh('echo start >> "$1"; sleep 30', starts), mode })
    const work = answered(objective, 5, stop.signal)
    await expect.poll(() => readFileSync(starts, { encoding: 'utf8', flag: 'a+' })).toBe('start\n')
    stop.abort()
    expect(Array.from((await work).failed)).toEqual([1, 1, 1, 1, 1])
    expect(Array.from((await answered(objective, 2, stop.signal)).failed)).toEqual([1, 1])
    expect(readFileSync(starts, 'utf8')).toBe('start\n')
  })
})

describe('arguments', () => {
  // Every argument ends in a zero byte, which no argument can hold.
  const script = 'printf "%s\\0" "$@" > "$INTO"; echo 1'

  async function arrived(args: readonly string[]): Promise<string[]> {
    const into = join(folder, 'arguments')
    const command = sh(script, ...args)
    const { values, reasons } = await answered(exec({ command, mode: 'one-shot', env: { INTO: into } }), 1)
    expect(reasons[0]).toBeUndefined()
    expect(values[0]).toBe(1)
    return readFileSync(into, 'utf8').split('\0').slice(0, -1)
  }

  test('fifty with characters that mean something to a shell arrive as they are', async () => {
    expect(metacharacters.length).toBe(50)
    expect(await arrived(metacharacters)).toEqual(metacharacters)
  })

  test('any text arrives as it is', async () => {
    const text = fc.string({ unit: 'binary' }).filter((each) => !each.includes('\0'))
    const risky = fc.string({ unit: fc.constantFrom(...'$`"\'\\;|&<>(){}[]*?~#! \n\t%^=-aé'), maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(text, risky), { minLength: 1, maxLength: 10 }), async (args) => {
        expect(await arrived(args)).toEqual(args)
      }),
      { numRuns: 40 },
    )
  })

  test('a zero byte, an empty program and an empty command are refused', () => {
    expect(() => exec({ command: ['sh', 'a\0b'] })).toThrow('exec.command.1 must not hold a zero byte, got "a\\u0000b"')
    expect(() => exec({ command: [''] })).toThrow('exec.command.0 must not be empty, got ""')
    expect(() => exec({ command: [] })).toThrow(/exec\.command must hold at least 1/)
  })
})

describe('secrets', () => {
  const canary = 'canary-7f3a99"$x'
  const second = 'MIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC'
  process.env.ZEROTH_EXEC_CANARY = canary
  const file = join(folder, 'secret')
  writeFileSync(file, `${second}\n`)
  const env = { TOKEN: { env: 'ZEROTH_EXEC_CANARY' }, KEY: { file }, PLAIN_PASSWORD: 'plain-canary' }
  afterAll(() => {
    delete process.env.ZEROTH_EXEC_CANARY
  })

  test('reach the program', async () => {
    const compare = `test "$TOKEN" = "$1" && test "$KEY" = "$2" && echo 1`
    const { values } = await answered(exec({ command: sh(compare, canary, second), env, mode: 'one-shot' }), 1)
    expect(Array.from(values)).toEqual([1])
  })

  test.each([
    ['on stderr', 'printf "%s and %s and %s\\n" "$TOKEN" "$KEY" "$PLAIN_PASSWORD" >&2; exit 1'],
    ['as an error', `echo "{\\"error\\":\\"$PLAIN_PASSWORD and \${TOKEN%%\\"*} $KEY\\"}" | tr '\\n' ' '; echo`],
    ['as a line that is not a reply', 'echo "token $TOKEN"'],
    ['as a value that is no number', 'echo "{\\"value\\":\\"$PLAIN_PASSWORD\\"}"'],
    ['as a line that is too long to show', 'printf "%070d %s" 0 "$TOKEN"'],
    ['in its own arguments', 'exit 5'],
  ])('that the program writes %s are not in the reason', async (_, script) => {
    for (const mode of ['persistent', 'one-shot'] as const) {
      const { reasons } = await answered(exec({ command: sh(script, canary, second), env, mode, timeout: 2000 }), 1)
      const reason = reasons[0] as Partial<ZerothError>
      expect(reason).toBeDefined()
      const said = [String(reason), reason.stack, String(reason.cause), JSON.stringify(reason)].join('\n')
      for (const secret of [canary, JSON.stringify(canary).slice(1, -1), 'plain-canary', 'MIIEvQIB', 'hkiG9w0B']) {
        expect(said).not.toContain(secret)
      }
    }
  })

  test('that the program writes in other ways are not in the reason', async () => {
    const script = `printf '%s\\n' '{"a":"sk-abc\\/def+x","b":"p\\u00e4ssw\\u00f6rd","c":"p\\xe4ssw\\xf6rd"}' >&2; exit 1`
    const reason = await failure({ command: sh(script), env: { TOKEN: 'sk-abc/def+x', PASSWORD: 'pässwörd' } })
    expect(reason.message).toMatch(/last line of stderr: {"a":"\[secret\]","b":"\[secret\]","c":"\[secret\]"}$/)
  })

  test('are not in the options that the objective remembers; what is no secret is', () => {
    const objective = execObjective({
      dim: 1,
      command: ['true'],
      env: { API_TOKEN: 'canary', PYTHONPATH: '/lib', KEY: { env: 'ZEROTH_EXEC_CANARY' } },
    })
    expect(inspect(objective, { depth: 9, showHidden: true })).not.toContain('canary')
    expect(objective.origin.options.env).toEqual({
      API_TOKEN: { shown: '[secret]' },
      PYTHONPATH: '/lib',
      KEY: { env: 'ZEROTH_EXEC_CANARY' },
    })
    expect(() => exec({ command: ['true'], env: { API_TOKEN: ['canary'] } as never })).not.toThrow('canary')
  })

  test('are not taken for one another with plain settings', async () => {
    const reason = await failure({ command: sh('exit 1', folder), env: { PYTHONPATH: folder } })
    expect(reason.message).toContain(folder)
  })

  test('that are missing or cannot be set are said by name when the objective is made', () => {
    const zero = join(folder, 'zero')
    writeFileSync(zero, 'can\0ary')
    expect(() => exec({ command: sh('echo 1'), env: { TOKEN: { env: 'ZEROTH_NOT_SET' } } })).toThrow(
      'exec.env.TOKEN: the environment variable ZEROTH_NOT_SET is not set',
    )
    expect(() => exec({ command: sh('echo 1'), env: { TOKEN: { file: zero } } })).toThrow(
      'exec.env.TOKEN must not hold a zero byte',
    )
  })
})

describe('a seeded run', () => {
  const start = [1, -0.5, 0.25, 2]
  const options = { solver: zoAdaMM({ directions: 3 }), seed: 11, maxIterations: 20 }
  const expected = minimize(bowl, start, options)

  test.each([
    ['one process', {}],
    ['three processes', { processes: 3 }],
    ['a process per query', { mode: 'one-shot', processes: 2, command: ['awk', bowlInAwk] }],
  ] as const)('through %s is that of the plain function, bit for bit', async (_, how) => {
    const run = await minimize(exec({ command: node(bowlProgram), dim: 4, ...how } as never), start, options)
    const plain = await expected
    expect(run.queries).toBe(plain.queries)
    expect(run.history).toEqual(plain.history)
    expect(new Uint8Array(run.last.point.buffer)).toEqual(new Uint8Array(plain.last.point.buffer))
    expect(Object.is(run.value, plain.value)).toBe(true)
  })

  test('goes on without the rows that fail, and counts each once', async () => {
    const flaky = byRow('2) kill -9 $$ ;;')
    const run = await minimize(exec({ command: flaky, dim: 4 }), start, { ...options, failures: 'skip' })
    expect(run.failures.count).toBe(20)
    expect(run.queries).toBe((await expected).queries)
    expect(run.last.point.every(Number.isFinite)).toBe(true)
  })
})

const metacharacters = [
  '',
  ' ',
  '\t',
  '\n',
  '\r\n',
  ';',
  '; exit 1',
  '|',
  '| cat',
  '||',
  '&',
  '&&',
  '& sleep 1',
  '>',
  '> /dev/null',
  '>>',
  '<',
  '<<EOF',
  '$',
  '$HOME',
  `\${home}`,
  '$(id)',
  '`id`',
  '$((1+1))',
  '$?',
  '!',
  '!!',
  '*',
  '?',
  '[a-z]*',
  '{a,b}',
  '~',
  '~root',
  '#',
  '# comment',
  '\\',
  '\\\\',
  '\\n',
  '"',
  "'",
  '"\'"',
  '%s%n',
  '%PATH%',
  '^',
  '-',
  '--',
  '--help',
  '=',
  'naïve 日本 🦊',
  '\u202e\u0007',
]
