import { expect, test } from 'vitest'
import { poolOf } from './pool.ts'

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
