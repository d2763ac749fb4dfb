import { median } from '../race.ts'
import { largePeer, remainderGoals, shareGoals, timeGoals } from './goals.ts'
import { groups } from './groups.ts'
import type { Row } from './rows.ts'
import { type GroupSummary, grouped, type Standing, shares } from './summary.ts'

/** One line of the table of goals. */
export interface Verdict {
  readonly what: string
  readonly goal: string
  /** What was measured: by any query, by the lowest answer, by the reported point, where these are told apart. */
  readonly measured: string
  /** The best single peer by the same reading as the goal. */
  readonly peer: string
  /** Undefined where nothing was measured. */
  readonly met: boolean | undefined
}

/** How one method stands against all goals. Shares are compared as they are printed, with two digits. */
export function verdicts(method: string, rows: readonly Row[], summaries: readonly GroupSummary[]): Verdict[] {
  const own = rows.filter(({ solver }) => solver === method)
  return [
    ...shareVerdicts(method, rows),
    outsideVerdict(own),
    ...remainderVerdicts(method, summaries),
    ...timeVerdicts(own),
  ]
}

/** A share with two digits; a dash where there is none. */
export function shareText(share: number | undefined): string {
  return share === undefined ? '-' : share.toFixed(2)
}

/** An accuracy as it is written by hand. */
export function accuracyText(tau: number): string {
  return tau < 0.1 ? tau.toExponential() : String(tau)
}

/** A remainder with two digits. */
export function remainderText(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '-' : value.toExponential(1)
}

function shareVerdicts(method: string, rows: readonly Row[]): Verdict[] {
  return shareGoals.map(({ group, tau, k, goal }) => {
    const members = rows.filter((row) => row.group === group)
    const of = (solver: string) =>
      shares(
        members.filter((row) => row.solver === solver),
        [tau, k],
      )
    const { any, seen, reported } = of(method)
    const best = wholePeers(members)
      .map((peer) => ({ peer, any: of(peer).any ?? 0 }))
      .sort((a, b) => b.any - a.any)[0]
    return {
      what: `${groups[group]?.title ?? group}: ${accuracyText(tau)} @ ${k}`,
      goal: `>= ${shareText(goal)}`,
      measured: [any, seen, reported].map(shareText).join(' / '),
      peer: best === undefined ? '-' : `${shareText(best.any)} ${best.peer}`,
      met: any === undefined ? undefined : Number(shareText(any)) >= goal,
    }
  })
}

/** The peers that were run on every problem of a group. */
function wholePeers(rows: readonly Row[]): string[] {
  const all = new Set(rows.map(({ problem }) => problem)).size
  return grouped(
    rows.filter(({ own, whole }) => whole && !own),
    ({ solver }) => solver,
  )
    .filter((runs) => new Set(runs.map(({ problem }) => problem)).size === all)
    .map((runs) => (runs[0] as Row).solver)
}

function outsideVerdict(rows: readonly Row[]): Verdict {
  const boxed = rows.filter(({ group }) => group === 'box')
  const total = (key: 'outside' | 'queries'): number => boxed.reduce((sum, row) => sum + row[key], 0)
  const measured = boxed.length === 0 ? '-' : `${total('outside')} of ${total('queries')}`
  const met = boxed.length === 0 ? undefined : total('outside') === 0
  return { what: 'Bounds: queries outside', goal: '0', measured, peer: '-', met }
}

function remainderVerdicts(method: string, summaries: readonly GroupSummary[]): Verdict[] {
  return summaries
    .filter(({ group }) => group.startsWith('large'))
    .flatMap(({ group, title, standings }) => {
      const find = (name: string): Standing | undefined => standings.find(({ solver }) => solver === name)
      const problems = Object.keys(standings[0]?.remainders ?? {})
      return problems.map((problem) => {
        const measured = find(method)?.remainders[problem]
        const peer = find(largePeer.name)?.remainders[problem]?.best
        const isLimited = (largePeer.groups as readonly string[]).includes(group)
        const limit = isLimited ? peer : remainderGoals[problem]
        return {
          what: `${title}: left of ${problem}`,
          goal: isLimited ? `<= ${largePeer.name}` : `<= ${remainderText(limit)}`,
          measured:
            measured === undefined ? '-' : `${remainderText(measured.best)} / ${remainderText(measured.reported)}`,
          peer: peer === undefined ? '-' : `${remainderText(peer)} ${largePeer.name}`,
          met: measured === undefined || limit === undefined ? undefined : isWithin(measured.best, limit),
        }
      })
    })
}

/** Compared as printed. */
function isWithin(value: number, limit: number): boolean {
  return Number(remainderText(value)) <= Number(remainderText(limit))
}

function timeVerdicts(rows: readonly Row[]): Verdict[] {
  const whole = rows.filter((row) => row.whole)
  const kinds = [
    ['d <= 20, exact', timeGoals.small, whole.filter(({ dim, noisy }) => dim <= 20 && !noisy)],
    ['d <= 20, noisy', timeGoals.noisy, whole.filter(({ dim, noisy }) => dim <= 20 && noisy)],
    ['d = 10,000', timeGoals.large, whole.filter(({ dim }) => dim === 10_000)],
  ] as const
  return kinds.map(([what, goal, runs]) => {
    const time = runs.length === 0 ? undefined : median(runs.map(({ microseconds }) => microseconds))
    return {
      what: `Own time per query, ${what}`,
      goal: `<= ${goal} us`,
      measured: time === undefined ? '-' : `${time.toFixed(1)} us`,
      peer: '-',
      met: time === undefined ? undefined : time <= goal,
    }
  })
}
