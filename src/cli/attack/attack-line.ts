import type { AttackProgress, ImageRecord } from '../../attacks/index.ts'
import { millisecondsText } from '../duration-text.ts'
import { type Field, fitted, grouped, perSecond } from '../live-line.ts'

/** What the line about an attack is made from. */
export interface AttackLineOptions {
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number
  readonly maxQueries: number
  readonly maxIterations?: number | undefined
  readonly universal: boolean
  /** Which of several attacks it is. */
  readonly label?: string | undefined
}

/** The line about an attack at work. */
export interface AttackLine {
  /** So many images have been looked at, of which so many are attacked. */
  looked(images: number, attacked: number): void
  /** So many queries were asked just now. */
  asked(queries: number): void
  iteration(at: AttackProgress): void
  done(record: ImageRecord): void
  /** How much of the attack is done, from 0 to 1. */
  share(): number
  text(width?: number): string
}

/** Follows an attack and says how it stands: images done, fooled so far, queries per second and the time left. */
export function attackLine({
  clock,
  maxQueries,
  maxIterations = Infinity,
  universal,
  label,
}: AttackLineOptions): AttackLine {
  const fooled = new Set<number>()
  const finished = new Set<number>()
  const underWay = new Map<number, AttackProgress>()
  let images = { looked: 0, attacked: 0 }
  let began: number | undefined
  let asked = 0

  /** Queries that are left at most. */
  const left = (): number => {
    const waiting = universal ? 1 : images.attacked - finished.size
    const spent = [...underWay.values()].reduce((sum, { queries }) => sum + queries, 0)
    return Math.max(0, waiting * maxQueries - spent)
  }

  const standing = (): Field[] => {
    const seconds = began === undefined ? 0 : (clock() - began) / 1000
    const pace = seconds > 0 ? asked / seconds : 0
    const common = universal ? underWay.get(-1) : undefined
    const place = universal
      ? `iteration ${grouped(common?.iteration ?? 0)}`
      : `images ${grouped(finished.size)} of ${grouped(images.attacked)}`
    const success = universal ? `${grouped(common?.fooled ?? 0)} of ${grouped(images.attacked)}` : grouped(fooled.size)
    return [
      { text: place, weight: 6 },
      { text: `fooled ${success}`, weight: 5 },
      { text: pace > 0 ? `${perSecond(pace)} queries/s` : '', weight: 3 },
      { text: pace > 0 ? `at most ${millisecondsText((left() / pace) * 1000)} left` : '', weight: 4 },
    ]
  }

  return {
    looked(looked, attacked) {
      images = { looked, attacked }
    },
    asked(queries) {
      began ??= clock()
      asked += queries
    },
    iteration(at) {
      underWay.set(at.index, at)
      if (at.index >= 0 && at.fooled > 0) fooled.add(at.index)
    },
    done({ index, status }) {
      underWay.delete(index)
      finished.add(index)
      if (status === 'fooled') fooled.add(index)
    },
    share() {
      const begun = [...underWay.values()].map((at) => Math.max(at.queries / maxQueries, at.iteration / maxIterations))
      const sum = begun.reduce((total, each) => total + Math.min(1, each), universal ? 0 : finished.size)
      const whole = universal ? 1 : images.attacked
      return whole === 0 ? 0 : sum / whole
    },
    text(width = Infinity) {
      const isLooking = finished.size === 0 && underWay.size === 0
      const looking = { text: `looking at the images: ${grouped(images.looked)} seen`, weight: 6 }
      return fitted([{ text: label ?? '', weight: 1 }, ...(isLooking ? [looking] : standing())], width)
    },
  }
}
