import { describe, expect, test } from 'vitest'
import { restoreMemory, resumeSearch, savedPart, saveMemory } from './memory.ts'
import type { Begin, Memory, Search, Solver } from './types.ts'

const memory = () => ({
  vectors: { point: Float64Array.of(1, 2) },
  state: { value: Number.NaN, phase: 'first', opened: false },
  parts: {
    step: { vectors: { first: Float32Array.of(3) }, parts: { '0': { state: { size: -0 } } } },
    none: undefined,
  },
})

describe('a saved memory', () => {
  test('has names that say whose they are, and copies of everything', () => {
    const live = memory()
    const saved = saveMemory(live)
    expect(saved).toEqual({
      vectors: { point: Float64Array.of(1, 2), 'step.first': Float32Array.of(3) },
      state: { value: Number.NaN, phase: 'first', opened: false, 'step.0.size': -0 },
    })
    live.vectors.point[0] = 9
    live.state.phase = 'second'
    expect(saved).toMatchObject({ vectors: { point: Float64Array.of(1, 2) }, state: { phase: 'first' } })
  })

  test('gives each part what it remembered', () => {
    expect(savedPart(saveMemory(memory()), 'step')).toEqual({
      vectors: { first: Float32Array.of(3) },
      state: { '0.size': -0 },
    })
    expect(savedPart(saveMemory(memory()), 'ste')).toEqual({ vectors: {}, state: {} })
  })

  test('is copied into vectors and states that stay the same objects', () => {
    const from = memory()
    from.vectors.point[1] = 7
    Object.assign(from.state, { value: -0, phase: 'second', opened: true })
    from.parts.step.parts['0'].state.size = 4
    const into = memory()
    const { vectors, state } = into
    restoreMemory(into, saveMemory(from))
    expect(into).toEqual(from)
    expect(into.vectors.point).toBe(vectors.point)
    expect(into.state).toBe(state)
  })

  test('of nothing is empty', () => {
    expect(saveMemory({})).toEqual({ vectors: {}, state: {} })
    expect(() => restoreMemory({}, { vectors: {}, state: {} })).not.toThrow()
  })
})

test.each<[string, Memory, string]>([
  [
    'a vector too many',
    { vectors: { a: Float64Array.of(1) } },
    'memory.a does not fit: no entries in the checkpoint, 1',
  ],
  ['a longer vector', { vectors: { point: Float64Array.of(1) } }, 'memory.point does not fit: 2 entries in the checkp'],
  ['a number too many', { state: { a: 1 } }, 'memory.a does not fit: nothing in the checkpoint, a number in this run'],
  [
    'a name for a number',
    { state: { value: 'x' } },
    'value does not fit: a number in the checkpoint, a string in this',
  ],
  ['a part less', { parts: { step: undefined } }, 'memory.step.first does not fit: 1 entries in the checkpoint, none'],
])('a memory with %s is refused', (_, changes, message) => {
  const live: Memory = memory()
  const into = {
    vectors: { ...live.vectors, ...changes.vectors },
    state: { ...live.state, ...changes.state },
    parts: { ...live.parts, ...changes.parts },
  }
  expect(() => restoreMemory(into, saveMemory(memory()))).toThrow(message)
  expect(() => restoreMemory(into, saveMemory(memory()))).toThrow(
    expect.objectContaining({ code: 'invalid-checkpoint' }),
  )
})

describe('a search is resumed', () => {
  const at = {} as Begin
  const searchOf = (length: number): Search => ({ memory: { vectors: { v: new Float64Array(length) } } }) as never
  const saved = { vectors: { v: Float64Array.of(1, 2, 3) }, state: {} }

  test('by beginning it and filling its memory, where the solver has no other way', () => {
    expect(resumeSearch({ begin: () => searchOf(3) }, at, saved).memory.vectors?.v).toEqual(saved.vectors.v)
    expect(() => resumeSearch({ begin: () => searchOf(2) }, at, saved)).toThrow('memory.v does not fit')
  })

  test('or the way the solver does it, which is then filled, too', () => {
    const solver: Solver = {
      begin: () => {
        throw new Error('begun')
      },
      resume: (_, { vectors }) => searchOf(vectors.v?.length ?? 0),
    }
    expect(resumeSearch(solver, at, saved).memory.vectors?.v).toEqual(saved.vectors.v)
  })
})
