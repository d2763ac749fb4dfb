import { numberFrom, table, withDefault } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import type { Key, KnownPoint, Memory, RunContext, SavedMemory, Solver, Vector } from '../../core/types.ts'
import { exponential, logarithm } from '../../kernels/functions.ts'
import { positive } from '../../numerics/matrices.ts'
import { ascending, median } from '../../numerics/vectors.ts'
import { copyOf } from '../points.ts'
import { type BesideAnswer, type OpenQuery, openStages } from '../staged/open-stages.ts'
import { type OpenStages, onlyPoint, type Stage, type StagedMethod, stagedSolver } from '../staged/staged-search.ts'
import { isSamePlace } from './acquisition.ts'
import { Archive } from './archive.ts'
import { constrainedStep } from './constrained-step.ts'
import { type Domain, domainOf, isSameCell } from './domain.ts'
import { Draws } from './draws.ts'
import { type Fitted, GlobalModel, type OpenPlace } from './global-model.ts'
import { LocalRun, type Step } from './local-run.ts'
import { batchOf, Polish } from './polish.ts'
import { emptiestPlace, globalProposal, regionProposal, type Surroundings } from './proposals.ts'

/** Bayesian optimisation for few queries: two models that take turns, for variables of all kinds. */
export const bayesian = definePart({
  kind: 'solver',
  name: 'bayesian',
  summary: 'Gaussian processes propose each query: for few queries between bounds, and for variables of all kinds.',
  options: table({
    /** Expected gains below this share of the spread of values, again and again, end the run. At least 0; default 0.000001. */
    tolerance: withDefault(numberFrom(0), 1e-6),
  }),
  examples: () => [{}, { tolerance: 1e-3 }],
  make: ({ tolerance }): Solver => bayesianSolver(tolerance),
})

/** The solver itself. */
export function bayesianSolver(tolerance = 1e-6): Solver {
  return {
    ...stagedSolver((at, saved) => new Bayesian(at, tolerance, saved), 'design'),
    takesMixed: true,
    takesConstraints: true,
    takesKnown: true,
  }
}

type Name = 'design' | 'again' | 'global' | 'local' | 'noisy' | 'polish'

/** A query, and why it is asked. */
interface Proposal {
  readonly kind: 'global' | 'local' | 'noisy'
  readonly place: Float64Array
  readonly step?: Step | undefined
  /** True where the run at work has nothing left to try. */
  readonly endsRun?: boolean
  /** What a query of the whole space is expected to gain, as a share of the spread of values. */
  readonly gain?: number
}

/** Rows of random numbers, one for each use. */
const rows = { design: 0, local: 1, global: 2, region: 3, beside: 4 }

/** A nugget below this is that of a smooth function, answered exactly. */
const smoothBelow = 3e-4
/** How near a proposal for the whole space may be to a centre: times sqrt(d), and times n^(-1/d). */
const hole = { most: 0.02, share: 0.25 }
/** How far a run must begin from the ends of others. */
const apart = 0.1

