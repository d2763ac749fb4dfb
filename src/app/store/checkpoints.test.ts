import { expect, test } from 'vitest'
import { CheckpointPace } from './checkpoints.ts'

test('small checkpoints are 2 s apart, others take 2 % of the time and 4 MB a second', () => {
  const pace = new CheckpointPace()
  expect(pace.interval({ busy: 1, bytes: 1000 })).toBe(2000)
  expect(pace.interval({ busy: 100, bytes: 1000 })).toBe(5000)
  expect(pace.interval({ busy: 1, bytes: 12_000_000 })).toBe(3000)
})

test('runs that share a pace write no more together than one would', () => {
  const pace = new CheckpointPace()
  for (let i = 0; i < 20; i++) pace.enter()
  expect(pace.interval({ busy: 100, bytes: 1000 })).toBe(100_000)
  expect(pace.interval({ busy: 1, bytes: 12_000_000 })).toBe(60_000)
  for (let i = 0; i < 20; i++) pace.leave()
  expect(pace.interval({ busy: 100, bytes: 1000 })).toBe(5000)
})
