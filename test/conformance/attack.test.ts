import { expect, test } from 'vitest'
import { originOf } from '../../src/optimizer/core/part.ts'
import type { Formulation } from '../../src/robustness/formulation.ts'
import { attacks } from '../../src/robustness/index.ts'
import { attackConformance } from './attack.ts'

/** A form whose options are known only to itself. */
type AttackPart = ((options: never) => Formulation) & {
  readonly definition: { readonly name: string; readonly examples: (dim: number) => readonly unknown[] }
}

const forms: readonly AttackPart[] = attacks

for (const part of forms) {
  const { name, examples } = part.definition
  attackConformance(name, (dim) => examples(dim).map((options) => part(options as never)))

  test(`${name} says what it was made of`, () => {
    expect(originOf(part({} as never))).toMatchObject({ kind: 'attack', name })
  })
}

test('names are not given twice', () => {
  const names = forms.map((part) => part.definition.name)
  expect(new Set(names).size).toBe(names.length)
})
