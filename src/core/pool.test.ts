import { expect, test } from 'vitest'
import { poolOf } from './pool.ts'

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

test('gives what is free at once, and what is not in the order in which it was wanted', async () => {
  const pool = poolOf(['a'])
  expect(pool.take()).toBe('a')
  const got: string[] = []
  const second = Promise.resolve(pool.take()).then((thing) => got.push(`second ${thing}`))
  const third = Promise.resolve(pool.take()).then((thing) => got.push(`third ${thing}`))
  pool.give('a')
  await second
  expect(got).toEqual(['second a'])
  pool.give('a')
  await third
  expect(got).toEqual(['second a', 'third a'])
})

test('is drained once everything is back', async () => {
  const pool = poolOf(['a', 'b'])
  const a = await pool.take()
  let isDrained = false
  const drained = pool.drain().then(() => {
    isDrained = true
  })
  await Promise.resolve()
  expect(isDrained).toBe(false)
  pool.give(a)
  await drained
  expect(isDrained).toBe(true)
})

test('each thing is lent to one at a time, in the order of asking', async () => {
  const { lend } = poolOf(['a', 'b'])
  const inUse = new Set<string>()
  const served: number[] = []
  await Promise.all(
    Array.from({ length: 9 }, (_, i) =>
      lend(async (thing) => {
        expect(inUse.has(thing)).toBe(false)
        inUse.add(thing)
        served.push(i)
        await wait(i % 3)
        inUse.delete(thing)
      }),
    ),
  )
  expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
})

test('a thing comes back from work that fails', async () => {
  const { lend } = poolOf(['a'])
  await expect(lend(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await lend(async (thing) => thing)).toBe('a')
})
