import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findRecord, type JournalRecord, recordEncoder, recordLength, recordOf } from './journal-record.ts'

const flag = fc.constantFrom(0, 1)
const word = fc.nat(0xffffffff)
const record = fc.nat(40).chain((rows) =>
  fc.record({
    number: word,
    iteration: word,
    rows: fc.constant(rows),
    centers: fc.nat(rows),
    retries: word,
    seconds: fc.double({ min: 0, noNaN: true }),
    durable: word,
    points: word,
    values: fc.array(fc.double(), { minLength: rows, maxLength: rows }).map((list) => Float64Array.from(list)),
    failed: fc.array(flag, { minLength: rows, maxLength: rows }).map((list) => Uint8Array.from(list)),
    cached: fc.array(flag, { minLength: rows, maxLength: rows }).map((list) => Uint8Array.from(list)),
    // Rows that are all answered are not marked at all.
    dropped: fc
      .array(fc.constantFrom(0, 1, 2), { minLength: rows, maxLength: rows })
      .map((list) => (list.some((each) => each > 0) ? Uint8Array.from(list) : undefined)),
    notes: fc.array(fc.double(), { maxLength: 5 }).map((list) => Float64Array.from(list)),
    reasons: fc.array(fc.tuple(fc.nat(40), fc.string({ unit: 'binary' })), { maxLength: 5 }),
  }),
)

const encode = recordEncoder()

test('a record comes back bit for bit', () => {
  fc.assert(
    fc.property(record, word, (given: JournalRecord, previous) => {
      const { bytes, checksum } = encode(given, previous)
      expect(recordLength(bytes)).toBe(bytes.length)
      const found = findRecord(bytes)
      expect(found).toMatchObject({ previous, checksum })
      expect(found && recordOf(found)).toEqual(given)
    }),
  )
})

test('a record with any bit flipped, cut short or with a byte more is none', () => {
  fc.assert(
    fc.property(record, fc.nat(), (given, where) => {
      const bytes = encode(given, 7).bytes.slice()
      expect(findRecord(bytes.subarray(0, where % bytes.length))).toBeUndefined()
      expect(findRecord(Uint8Array.of(...bytes, 0))).toBeUndefined()
      const bit = where % (8 * bytes.length)
      bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(findRecord(bytes)).toBeUndefined()
    }),
  )
})

test('the bytes of a record are those of the documentation', () => {
  const { bytes } = encode(
    {
      number: 2,
      iteration: 9,
      rows: 2,
      centers: 1,
      retries: 3,
      seconds: 0.5,
      durable: 1,
      points: 0x12345678,
      values: Float64Array.of(1, Number.NaN),
      failed: Uint8Array.of(0, 1),
      cached: Uint8Array.of(1, 0),
      notes: Float64Array.of(-0, 3),
      reasons: [[1, 'late']],
    },
    0xabcdef01,
  )
  expect(
    Buffer.from(bytes)
      .toString('hex')
      .match(/.{1,16}/g),
  ).toEqual([
    '5a5245436a000000', // "ZREC", 106 bytes
    '0200000001efcdab', // record 2, the checksum before it
    '0900000002000000', // iteration 9, two rows
    '0100000003000000', // one center, three retries
    '0c00000002000000', // 12 bytes of reasons, two notes
    '000000000000e03f', // 0.5 s
    '0100000078563412', // one record on the disk, the checksum of the points
    '000000000000f03f', // 1
    '000000000000f87f', // NaN
    '0201000000000000', // cached, failed, the first
    '0080000000000000', // note -0, the second
    '08405b5b312c226c', // note 3, [[1,"l
    '617465225d5db924', // ate"]], the checksum,
    '92f8', // which Python's zlib.crc32 gives, too
  ])
})

test('a record whose checksum fits but whose reasons are no list of reasons is refused', () => {
  const reasons = [['x', 1]] as unknown as [number, string][]
  const lists = {
    values: new Float64Array(0),
    failed: new Uint8Array(0),
    cached: new Uint8Array(0),
    notes: new Float64Array(0),
    reasons,
  }
  const { bytes } = encode(
    { number: 4, iteration: 1, rows: 0, centers: 0, retries: 0, seconds: 0, durable: 0, points: 0, ...lists },
    0,
  )
  const found = findRecord(bytes)
  expect(() => found && recordOf(found)).toThrow(
    'record 4 of the journal gives its reasons in a way zeroth does not write',
  )
})
