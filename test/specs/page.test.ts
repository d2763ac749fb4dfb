import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { knowAllParts } from '../../src/app/spec/all-parts.ts'
import { knownParts } from '../../src/app/spec/compile-part.ts'
import { compileSpec, parseSpec } from '../../src/app/spec/index.ts'
import { specOptions } from '../../src/app/spec/spec.ts'

knowAllParts()

const page = readFileSync(fileURLToPath(new URL('../../docs/specs.md', import.meta.url)), 'utf8')

describe('docs/specs.md', () => {
  test('lists every key once', () => {
    const listed = [...page.matchAll(/^\| `(\$?\w+)` +\|.*\|.*\|$/gm)].map((match) => match[1])
    expect([...listed].sort()).toEqual(Object.keys(specOptions.shape).sort())
  })

  test.each(['objective', 'solver', 'estimator', 'directions', 'basis', 'step', 'mirror', 'set'] as const)(
    'lists every %s',
    (kind) => {
      const row =
        page.split('\n').find((line) => line.startsWith(`| \`${kind}\``) && line.split('|').length === 4) ?? ''
      const names = [...row.matchAll(/`([^`]+)`/g)].map((match) => match[1]).slice(1)
      expect(names).toEqual(knownParts(kind).map((part) => part.definition.name))
    },
  )

  test('shows specs that compile', () => {
    process.env.SCORE_AUTHORIZATION = 'for the page'
    const texts = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] as string)
    expect(texts.length).toBeGreaterThan(4)
    for (const text of texts) {
      const source = parseSpec(text.replace('{ file: score.key }', '{ env: SCORE_AUTHORIZATION }'))
      expect(() => compileSpec(source.spec, source)).not.toThrow()
    }
    delete process.env.SCORE_AUTHORIZATION
  })
})
