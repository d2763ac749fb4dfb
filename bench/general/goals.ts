/** A share of a group's problems to be solved to accuracy `tau` within k simplex gradients, and the share aimed at. */
export interface ShareGoal {
  readonly group: string
  readonly tau: number
  readonly k: number
  readonly goal: number
}

function goalsOf(group: string, ...cells: readonly (readonly [tau: number, k: number, goal: number])[]): ShareGoal[] {
  return cells.map(([tau, k, goal]) => ({ group, tau, k, goal }))
}

/** What `minimize` without a solver has to show. */
export const shareGoals: readonly ShareGoal[] = [
  ...goalsOf('more-wild', [1e-1, 10, 0.95], [1e-3, 25, 0.95], [1e-3, 100, 0.98], [1e-5, 100, 0.96], [1e-5, 500, 0.98]),
  ...goalsOf('bbob-5', [1e-3, 100, 0.83], [1e-5, 100, 0.75], [1e-5, 500, 0.8]),
  ...goalsOf('bbob-20', [1e-3, 100, 0.83], [1e-5, 100, 0.62], [1e-5, 500, 0.75]),
  ...goalsOf('box', [1e-3, 25, 0.97], [1e-5, 100, 0.97]),
  ...goalsOf('multiplicative', [1e-3, 100, 0.97], [1e-5, 500, 0.9]),
  ...goalsOf('additive', [1e-3, 25, 0.58], [1e-3, 100, 0.9]),
]

/** The share of the way from the start to the best that may be left, as the median over seeds. */
export const remainderGoals: Readonly<Record<string, number>> = {
  'ellipsoid1e4-10000': 3.2e-2,
  'rosenbrock-10000': 4.3e-2,
  'logistic-10000': 4e-4,
}

/** Rows that no method may end above: at most what this peer leaves there. */
export const largePeer = { name: 'scipy-lbfgsb', groups: ['large-100', 'large-1000'] } as const

/** Microseconds of own time per query, as the median over runs. */
export const timeGoals = { small: 30, noisy: 100, large: 40 } as const