class Bayesian implements StagedMethod<Name> {
  readonly point: Vector
  readonly constraints: number
  readonly stages = {
    design: (key: Key) => this.#design(key),
    again: () => this.#again(),
    global: (key: Key) => this.#ask(this.#propose(key)),
    local: (key: Key) => this.#ask(this.#proposeLocally(key) ?? this.#propose(key)),
    noisy: (key: Key) => this.#ask(this.#proposeNear(key) ?? this.#propose(key)),
    polish: (key: Key) => this.#polished(key),
  }
  readonly open: OpenStages | undefined
  readonly #at: RunContext
  readonly #tolerance: number
  readonly #domain: Domain
  readonly #archive: Archive
  readonly #model: GlobalModel
  readonly #run: LocalRun
  readonly #polish: Polish
  /** Points that were under way when the stage at work began. */
  #underWay: readonly OpenPlace[] = []
  /** Where runs have ended, one place after the other. */
  #finished: Float64Array
  readonly #state = {
    /** Whether an answer comes again: 'unknown', 'exact' or 'noisy'. */
    answers: 'unknown',
    /** Whether it is the turn of the local run. */
    isLocal: true,
    asked: 0,
    /** Queries for the whole space, those since the last local one, and local ones where answers vary. */
    globals: 0,
    globalTurns: 0,
    nears: 0,
    /** Queries that promised next to nothing, since one that promised or gained something. */
    idle: 0,
  }

  constructor(at: RunContext, tolerance: number, saved: SavedMemory | undefined) {
    this.#at = at
    this.#tolerance = tolerance
    this.constraints = at.constraints ?? 0
    this.point = copyOf(at, at.start)
    this.#domain = domainOf(at)
    this.#archive = new Archive(this.#domain, this.constraints, saved)
    this.#model = new GlobalModel(this.#domain, this.#archive, this.constraints)
    this.#run = new LocalRun(this.#domain, saved)
    this.#polish = new Polish(at, this.#domain, saved)
    this.#finished = new Float64Array(saved?.vectors['method.finished']?.length ?? 0)
    const besides = {
      stageBegins: (points: readonly Vector[]) => {
        this.#underWay = points.map((point) => ({ place: this.#domain.unit(point), value: undefined }))
      },
      propose: (key: Key, open: readonly OpenQuery[]) => this.#proposeBeside(key, open),
      learn: (answers: readonly BesideAnswer[], next: Name | 'converged') => this.#learnBeside(answers, next),
    }
    this.open = openStages(at, this, besides, saved)
    if (saved === undefined) this.#takeKnown(at.known ?? [])
  }

  get memory(): Memory {
    return {
      vectors: { ...this.#archive.memory, finished: this.#finished },
      state: this.#state,
      parts: { model: this.#model.memory, run: this.#run.memory, polish: this.#polish.memory },
    }
  }

  get noisy(): boolean {
    return this.#isNoisy
  }

  /** Where there are constraints the lowest value may be none that counts. */
  get answer(): Vector | undefined {
    return this.constraints > 0 ? this.point : undefined
  }

  get #isNoisy(): boolean {
    return this.#state.answers === 'noisy'
  }

  get #left(): number {
    return (this.#at.budget.maxQueries ?? Infinity) - this.#state.asked
  }

  #takeKnown(known: readonly KnownPoint[]): void {
    const { start, startValue = Number.NaN } = this.#at
    if (!Number.isNaN(startValue) && this.constraints === 0) this.#archive.add(start, startValue)
    for (const { point, value, constraints } of known) {
      if (value !== undefined) this.#archive.add(point, value, constraints)
    }
  }

  /** The start and the middle, then a Latin hypercube: d + 3 points, less those that are known. */
  *#design(key: Key): Stage<Name> {
    const { dim } = this.#domain
    const { start, known = [] } = this.#at
    const given = [start, ...known.filter(({ value }) => value === undefined).map(({ point }) => point)]
    const wanted = given.filter((point) => !this.#isAsked(this.#domain.unit(point)))
    const count = Math.max(4, dim + 3, wanted.length + 2)
    const draws = new Draws(key, rows.design)
    const strata = Array.from({ length: dim }, () => draws.order(count))
    const shares = Array.from({ length: count }, (_, row) =>
      Float64Array.from(strata, (order) => ((order[row] as number) + draws.uniform()) / count),
    )
    const middle = new Float64Array(dim).fill(0.5)
    const places = [middle, ...shares.slice(2)].map((u) => this.#domain.own(u))
    const points = distinct(this.#domain, [...wanted, ...places]).slice(0, Math.max(count - this.#archive.length, 2))
    const fitting = points.slice(0, Math.max(1, this.#left - 1))
    const answers = yield batchOf(fitting)
    const { constraints } = this
    fitting.forEach((point, row) => {
      const from = fitting.length + row * constraints
      this.#archive.add(point, answers[row] as number, answers.subarray(from, from + constraints))
    })
    this.#state.asked += fitting.length
    const best = this.#best
    this.#run.beginFirst(this.#archive.places[best] as Float64Array, this.#archive.scores[best] as number)
    return this.#next('design')
  }

  /** Asks the best point once more, or the centre of the run where it is to be polished. */
  *#again(): Stage<Name> {
    const index = this.#repeated
    const value = this.#archive.value(index)
    const point = this.#archive.point(index)
    const answer = yield onlyPoint(point)
    this.#state.answers = answer[0] === value ? 'exact' : 'noisy'
    if (this.#isNoisy) this.#run.state.isOn = false
    this.#archive.add(point, answer[0] as number, answer.subarray(1))
    this.#state.asked++
    return this.#next('again')
  }

  /** Asks what was proposed and learns from the answer; the end where there is nothing left to ask. */
  *#ask(proposal: Proposal | undefined): Stage<Name> {
    if (proposal === undefined) return 'converged'
    const { kind, place, step, endsRun = false } = proposal
    const point = this.#domain.own(place)
    const answer = yield onlyPoint(point)
    const before = this.#lowest
    const isIdle = kind === 'global' && !this.#run.state.isOn && (proposal.gain ?? 0) < this.#tolerance
    if (isIdle) this.#state.idle++
    this.#archive.add(point, answer[0] as number, answer.subarray(1))
    this.#state.asked++
    const at = this.#archive.places[this.#archive.length - 1] as Float64Array
    const value = this.#archive.scores[this.#archive.length - 1] as number
    if (endsRun) this.#endRun()
    if (kind === 'noisy') {
      this.#state.nears++
      this.#state.isLocal = false
    } else if (kind === 'local') this.#afterLocal(at, value, step as Step)
    else this.#afterGlobal(at, value, before)
    if (value < before || (proposal.gain ?? 0) >= this.#tolerance) this.#state.idle = 0
    return this.#state.idle > this.#domain.dim + 1 ? 'converged' : this.#next(kind)
  }

  /** A stage of the quasi-Newton method within the region of the run. */
  *#polished(key: Key): Stage<Name> {
    const run = this.#run
    const { answered, isOver, isIteration } = yield* this.#polish.stage(key, run.centre)
    const isFailed = answered.some(({ value }) => Number.isNaN(value))
    for (const { point, value } of answered) this.#archive.add(point, value)
    this.#state.asked += answered.length
    const before = run.state.value
    for (const { point, value } of answered) {
      if (value < run.state.value) run.moveTo(this.#domain.unit(point), value)
    }
    const gain = before - run.state.value
    const isHopeless = isIteration && run.state.value - 10 * gain > this.#lowest
    if (isFailed || isHopeless || (isOver && !this.#polish.isDoubtful)) this.#endRun()
    if (isFailed || isHopeless || isOver) this.#polish.end()
    if (isFailed || isHopeless || isOver || isIteration) this.#state.isLocal = false
    return this.#next('polish')
  }

  /** The index of the best point. */
  get #best(): number {
    const { scores } = this.#archive
    return scores.reduce((best, each, i) => (each < (scores[best] as number) ? i : best), 0)
  }

  get #lowest(): number {
    return this.#archive.scores.reduce((a, b) => Math.min(a, b), Infinity)
  }

  #isAsked(place: Float64Array): boolean {
    return this.#archive.places.some((each) => isSamePlace(each, place))
  }

  /** What comes next, after what is known was taken in. */
  #next(last: Name): Name {
    const next = this.#turn(last)
    if (next !== 'polish' && next !== 'again') this.#model.refit(this.#isNoisy)
    this.#settle()
    return next
  }

  #turn(last: Name): Name {
    const { answers, isLocal } = this.#state
    if (answers === 'unknown' && last !== 'again' && this.#wantsToRepeat()) return 'again'
    if (!isLocal || this.#domain.continuous.length === 0) return 'global'
    if (answers === 'noisy') return 'noisy'
    if (this.#polish.isOn) {
      if (this.#polish.queries < this.#left) return 'polish'
      this.#polish.end()
    }
    if (!this.#isReadyToPolish) return 'local'
    if (answers === 'unknown') return 'again'
    return this.#beginPolish() ? 'polish' : 'local'
  }

  /** Whether it is time to see if answers vary. */
  #wantsToRepeat(): boolean {
    const { isOn, fails } = this.#run.state
    const nugget = this.#model.nugget ?? 0
    if (this.#archive.length < this.#domain.dim + 11 || this.#archive.isFailed(this.#repeated)) return false
    return nugget > smoothBelow || (isOn && fails > this.#domain.continuous.length) || this.#finished.length > 0
  }

  /** Which point is asked again: the centre of a run that is to be polished, or the best. */
  get #repeated(): number {
    const { places } = this.#archive
    const centre = places.findIndex((each) => isSamePlace(each, this.#run.centre))
    return this.#isReadyToPolish && centre >= 0 ? centre : this.#best
  }

  get #isReadyToPolish(): boolean {
    const { isOn, wasPolished, steps, fails } = this.#run.state
    const nugget = this.#model.nugget ?? Infinity
    const isSmooth = nugget < smoothBelow && this.constraints === 0 && !this.#hasFailures && !this.#isNoisy
    return isOn && !wasPolished && steps >= 2 * (this.#domain.continuous.length + 1) && fails > 0 && isSmooth
  }

  get #hasFailures(): boolean {
    return this.#archive.places.some((_, i) => this.#archive.isFailed(i))
  }

  #beginPolish(): boolean {
    const run = this.#run
    const surrounding = this.#surrounding()
    if (surrounding === undefined) return false
    const d = this.#domain.continuous.length
    const { radius, value } = run.state
    const hessian = surrounding.model.hessian().map((each) => each / (radius * radius))
    run.state.wasPolished = true
    this.#polish.begin(run.centre, value, positive(hessian, d))
    if (this.#polish.queries < this.#left) return true
    this.#polish.end()
    return false
  }

  #surrounding() {
    return this.#run.model(this.#archive, this.constraints, this.#isNoisy)
  }

  /** Keeps `point` at what the run would end with. */
  #settle(): void {
    const index = this.#isNoisy ? this.#believedBest() : this.#best
    if (!this.#archive.isFailed(index)) this.point.set(this.#archive.point(index))
  }

  /** The point of which the models believe the lowest value. */
  #believedBest(): number {
    const fitted = this.#model.fitted(true)
    return this.#archive.places.indexOf(this.#lowestMean(fitted))
  }

  #lowestMean({ places, means }: Fitted): Float64Array {
    return places[ascending(means)[0] as number] as Float64Array
  }

  #acquisition(fitted: Fitted) {
    return this.#model.acquisition(fitted, { isNoisy: this.#isNoisy, hasRun: this.#run.state.isOn })
  }

  #propose(key: Key, endsRun = false): Proposal | undefined {
    const draws = new Draws(key, rows.global)
    if (this.#model.isBlind && this.#state.globals % 2 === 0) {
      return { kind: 'global', place: emptiestPlace(this.#domain, this.#archive.places, draws), endsRun }
    }
    const fitted = this.#model.fitted(this.#isNoisy, this.#underWay)
    const place = this.#globalPlace(fitted, this.#underWay, draws)
    return place && { kind: 'global', place, endsRun, gain: this.#model.gainAt(place, fitted) }
  }

  #globalPlace(fitted: Fitted, open: readonly OpenPlace[], draws: Draws): Float64Array | undefined {
    const order = ascending(fitted.values).slice(0, 5)
    const best = order.map((i) => fitted.places[i] as Float64Array)
    return globalProposal(this.#acquisition(fitted), best, this.#surroundings(open), draws)
  }

  /** Beside a stage: by turns anywhere, and around the centre of the run. */
  #proposeBeside(key: Key, queries: readonly OpenQuery[]): Vector | undefined {
    const open = queries.map(({ point, value }): OpenPlace => ({ place: this.#domain.unit(point), value }))
    const draws = new Draws(key, rows.beside)
    const asked = [...this.#archive.places, ...open.map(({ place }) => place)]
    if (this.#model.nugget === undefined) {
      const empty = emptiestPlace(this.#domain, asked, draws)
      return asked.some((each) => isSamePlace(each, empty)) ? undefined : this.#domain.own(empty)
    }
    const fitted = this.#model.fitted(this.#isNoisy, open)
    const isNear = key.iteration % 2 === 0 && this.#run.state.isOn
    const near = isNear ? this.#regionPlace(fitted, open, draws) : undefined
    const place = near ?? this.#globalPlace(fitted, open, draws)
    return place && this.#domain.own(place)
  }

  /** Takes in answers beside the stages; a better one is where the run goes on, or where the next begins. */
  #learnBeside(answers: readonly BesideAnswer[], next: Name | 'converged'): Name | 'converged' {
    const before = this.#lowest
    for (const { point, value, constraints } of answers) this.#archive.add(point, value, constraints)
    this.#state.asked += answers.length
    const best = this.#best
    const lowest = this.#archive.scores[best] as number
    if (lowest < before && !this.#isNoisy) this.#goOnFrom(this.#archive.places[best] as Float64Array, lowest)
    if (next === 'converged' && !(lowest < before)) return next
    return this.#next('global')
  }

  #surroundings(open: readonly OpenPlace[]): Surroundings {
    const { continuous, dim } = this.#domain
    const holes = this.#run.state.isOn ? [...this.#ends, this.#run.centre] : this.#ends
    const hasHoles = continuous.length > 0 && !this.#isNoisy
    const share = hole.share / exponential(logarithm(this.#archive.length) / dim)
    const holeRadius = hasHoles ? Math.min(hole.most * Math.sqrt(dim), share) : 0
    const asked = [...this.#archive.places, ...open.map(({ place }) => place)]
    return { asked, mayRepeat: this.#isNoisy, holes, holeRadius }
  }

  /** Where runs have ended. */
  get #ends(): Float64Array[] {
    const { dim } = this.#domain
    return Array.from({ length: this.#finished.length / dim }, (_, k) =>
      this.#finished.subarray(k * dim, (k + 1) * dim),
    )
  }

  /** A step of the run by its own model, or by that of the whole space where it has too few points. */
  #proposeLocally(key: Key): Proposal | undefined {
    const run = this.#run
    if (!run.state.isOn) return undefined
    const surrounding = this.#surrounding()
    if (surrounding === undefined) return this.#proposeInRegion(key)
    const { model, near, constraints } = surrounding
    const at = { ...key, row: rows.local }
    const isFree = constraints.length === 0
    const z = isFree ? model.lowest(run.region, 0.1, at) : constrainedStep(model, constraints, run.region, at)
    const place = run.placeAt(z)
    if (place.every((each, i) => Math.abs(each - (run.centre[i] as number)) < 1e-10)) return this.#propose(key, true)
    const length = z.reduce((a, each) => Math.max(a, Math.abs(each)), 0)
    // The score of a point that violates constraints is no value of the model.
    const expected = isFree ? model.mean(z) : undefined
    return { kind: 'local', place, step: { expected, length, near } }
  }

  #proposeInRegion(key: Key): Proposal | undefined {
    const run = this.#run
    const reach = run.reach(this.#model.lengths)
    const fitted = this.#model.fitted(false, this.#underWay)
    const place = this.#regionPlace(fitted, this.#underWay, new Draws(key, rows.region))
    if (place === undefined) return undefined
    const shares = Array.from(
      this.#domain.continuous,
      (i) => Math.abs((place[i] as number) - (run.centre[i] as number)) / (reach[i] as number),
    )
    return { kind: 'local', place, step: { expected: undefined, length: Math.max(...shares), near: Infinity } }
  }

  #regionPlace(fitted: Fitted, open: readonly OpenPlace[], draws: Draws): Float64Array | undefined {
    const reach = this.#run.reach(this.#model.lengths)
    return regionProposal(this.#acquisition(fitted), this.#run.centre, reach, this.#surroundings(open), draws)
  }

  /** Where answers vary: the lowest place of a model around the point that is believed to be the best. */
  #proposeNear(key: Key): Proposal | undefined {
    const fitted = this.#model.fitted(true)
    const centre = this.#lowestMean(fitted)
    let radius = 0.35
    for (let k = 0; k < this.#state.nears && radius > 0.1; k++) radius *= 0.97
    const run = new LocalRun(this.#domain, undefined)
    run.begin(centre, 0, Math.max(radius, 0.1))
    const surrounding = run.model(this.#archive, 0, true)
    if (surrounding === undefined) return undefined
    return { kind: 'noisy', place: run.placeAt(surrounding.model.lowest(run.region, 0, { ...key, row: rows.local })) }
  }

  #afterLocal(place: Float64Array, value: number, step: Step): void {
    const { scores } = this.#archive
    const isBetter = value < this.#run.state.value
    const best = this.#lowest
    const goesOn = this.#run.learn(place, value, step, { best, scale: median(scores) - best })
    // What this model cannot improve, the quasi-Newton method may.
    const isWorthPolish = this.#isReadyToPolish && this.#run.state.value <= best
    if (!goesOn && !isWorthPolish) this.#endRun()
    this.#state.isLocal = isBetter && this.#run.state.isOn
  }

  #afterGlobal(place: Float64Array, value: number, before: number): void {
    const run = this.#run
    const state = this.#state
    const isBetter = value < before
    if (isBetter && !this.#isNoisy) this.#goOnFrom(place, value)
    state.globals++
    state.globalTurns++
    const d = this.#domain.continuous.length
    const turns = Math.max(1, Math.round((this.#domain.dim - d) / Math.max(d, 1)))
    if (isBetter || state.globalTurns >= turns) {
      state.isLocal = true
      state.globalTurns = 0
    }
    if (!run.state.isOn && !this.#isNoisy) this.#restart()
  }

  /** Moves the run to a better place, or begins another there if it is far. */
  #goOnFrom(place: Float64Array, value: number): void {
    const run = this.#run
    if (run.state.isOn && !this.#isFar(place, run.centre, 2 * run.state.radius)) return run.moveTo(place, value)
    run.beginAt(place, value)
    this.#polish.end()
  }

  /**
   * Begins a run at the best point away from the ends of all others, if it is good enough; on a rugged function of which the model
   * promises nothing any more, at any.
   */
  #restart(): void {
    const { scores, places } = this.#archive
    const isLost = this.#state.idle > 0 && !((this.#model.nugget ?? 0) < smoothBelow)
    const most = isLost ? scores.length : Math.max(3, Math.floor(scores.length / 6))
    const good = ascending(scores).slice(0, most)
    const ends = this.#ends
    const next = good.find((i) => ends.every((end) => this.#isFar(places[i] as Float64Array, end, apart)))
    if (next !== undefined) this.#run.beginLater(places[next] as Float64Array, scores[next] as number)
  }

  #endRun(): void {
    const ends = new Float64Array(this.#finished.length + this.#domain.dim)
    ends.set(this.#finished)
    ends.set(this.#run.centre, this.#finished.length)
    this.#finished = ends
    this.#run.state.isOn = false
    this.#polish.end()
  }

  #isFar(a: Float64Array, b: Float64Array, distance: number): boolean {
    if (!isSameCell(this.#domain, a, b)) return true
    return this.#domain.continuous.some((i) => Math.abs((a[i] as number) - (b[i] as number)) > distance)
  }
}

/** Points without those that are there before already. */
function distinct(domain: Domain, points: readonly Vector[]): Vector[] {
  const places = points.map((point) => domain.unit(point))
  return points.filter((_, i) => !places.slice(0, i).some((each) => isSamePlace(each, places[i] as Float64Array)))
}
