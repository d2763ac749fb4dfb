import fc from 'fast-check'
import { knowAllParts } from '../../src/app/spec/all-parts.ts'
import { jsonOf, knownParts } from '../../src/app/spec/compile-part.ts'

import type { Json, JsonObject } from '../../src/app/spec/plain-data.ts'
import type { PartKind } from '../../src/optimizer/core/part.ts'
import type { AnyPart } from '../../src/registry.ts'

knowAllParts()

/** Valid specs of every part that can be written and needs nobody else, in 2 to 4 variables. */
export const randomSpec: fc.Arbitrary<JsonObject> = fc
  .integer({ min: 2, max: 4 })
  .chain((dim) => fc.tuple(problemIn(dim), areaIn(dim), settings))
  .map((pieces) => Object.assign({}, ...pieces) as JsonObject)

const small = fc.double({ min: -2, max: 2, noNaN: true })

const composedSolver = fc
  .constantFrom(...knownParts('solver').filter(({ definition }) => definition.name === 'descent'))
  .chain((descent) => writtenPart(descent, 2))

const settings: fc.Arbitrary<JsonObject> = fc.record(
  {
    solver: fc.oneof(partOf('solver', 2), composedSolver),
    seed: fc.nat(1000),
    maxQueries: fc.integer({ min: 30, max: 80 }),
    maxIterations: fc.nat(5),
    target: small,
    failures: fc.constantFrom('stop', 'skip', 'worst'),
    precision: fc.constantFrom('float64', 'float32'),
    trackBest: fc.boolean(),
    retry: fc.constantFrom<Json>(true, false, { attempts: 2 }),
    rate: fc.constant({ perSecond: 1e9 }),
    noise: fc.record({ deviation: fc.constantFrom(0.1, 0) }),
    cache: fc.constantFrom<Json>(true, false, { size: 3 }),
    log: fc.boolean(),
  },
  { requiredKeys: ['maxQueries'] },
)

function problemIn(dim: number): fc.Arbitrary<JsonObject> {
  const list = fc.array(small, { minLength: dim, maxLength: dim })
  const numbers: fc.Arbitrary<Json> = fc.oneof(fc.constantFrom<Json>(0.25, -0), list)
  const problems = knownParts('objective').filter(({ definition }) => 'dim' in definition.options.shape)
  const testProblem = fc.constantFrom(...problems).filter(({ definition }) => definition.kind === 'problem')
  return fc.oneof(
    fc.record(
      {
        objective: testProblem.chain((part) => writtenPart(part, dim)),
        dim: fc.constant(dim),
        start: fc.oneof(numbers, fc.constant('own')),
      },
      { requiredKeys: ['objective', 'dim'] },
    ),
    fc.record(
      {
        objective: fc.record({ name: fc.constant('module'), module: fc.constant(sumOfSquares) }),
        dim: fc.constant(dim),
        start: numbers,
        jobs: fc.constantFrom(1, 3),
        timeout: fc.constant(5000),
      },
      { requiredKeys: ['objective', 'dim'] },
    ),
  )
}

const sumOfSquares = 'data:text/javascript,export default async (x) => x.reduce((sum, v) => sum + v * v, 0)'

function areaIn(dim: number): fc.Arbitrary<JsonObject> {
  return fc.oneof(
    fc.constant({}),
    fc.constantFrom<JsonObject>({ bounds: [-1, 1] }, { bounds: [-2, 'Infinity'] }, { bounds: [-0, 2] }),
    partOf('set', dim).map((set) => ({ set })),
  )
}

/** A part of that kind, by one of its own examples. */
function partOf(kind: PartKind, dim: number): fc.Arbitrary<Json> {
  return fc.constantFrom(...knownParts(kind)).chain((part) => writtenPart(part, dim))
}

function writtenPart({ definition }: AnyPart, dim: number): fc.Arbitrary<Json> {
  const examples = definition.examples(dim).map((example) => jsonOf(example) as JsonObject)
  const nested = Object.entries(definition.options.shape).flatMap(
    ([key, { description, optional }]): [string, fc.Arbitrary<Json>][] => {
      if (description.type === 'part') return optional ? [] : [[key, partOf(description.kind as PartKind, dim)]]
      const inner =
        description.type === 'list' && description.of.description.type === 'part'
          ? (description.of.description.kind as PartKind)
          : undefined
      if (inner === undefined || examples.length > 0) return []
      return [[key, fc.array(partOf(inner, dim), { minLength: 1, maxLength: 2 })]]
    },
  )
  return fc
    .tuple(fc.constantFrom(...(examples.length > 0 ? examples : [{}])), fc.record(Object.fromEntries(nested)))
    .map(([example, parts]) => {
      // The number of variables stands beside the objective.
      const { dim: _, ...options } = { ...example, ...parts } as Record<string, Json>
      return Object.keys(options).length === 0 ? definition.name : { name: definition.name, ...options }
    })
}
