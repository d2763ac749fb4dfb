import { describe, expect, test } from 'vitest'
import { type Purpose, philox, purposes, randomBlock, randomInteger, randomUniform, randomWord } from './random.ts'

const at = { seed: 1, iteration: 2, row: 3 }

describe('the address of a random word', () => {
  test('holds every part: changing any of them changes the word', () => {
    const words = [
      randomWord(at, 'samples', 4),
      randomWord({ ...at, seed: 0 }, 'samples', 4),
      randomWord({ ...at, iteration: 3 }, 'samples', 4),
      randomWord({ ...at, row: 4 }, 'samples', 4),
      randomWord(at, 'samples', 5),
      ...(Object.keys(purposes) as Purpose[])
        .filter((name) => name !== 'samples')
        .map((name) => randomWord(at, name, 4)),
    ]
    expect(new Set(words).size).toBe(words.length)
  })

  test('does not confuse rows with iterations or lanes with purposes', () => {
    expect(randomWord({ seed: 1, iteration: 2, row: 3 }, 'noise', 0)).not.toBe(
      randomWord({ seed: 1, iteration: 3, row: 2 }, 'noise', 0),
    )
    const block = new Uint32Array(4)
    randomBlock(block, at, 'directions', 1, 0)
    expect(block[0]).not.toBe(randomWord(at, 'samples', 0))
  })

  test('uses both halves of a seed above 2^32', () => {
    const seeds = [5, 5 + 4294967296, 5 + 8589934592, Number.MAX_SAFE_INTEGER]
    expect(new Set(seeds.map((seed) => randomWord({ ...at, seed }, 'data', 0))).size).toBe(4)
  })

  test('gives the same word again', () => {
    expect([randomWord(at, 'data', 7), randomWord(at, 'data', 7)]).toEqual([1339842355, 1339842355])
  })
})

test('uniform numbers lie in [0, 1), have mean 1/2 and variance 1/12', () => {
  const count = 20_000
  let sum = 0
  let squares = 0
  for (let i = 0; i < count; i++) {
    const u = randomUniform(at, 'noise', i)
    expect(u >= 0 && u < 1).toBe(true)
    sum += u
    squares += (u - 0.5) * (u - 0.5)
  }
  // Four standard errors: sqrt(1/12/n) and sqrt(1/180/n).
  expect(Math.abs(sum / count - 1 / 2)).toBeLessThan(4 * Math.sqrt(1 / 12 / count))
  expect(Math.abs(squares / count - 1 / 12)).toBeLessThan(4 * Math.sqrt(1 / 180 / count))
})

test('integers fill their range evenly', () => {
  const counts = new Array<number>(7).fill(0)
  const draws = 14_000
  for (let i = 0; i < draws; i++) {
    const k = randomInteger(at, 'samples', i, 7)
    counts[k] = (counts[k] ?? Number.NaN) + 1
  }
  const expected = draws / 7
  const chiSquare = counts.reduce((sum, count) => sum + ((count - expected) * (count - expected)) / expected, 0)
  // 99.9 % quantile with 6 degrees of freedom.
  expect(chiSquare).toBeLessThan(22.46)
})

test('an integer below 1 is 0', () => {
  expect(randomInteger(at, 'samples', 0, 1)).toBe(0)
})

describe('philox', () => {
  // The known-answer vectors of Random123 (kat_vectors, philox4x32 10 rounds).
  describe('Philox4x32-10 gives the known answer for', () => {
    test.each([
      ['zeros', [0, 0, 0, 0], [0, 0], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]],
      [
        'ones',
        new Array(4).fill(0xffffffff),
        [0xffffffff, 0xffffffff],
        [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
      ],
      [
        'the digits of pi',
        [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
        [0xa4093822, 0x299f31d0],
        [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
      ],
    ])('%s', (_, counter, [keyLow, keyHigh], words) => {
      const block = Uint32Array.from(counter)
      philox(block, keyLow as number, keyHigh as number)
      expect(Array.from(block)).toEqual(words)
    })
  })
})
