import { describe, expect, test } from 'vitest'
import { falseResults, faultName, faults } from './lying-servers.ts'

// One of each kind at one moment, with early stop and a shared perturbation once; the long suite has all of them.
const chosen = [2, 10, 21, 28, 37, 52, 54, 60].flatMap((i) => faults[i] ?? [])

describe('behind a server that does not always tell the truth', () => {
  test.each(chosen.map((fault) => [faultName(fault), fault] as const))(
    '%s: nothing false is said',
    async (_, fault) => {
      const found = await falseResults(fault)
      expect({ fooled: found.falselyFooled, robust: found.falselyRobust }).toEqual({ fooled: [], robust: [] })
    },
  )

  test('answers that were contradicted are counted, and said', async () => {
    const wrong = faults.find((fault) => faultName(fault).startsWith('a wrong class in every 7th reply, from 0 %'))
    if (wrong === undefined) throw new Error('there is no such fault')
    const { report, isAccepted } = await falseResults(wrong)
    expect(isAccepted).toBe(false)
    expect(report.summary.confirmations.contradicted).toBeGreaterThan(5)
    expect(report.warnings.join()).toContain('did not show again when the model was asked again')
  })
})
