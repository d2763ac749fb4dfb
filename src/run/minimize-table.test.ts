import { expect, test } from 'vitest'
import type { Input, Same } from '../core/option-type.ts'
import type { minimizeOptions } from './minimize-table.ts'
import type { RunOptions } from './run-options.ts'

test('the documented interface says the same as the table', () => {
  const same: Same<RunOptions, Input<typeof minimizeOptions>> = true
  // @ts-expect-error An option more or less is seen.
  const other: Same<Omit<RunOptions, 'batchSize'>, Input<typeof minimizeOptions>> = true
  expect(same).toBe(other)
})
