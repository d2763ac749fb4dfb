import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { objectives as browserObjectives } from './app/objectives/browser.ts'
import { objectives } from './app/objectives/index.ts'
import { parts } from './registry.ts'
import { attacks } from './robustness/index.ts'
import { models } from './robustness/models/index.ts'

/** The folders that hold parts, and where these must be listed. */
const lists: Readonly<Record<string, readonly { definition: { name: string } }[]>> = {
  'optimizer/parts': Object.values(parts).flat(),
  'optimizer/methods': parts.solver,
  'robustness/methods': parts.solver,
  'optimizer/objectives/problems': parts.problem,
  'optimizer/objectives': [...objectives, ...parts.problem],
  'app/objectives': objectives,
  'robustness/models': models,
  robustness: [...attacks, ...models, ...parts.solver],
}

describe('every part that is declared is listed:', () => {
  test.each(Object.entries(lists))('%s', (folder, list) => {
    const declared = namesIn(folder)
    expect(declared.length).toBeGreaterThan(0)
    const listed = list.map(({ definition }) => definition.name)
    expect(declared.filter((name) => !listed.includes(name))).toEqual([])
  })
})

test('browsers get the black boxes that need nothing of Node', () => {
  expect(browserObjectives.map(({ definition }) => definition.name)).toEqual(['http', 'open-inference'])
})

function namesIn(folder: string): string[] {
  const files = readdirSync(new URL(`${folder}/`, import.meta.url), { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  return sources.flatMap((file) => {
    const text = readFileSync(new URL(`${folder}/${file}`, import.meta.url), 'utf8')
    return [...text.matchAll(/^export const \w+ = definePart\(\{.*?\bname: '([^']+)'/gms)].map((match) => `${match[1]}`)
  })
}
