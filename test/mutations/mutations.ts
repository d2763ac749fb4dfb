/** A small bug planted in the source, and the tests that must catch it. */
export interface Mutation {
  readonly name: string
  /** Text that stands in exactly one file of src, exactly once. */
  readonly find: string
  readonly replace: string
  /** Files or folders of unit tests, at least one of which fails. */
  readonly caughtBy: readonly string[]
}

export const mutations: readonly Mutation[] = [
  {
    name: 'one query more than the budget allows',
    find: "this.#ledger.remaining < this.#rows + this.#reserve) return 'max-queries'",
    replace: "this.#ledger.remaining < this.#rows + this.#reserve - 1) return 'max-queries'",
    caughtBy: ['src/optimizer/core'],
  },
  {
    name: 'one iteration more than allowed',
    find: 'this.#search.iteration >= (this.#at.budget.maxIterations ?? Infinity)',
    replace: 'this.#search.iteration > (this.#at.budget.maxIterations ?? Infinity)',
    caughtBy: ['src/optimizer/core'],
  },
  {
    name: 'cached rows are counted as queries',
    find: 'this.queries += asked.rows - hits - unasked',
    replace: 'this.queries += asked.rows - unasked',
    caughtBy: ['src/optimizer/core', 'src/optimizer/wrappers'],
  },
  {
    name: 'a made-up value counts as an evaluated point',
    find: "if (policy === 'worst' && this.worst > -Infinity && row >= asked.centers)",
    replace: "if (policy === 'worst' && this.worst > -Infinity)",
    caughtBy: ['src/optimizer/core'],
  },
  {
    name: 'a resumed run forgets the queries it has used',
    find: 'this.queries = saved.queries',
    replace: 'this.queries = 0',
    caughtBy: ['src/optimizer/core'],
  },
  {
    name: 'a resumed run begins with the wrong iteration',
    find: 'search.iteration = saved.iteration',
    replace: 'search.iteration = saved.iteration + 1',
    caughtBy: ['src/optimizer/core'],
  },
  {
    name: 'the row is left out of the address of random numbers',
    find: 'block[1] = at.row',
    replace: 'block[1] = 0',
    caughtBy: ['src/optimizer/kernels', 'src/optimizer/parts/directions'],
  },
  {
    name: 'only the low half of the seed is used',
    find: 'philox(block, at.seed >>> 0, Math.floor(at.seed / 4294967296))',
    replace: 'philox(block, at.seed >>> 0, 0)',
    caughtBy: ['src/optimizer/kernels', 'src/optimizer/core'],
  },
  {
    name: 'two-sided differences are twice too long',
    find: '(0.25 * probing.factor) / kept',
    replace: '(0.5 * probing.factor) / kept',
    caughtBy: ['src/optimizer/parts', 'test/conformance/estimator.test.ts'],
  },
  {
    name: 'the first moment forgets the running maximum',
    find: 'move.squares = options.maxSecondMoment === true ? maximum : second',
    replace: 'move.squares = second',
    caughtBy: ['src/optimizer/parts/steps', 'src/optimizer/methods'],
  },
  {
    name: 'unescaped HTML',
    find: '.replace(/[&<>"\'`]/g, (character) =>',
    replace: '.replace(/[&>"\'`]/g, (character) =>',
    caughtBy: ['src/app/report'],
  },
  {
    name: 'the server answers for any host',
    find: 'if (own === undefined) return { status: 421',
    replace: 'if (headers.host === undefined || own === undefined && false) return { status: 421',
    caughtBy: ['src/app/ui/server'],
  },
  {
    name: 'pages of other sites may change something',
    find: "site === undefined || site === 'same-origin' || site === 'none'",
    replace: "site === undefined || site !== ''",
    caughtBy: ['src/app/ui/server'],
  },
  {
    name: 'a file beside the folder passes for one within it',
    find: 'file.startsWith(inside + sep)',
    replace: 'file.startsWith(inside)',
    caughtBy: ['src/app/ui/server'],
  },
  {
    name: 'the folder is not synced in the asynchronous path',
    find: "yield attemptLater('fsync', folder, () => later.syncFolder(folder))",
    replace: '',
    caughtBy: ['src/app/store', 'test/run-store'],
  },
  {
    name: 'the asynchronous sync of a folder does nothing',
    find: 'await folder.sync()',
    replace: '',
    caughtBy: ['src/app/store', 'test/run-store'],
  },
  {
    name: 'a file is put in its place before it is synced',
    find: 'yield* file.datasyncing(later)\n  } finally {',
    replace: '} finally {',
    caughtBy: ['src/app/store', 'test/run-store'],
  },
  {
    name: 'a record may follow any other',
    find: 'found.number !== last.records + 1) return undefined',
    replace: 'found.number < last.records) return undefined',
    caughtBy: ['src/app/store', 'test/run-store'],
  },
  {
    name: 'the interval of a share is too narrow',
    find: 'const z = 1.959963984540054',
    replace: 'const z = 1.659963984540054',
    caughtBy: ['src/robustness'],
  },
  {
    name: 'the limit of a perturbation is not checked in the Euclidean norm',
    find: 'l2 <= (limits.l2 ?? Infinity) + roundoff && linf <= (limits.linf ?? Infinity) + roundoff',
    replace: 'linf <= (limits.linf ?? Infinity) + roundoff',
    caughtBy: ['src/robustness'],
  },
  {
    name: 'pixels may leave their range below',
    find: 'lower[i] = Math.max(lower[i] as number, -(pixels[i] as number))',
    replace: 'lower[i] = Math.min(lower[i] as number, -(pixels[i] as number))',
    caughtBy: ['src/robustness'],
  },
  {
    name: 'saved pictures are cut off instead of rounded',
    find: 'const byte = Math.round(255 * (pixel + factor * (change[i] as number)))',
    replace: 'const byte = Math.floor(255 * (pixel + factor * (change[i] as number)))',
    caughtBy: ['src/robustness'],
  },
  {
    name: 'the largest change is that of the last pixel',
    find: 'if (size > linf) linf = size',
    replace: 'linf = size',
    caughtBy: ['src/robustness'],
  },
  {
    name: 'a secret is found once only',
    find: 'for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length))',
    replace: 'for (let at = text.indexOf(wanted), one = true; at >= 0 && one; one = false)',
    caughtBy: ['src/optimizer/remote', 'test/secrets.test.ts'],
  },
  {
    name: 'one attempt more than allowed',
    find: 'made === how.attempts ||',
    replace: 'made > how.attempts ||',
    caughtBy: ['src/optimizer/wrappers'],
  },
  {
    name: 'the start may lie outside the set',
    find: 'set.project(point, null, new Float64Array(set.scratchSize(point.length)))',
    replace: '',
    caughtBy: ['src/optimizer/core', 'test/conformance'],
  },
  {
    name: 'a targeted attack succeeds with any class',
    find: 'target === undefined ? predicted !== label : predicted === target',
    replace: 'predicted !== label',
    caughtBy: ['src/robustness'],
  },
  {
    name: 'classes of a server are off by one',
    find: 'const found = Number(answer) - labelOffset',
    replace: 'const found = Number(answer) - labelOffset + 1',
    caughtBy: ['src/robustness/models'],
  },
  {
    name: 'images that broke down count as robust',
    find: "return image.status === 'robust' || (image.status === 'skipped' && isCorrect(image))",
    replace: "return image.status !== 'fooled' || (image.status === 'skipped' && isCorrect(image))",
    caughtBy: ['src/robustness'],
  },
  {
    name: 'a sealed file is taken without its seal',
    find: 'seal.exec(text)?.[1] !== digest(',
    replace: "false && '' !== digest(",
    caughtBy: ['src/app/store'],
  },
]
