/** What is measured of the runs on a cell. */
export type Measure =
  | { readonly of: 'success' }
  | { readonly of: 'first-queries' }
  | { readonly of: 'within'; readonly queries: number }
  | { readonly of: 'l2'; readonly queries: number }
  | { readonly of: 'squared-l2'; readonly queries: number }
  | { readonly of: 'white-box-ratio'; readonly queries: number }

/** What the attack without a method named has to show on a cell. */
export interface Goal {
  readonly cell: string
  readonly measure: Measure
  /** Shares are to be at least that, all else at most. */
  readonly aim: number
  /** To be below the aim, not at it. */
  readonly strict?: boolean
}

/** Success, queries to the first one and, where asked for, success within 500 queries; shares of the images. */
function limited(cell: string, success: number, queries: number, within500?: number): Goal[] {
  return [
    { cell, measure: { of: 'success' }, aim: success },
    { cell, measure: { of: 'first-queries' }, aim: queries },
    ...(within500 === undefined ? [] : [{ cell, measure: { of: 'within', queries: 500 }, aim: within500 } as const]),
  ]
}

/** The median distance after so many queries. */
function nearest(cell: string, aims: readonly (readonly [queries: number, aim: number])[], strict = false): Goal[] {
  return aims.map(([queries, aim]) => ({ cell, measure: { of: 'l2', queries }, aim, ...(strict ? { strict } : {}) }))
}

/** All goals. */
export const goals: readonly Goal[] = [
  ...limited('cifar10-linf', 1, 100, 49 / 50),
  ...limited('resnet8-linf', 1, 34, 1),
  ...limited('digits-linf', 1, 250, 49 / 50),
  ...limited('cifar10-l2', 1, 400),
  ...limited('imagenet-l2', 14 / 15, 200),
  ...nearest('digits-nearest', [
    [1000, 0.7],
    [5000, 0.62],
    [10_000, 0.615],
  ]),
  { cell: 'digits-nearest', measure: { of: 'white-box-ratio', queries: 10_000 }, aim: 1.02 },
  ...nearest('cifar10-nearest', [
    [1000, 0.28],
    [5000, 0.14],
  ]),
  { cell: 'inception-nearest', measure: { of: 'squared-l2', queries: 11_001 }, aim: 0.7 },
  { cell: 'inception-nearest', measure: { of: 'white-box-ratio', queries: 11_001 }, aim: 2.5 },
  ...nearest(
    'digits-labels',
    [
      [1000, 0.95],
      [5000, 0.74],
    ],
    true,
  ),
  ...nearest(
    'cifar10-labels',
    [
      [1000, 0.62],
      [5000, 0.27],
    ],
    true,
  ),
  { cell: 'digits-targeted', measure: { of: 'success' }, aim: 1 },
  ...nearest('digits-targeted', [[5000, 1]]),
]
