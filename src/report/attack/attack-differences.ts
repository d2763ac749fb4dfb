import { limitText } from '../number-text.ts'

type Spec = Readonly<Record<string, unknown>>

/** An attack beside others. */
interface Compared {
  readonly name: string
  readonly record: { readonly spec: Spec }
}

/** Keys of the spec that should be the same where methods are compared. */
const fairKeys = [
  'maxQueries',
  'maxIterations',
  'seed',
  'earlyStop',
  'count',
  'target',
  'universal',
  'lambda',
  'kappa',
  'precision',
  'failures',
] as const

const mostNamed = 3

/** In which settings attacks differ beside their methods, in words. */
export function differences(attacks: readonly Compared[]): string[] {
  const limits = ['linf', 'l2'].map(
    (key) => [key, (spec: Spec) => sizeText((spec.problem as Spec | undefined)?.[key])] as const,
  )
  const keys = fairKeys.map((key) => [key, (spec: Spec) => spec[key]] as const)
  return [...keys, ...limits].flatMap(([key, valueIn]) => {
    const names = new Map<string, string[]>()
    for (const { name, record } of attacks) {
      const found = valueIn(record.spec)
      const value = typeof found === 'string' ? found : (JSON.stringify(found) ?? 'none')
      names.set(value, [...(names.get(value) ?? []), name])
    }
    const groups = [...names].map(([value, those]) => `${value} (${someOf(those)})`)
    return groups.length > 1 ? [`${key} differs: ${groups.join(', ')}`] : []
  })
}

function sizeText(size: unknown): string | undefined {
  return size === undefined ? undefined : limitText(size)
}

function someOf(names: readonly string[]): string {
  const more = names.length - mostNamed
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
