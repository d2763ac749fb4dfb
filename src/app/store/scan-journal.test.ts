import { describe, expect, test } from 'vitest'
import { memoryFiles } from '../../../test/run-store/memory-files.ts'
import { chainStart, encodeHeader, headerLength, recordEncoder } from './journal-record.ts'
import { RunFile } from './run-file.ts'
import { scanJournal } from './scan-journal.ts'

const run = { id: 'a-run', created: 'today' }
const header = encodeHeader({ ...run, after: 0, lastChecksum: 0 })
const encode = recordEncoder()

/** So many records of one row each, chained; all are equally long. */
function records(
  count: number,
  lastChecksum = chainStart({ ...run, after: 0, lastChecksum: 0 }),
  after = 0,
): Uint8Array[] {
  const made: Uint8Array[] = []
  for (let number = after + 1; number <= after + count; number++) {
    const flags = { failed: Uint8Array.of(0), cached: Uint8Array.of(0), notes: new Float64Array(0), reasons: [] }
    const fields = { iteration: number, rows: 1, centers: 1, retries: 0, seconds: number / 10, durable: 0, points: 0 }
    const { bytes, checksum } = encode({ number, ...fields, ...flags, values: Float64Array.of(number) }, lastChecksum)
    made.push(bytes.slice())
    lastChecksum = checksum
  }
  return made
}

function scan(parts: readonly Uint8Array[], wanted: readonly number[] = []) {
  const files = memoryFiles()
  files.put('journal', Uint8Array.from(parts.flatMap((part) => [...part])))
  return scanJournal(new RunFile(files, 'journal', 'r'), run, wanted)
}

const five = records(5)
const length = (five[0] as Uint8Array).length

test('a whole journal has all its records, no excess and the places asked for', () => {
  const { last, places, excess, after } = scan([header, ...five], [0, 3, 9])
  expect(last).toMatchObject({ records: 5, position: headerLength + 5 * length, seconds: 0.5 })
  expect([...places.keys()]).toEqual([0, 3])
  expect(places.get(3)).toMatchObject({ records: 3, position: headerLength + 3 * length })
  expect([excess, after]).toEqual([0, undefined])
})

test('a torn tail is excess with nothing behind', () => {
  for (let kept = 1; kept < length; kept++) {
    const torn = scan([header, ...five.slice(0, 4), (five[4] as Uint8Array).subarray(0, kept)])
    expect(torn).toMatchObject({ last: { records: 4 }, excess: kept, after: undefined })
  }
})

test('a damaged record with a sound one behind it is told apart from a torn tail', () => {
  for (let byte = 0; byte < length; byte++) {
    const bad = (five[2] as Uint8Array).map((each, i) => (i === byte ? each ^ 16 : each))
    const found = scan([header, ...five.slice(0, 2), bad, ...five.slice(3)])
    expect(found).toMatchObject({ last: { records: 2 }, after: { number: 4, position: headerLength + 3 * length } })
  }
})

describe('what is not the next record ends the journal', () => {
  const [first, second, third, fourth, fifth] = five as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]

  test('one missing, with later ones behind', () => {
    expect(scan([header, first, third, fourth])).toMatchObject({ last: { records: 1 }, after: { number: 3 } })
  })

  test('the last one doubled: nothing new is behind', () => {
    expect(scan([header, first, second, second])).toMatchObject({
      last: { records: 2 },
      excess: length,
      after: undefined,
    })
  })

  test('two exchanged', () => {
    expect(scan([header, first, third, second, fourth, fifth])).toMatchObject({
      last: { records: 1 },
      after: { number: 3 },
    })
  })

  test('the next one of another history', () => {
    const stranger = records(3, 12345)[2] as Uint8Array
    expect(scan([header, first, second, stranger])).toMatchObject({ last: { records: 2 }, after: { number: 3 } })
  })
})

test('a header that is damaged or cut short is said to be missing', () => {
  expect(scan([header.map((byte, i) => (i === 30 ? byte ^ 1 : byte)), ...five])).toMatchObject({
    header: undefined,
    last: { records: 0 },
    after: { number: 1, position: headerLength },
  })
  expect(scan([header.subarray(0, 50)])).toMatchObject({ header: undefined, excess: 50, after: undefined })
  expect(scan([])).toMatchObject({ header: undefined, excess: 0, after: undefined })
})

test('a journal may begin after records that are gone', () => {
  const rebased = encodeHeader({ ...run, after: 100, lastChecksum: 77 })
  expect(scan([rebased, ...records(3, 77, 100)], [100, 101])).toMatchObject({ last: { records: 103 }, excess: 0 })
})

test('the journal of another run, or of a newer zeroth, is refused', () => {
  expect(() => scan([encodeHeader({ ...run, id: 'other', after: 0, lastChecksum: 0 })])).toThrow(
    'journal is the journal of run other, but this is run a-run',
  )
  expect(() => scan([encodeHeader({ ...run, created: 'yesterday', after: 0, lastChecksum: 0 })])).toThrow(
    'journal is the journal of another run of that name, but this is run a-run',
  )
})
