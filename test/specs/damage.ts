import fc from 'fast-check'
import { stringify } from 'yaml'
import type { Json } from '../../src/app/spec/plain-data.ts'
import { randomSpec } from './random-spec.ts'

/** Values that are rarely what was meant. */
const oddValues = fc.oneof(
  fc.constantFrom<Json>(null, true, '', 0, -1, 0.5, 1e308, -1e308, 2 ** 53, 1e-320, NaN, Infinity, [], {}, [[]], 'NaN'),
  fc.constantFrom<Json>('quadratic', 'Infinity', '-0', { name: 'box' }, { name: 3 }, { name: 'no such part' }, [
    1,
    null,
  ]),
  fc.constantFrom<Json>('x'.repeat(100_000), 'line\nbreak', '\u0000', '../../etc/passwd', '$HOME', { env: 'PATH' }),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
)

const oddKeys = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'name',
    'dim',
    'start',
    '',
    'a.b',
    'line\nbreak',
    'toString',
  ),
  fc.constantFrom('sedd', 'max_queries', 'population', 'batch', 'jobs', 'k'.repeat(300), '<<', '?', '-', '0'),
  fc.string({ maxLength: 5 }),
)

/** One thing put wrong at the `where`-th place of a value. */
interface Wrong {
  readonly where: number
  readonly how: 'value' | 'key' | 'add' | 'remove'
  readonly value: Json
  readonly key: string
}

const wrong: fc.Arbitrary<Wrong> = fc.record({
  where: fc.nat(40),
  how: fc.constantFrom<Wrong['how']>('value', 'key', 'add', 'remove'),
  value: oddValues,
  key: oddKeys,
})

const tokens = fc.constantFrom(
  '',
  ' ',
  '\t',
  '\n',
  ':',
  ': ',
  '[',
  ']',
  '{',
  '}',
  '&a ',
  '*a',
  '!!js ',
  '!',
  '|',
  '>',
  '"',
  "'",
  '#',
  '%',
  '@',
  '---\n',
  '...',
  '\u0000',
  '\ud800',
  '🙂',
  '- ',
  '? ',
  '<<: ',
  '1e999',
  '.inf',
  '.nan',
  '0x1F',
  '~',
)

/** Texts of specs that somebody got wrong: keys, values, types, or the YAML itself. Some are still right. */
export const damagedText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(randomSpec, fc.array(wrong, { minLength: 1, maxLength: 2 }))
      .map(([spec, all]) => stringify(all.reduce<Json>(damaged, spec), { aliasDuplicateObjects: false })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(randomSpec, fc.array(fc.tuple(fc.nat(), fc.nat(3), tokens), { minLength: 1, maxLength: 2 }))
      .map(([spec, cuts]) => cuts.reduce(cut, stringify(spec))),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
)

function cut(text: string, [where, length, put]: [number, number, string]): string {
  const at = where % (text.length + 1)
  return text.slice(0, at) + put + text.slice(at + length)
}

/** The value with one of its members changed; places are counted through all depths. */
function damaged(value: Json, wrong: Wrong): Json {
  let left = wrong.where % (1 + places(value))
  const walk = (each: Json): Json => {
    if (left-- === 0) return wrong.value
    if (Array.isArray(each)) return each.map(walk)
    if (typeof each !== 'object' || each === null) return each
    const members = Object.entries(each).flatMap(([key, member]): [string, Json][] => {
      if (wrong.how === 'value' || left !== 0) return [[key, walk(member)]]
      left--
      if (wrong.how === 'remove') return []
      return wrong.how === 'key'
        ? [[wrong.key, member]]
        : [
            [key, member],
            [wrong.key, wrong.value],
          ]
    })
    return fromMembers(members)
  }
  return walk(value)
}

/** Own members whatever they are called: `__proto__`, too. */
function fromMembers(members: readonly [string, Json][]): Json {
  return JSON.parse(
    `{${[...new Map(members)].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value) ?? 'null'}`).join(',')}}`,
  ) as Json
}

function places(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  return 1 + Object.values(value).reduce<number>((sum, each) => sum + places(each as Json), 0)
}
