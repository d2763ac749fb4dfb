import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { minimize } from '../minimize/minimize.ts'
import { functionObjective } from '../objectives/function.ts'
import { callLogFile, readCallLog } from './call-log-file.ts'
import { type CallRecord, logged } from './logged.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-call-log-'))
const path = join(folder, 'calls.jsonl')
beforeEach(() => rmSync(path, { force: true }))
afterAll(() => rmSync(folder, { recursive: true }))

const record = (given: Partial<CallRecord> = {}): CallRecord => ({
  iteration: 1,
  row: 0,
  sample: 4294967295,
  point: Float64Array.of(0.1, -0),
  value: 2,
  failed: undefined,
  cached: false,
  ...given,
})

async function read(): Promise<CallRecord[]> {
  const records: CallRecord[] = []
  for await (const each of readCallLog(path)) records.push(each)
  return records
}

test('a record is a line of JSON, in the file as soon as it is written', () => {
  const log = callLogFile(path)
  log.write(record())
  log.write(record({ row: 1, value: Number.NaN, failed: 'a "quoted"\nreason', cached: true }))
  expect(readFileSync(path, 'utf8').split('\n')).toEqual([
    '{"iteration":1,"row":0,"sample":4294967295,"point":[0.1,-0.0],"value":2,"cached":false}',
    '{"iteration":1,"row":1,"sample":4294967295,"point":[0.1,-0.0],"value":"NaN","failed":"a \\"quoted\\"\\nreason","cached":true}',
    '',
  ])
  log.close()
})

test('what is read is what was written, bit for bit', async () => {
  const numbers = fc.array(fc.double(), { maxLength: 4 })
  const records = fc.array(
    fc.record({
      iteration: fc.nat(),
      row: fc.nat(),
      sample: fc.nat(),
      numbers,
      value: fc.double(),
      failed: fc.option(fc.string()),
    }),
    { maxLength: 4 },
  )
  const property = fc.asyncProperty(records, async (list) => {
    rmSync(path, { force: true })
    const written = list.map(({ numbers: given, failed, ...rest }) =>
      record({ ...rest, point: Float64Array.from(given), failed: failed ?? undefined }),
    )
    const log = callLogFile(path)
    written.forEach(log.write)
    log.close()
    expect(await read()).toStrictEqual(written)
  })
  await fc.assert(property, { numRuns: 50, seed: 5 })
})

test('an existing log is continued, and a line that was cut short spoils no other', async () => {
  const first = callLogFile(path)
  first.write(record({ row: 1 }))
  first.close()
  appendFileSync(path, '{"iteration":1,"ro')
  const second = callLogFile(path)
  second.write(record({ row: 2 }))
  second.close()
  expect(
    readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.slice(0, 21)),
  ).toEqual(['{"iteration":1,"row":', '{"iteration":1,"ro', '{"iteration":1,"row":', ''])
  await expect(read()).rejects.toMatchObject({
    code: 'invalid-data',
    message: `${path}, line 2 is not a record of a query`,
  })
})

test.each(['{}', '[1]', 'null', '{"iteration":1,"row":0,"sample":0,"point":["x"],"value":1,"cached":false}', 'NaN'])(
  'refuses to read %s',
  async (line) => {
    writeFileSync(path, `${line}\n`)
    await expect(read()).rejects.toThrow(`${path}, line 1 is not a record of a query`)
  },
)

test('a run saves every query it counts', async () => {
  const log = callLogFile(path)
  const objective = logged(
    functionObjective((x) => x[0] as number, { dim: 1 }),
    log,
  )
  const { queries, value } = await minimize(objective, [3], { maxQueries: 50 })
  await objective.close?.()
  expect(() => log.write(record())).toThrow('is closed')
  const records = await read()
  expect(records).toHaveLength(queries)
  expect(records.some((each) => each.value === value)).toBe(true)
})

test('closing twice is fine; writing after it is not', () => {
  const log = callLogFile(path)
  log.close()
  log.close()
  expect(() => log.write(record())).toThrow(`the call log ${path} is closed`)
})

test('a file that cannot be opened is refused by name', async () => {
  const nowhere = join(folder, 'missing', 'calls.jsonl')
  expect(() => callLogFile(nowhere)).toThrow(`cannot open the call log ${nowhere}: ENOENT`)
  expect(() => callLogFile(folder)).toThrow(`cannot open the call log ${folder}: EISDIR`)
  await expect(readCallLog(nowhere).next()).rejects.toThrow(`cannot open the call log ${nowhere}: ENOENT`)
})

test.runIf(existsSync('/dev/full'))('a full disk ends the run with an error that says so', async () => {
  const log = callLogFile('/dev/full')
  const objective = logged(
    functionObjective((x) => x[0] as number, { dim: 1 }),
    log,
  )
  await expect(minimize(objective, [3])).rejects.toThrow(/cannot write to the call log \/dev\/full: ENOSPC/)
  log.close()
})
