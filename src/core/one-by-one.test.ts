import { expect, test } from 'vitest'
import { oneByOne } from './one-by-one.ts'

test('work is done one after the other, and a failure holds nobody up', async () => {
  const inTurn = oneByOne()
  const seen: string[] = []
  const work = (name: string) => async () => {
    seen.push(`${name} begins`)
    await null
    seen.push(`${name} ends`)
    if (name === 'bad') throw new Error(name)
    return name
  }
  const found = await Promise.allSettled(['one', 'bad', 'last'].map((name) => inTurn(work(name))))
  expect(found.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(seen).toEqual(['one begins', 'one ends', 'bad begins', 'bad ends', 'last begins', 'last ends'])
})
