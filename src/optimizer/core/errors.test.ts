import { describe, expect, test } from 'vitest'
import { isConnectionError, nearest, show, ZerothError } from './errors.ts'

test('an error has a name, a code and a cause', () => {
  const cause = new Error('why')
  const error = new ZerothError('invalid-option', 'what', { cause })
  expect(error).toBeInstanceOf(Error)
  expect({ name: error.name, code: error.code, message: error.message, cause: error.cause }).toEqual({
    name: 'ZerothError',
    code: 'invalid-option',
    message: 'what',
    cause,
  })
})

test.each([
  ['text', '"text"'],
  ['x'.repeat(50), `"${'x'.repeat(37)}..."`],
  [[1, 2, 3], 'Array(3)'],
  [new Float32Array(4), 'Float32Array(4)'],
  [function named() {}, 'function named'],
  [() => 1, 'function (anonymous)'],
  [12n, '12n'],
  [Symbol('s'), 'Symbol(s)'],
  [{ a: 1 }, '[object Object]'],
  [new Map(), '[object Map]'],
  [null, 'null'],
  [undefined, 'undefined'],
  [-0.5, '-0.5'],
  [true, 'true'],
])('shows %o as %s', (value, text) => {
  expect(show(value)).toBe(text)
})

describe('the nearest word', () => {
  const known = ['learningRate', 'directions', 'smoothing', 'seed', 'set']

  test.each([
    ['learningrate', 'learningRate'],
    ['learning_rate', 'learningRate'],
    ['smoothin', 'smoothing'],
    ['direction', 'directions'],
    ['sed', 'seed'],
    ['ssed', 'seed'],
    ['sede', 'seed'],
  ])('to %s is %s', (word, expected) => {
    expect(nearest(word, known)).toBe(expected)
  })

  test('is none where nothing is near', () => {
    expect(nearest('temperature', known)).toBeUndefined()
    expect(nearest('x', [])).toBeUndefined()
  })
})

describe('a query that failed on its way', () => {
  const failed = (details: object) => new ZerothError('query-failed', 'no', details)

  test.each<[string, unknown]>([
    ['says so itself', failed({ retryable: false, unreached: true })],
    ['may be asked again', failed({ retryable: true })],
    ['was refused a connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['was cut off below fetch', new TypeError('terminated', { cause: { code: 'UND_ERR_SOCKET' } })],
    ['took too long', new DOMException('late', 'TimeoutError')],
  ])('%s', (_, error) => {
    expect(isConnectionError(error)).toBe(true)
  })

  test.each<[string, unknown]>([
    ['was refused', failed({ retryable: false })],
    ['was refused, whatever is behind it', failed({ unreached: false, cause: failed({ retryable: true }) })],
    ['failed for an unknown reason', new Error('odd')],
    ['failed with a mere text', 'ECONNREFUSED'],
  ])('is not one that %s', (_, error) => {
    expect(isConnectionError(error)).toBe(false)
  })
})
