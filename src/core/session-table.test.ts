import { expect, test } from 'vitest'
import type { Input, Same } from './option-type.ts'
import type { SessionOptions } from './session-options.ts'
import type { sessionOptions } from './session-table.ts'

test('the documented interface says the same as the table', () => {
  const same: Same<SessionOptions, Input<typeof sessionOptions>> = true
  // @ts-expect-error An option more or less is seen.
  const other: Same<Omit<SessionOptions, 'seed'>, Input<typeof sessionOptions>> = true
  expect(same).toBe(other)
})
