import { expect, test } from 'vitest'
import { falseResults, faultName, faults, replacements } from '../attacks/lying-servers.ts'

test.each([...faults, ...replacements].map((fault) => [faultName(fault), fault] as const))(
  '%s: nothing false is said',
  async (_, fault) => {
    const found = await falseResults(fault)
    expect({ fooled: found.falselyFooled, robust: found.falselyRobust }).toEqual({ fooled: [], robust: [] })
  },
)

test('there are 61 of them', () => {
  expect(faults).toHaveLength(61)
})
