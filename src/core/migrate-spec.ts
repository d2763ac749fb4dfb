/** Plain JSON of a part or of a spec. */
type Fields = Readonly<Record<string, unknown>>

/** Solvers whose bare learning rate decayed in specs of version 1, and stays constant since. */
const constantSince2: readonly unknown[] = ['zo-adamm', 'zo-normalized']

/**
 * A spec as version 1 of the files of runs, series and attacks stored it, in the words of version 2: what was said by an
 * option left out, or by a bare number, is written out where it would mean something else today.
 */
export function migrateSpec(spec: unknown): unknown {
  // Attacks write the decay of every rate.
  const isAttack = isFields(spec) && ('model' in spec || 'attack' in spec)
  return mapParts(spec, (part) => {
    const free = isProbing(part) ? { feasible: false, ...part } : part
    return isAttack || constantSince2.includes(part.name) ? withDecay(free) : free
  })
}

/** Solvers and estimators whose probes left boxes unless they said otherwise. */
function isProbing({ name }: Fields): boolean {
  const others = ['zeroth', 'aligned', 'central', 'forward', 'majority-vote', 'nes']
  return typeof name === 'string' && (name.startsWith('zo-') || others.includes(name))
}

/** The same for a spec whose learning rate is searched for: the rates that are tried decay as they did, the first of them `rate`. */
export function migrateSearch(spec: unknown, rate: unknown): unknown {
  const migrated = migrateSpec(spec)
  const { solver = null } = isFields(migrated) ? migrated : {}
  if (!isFields(solver) || !constantSince2.includes(solver.name)) return migrated
  return { ...(migrated as Fields), solver: withDecay({ learningRate: rate, ...solver }) }
}

/** The solver of an attack, and those inside it, with the decay of every learning rate written out: alpha / sqrt(t). */
export function decaysWritten<Part>(solver: Part): Part {
  return mapParts(solver, withDecay) as Part
}

function withDecay(part: Fields): Fields {
  const { learningRate: value } = part
  return typeof value === 'number' ? { ...part, learningRate: { value, decay: 'sqrt' } } : part
}

/** The same JSON with each part in it changed, that is each object with a name. */
function mapParts(value: unknown, change: (part: Fields) => Fields): unknown {
  if (Array.isArray(value)) return value.map((each) => mapParts(each, change))
  if (!isFields(value)) return value
  const entries = Object.entries(value).map(([key, each]) => [key, mapParts(each, change)])
  const made: Fields = Object.fromEntries(entries)
  return typeof made.name === 'string' ? change(made) : made
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}
