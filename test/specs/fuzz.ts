import fc from 'fast-check'
import { expect } from 'vitest'
import { compileSpec, parseSpec } from '../../src/app/spec/index.ts'
import { ZerothError } from '../../src/optimizer/core/errors.ts'
import { damagedText } from './damage.ts'

/** What became of damaged specs: how many could still be compiled, and how many were refused, by the kind of error. */
export async function fuzzSpecs(count: number, seed: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const check = async (text: string): Promise<void> => {
    const became = await compiled(text)
    counts[became] = (counts[became] ?? 0) + 1
  }
  await fc.assert(fc.asyncProperty(damagedText, check), { numRuns: count, seed, endOnFailure: true })
  return counts
}

async function compiled(text: string): Promise<string> {
  try {
    const source = parseSpec(text, { name: 'fuzz.yaml', folder: '/' })
    const { objective } = compileSpec(source.spec, source)
    await objective.close?.()
    return 'compiled'
  } catch (error) {
    if (!(error instanceof ZerothError)) throw error
    expect(error.message).toMatch(/^fuzz\.yaml(:\d+:\d+)?: (spec\b.*|[^\n]+)$/)
    expect(error.message.length).toBeLessThan(2100)
    return error.code
  }
}
