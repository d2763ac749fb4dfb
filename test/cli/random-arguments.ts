const commands = [
  ['minimize', 8],
  ['resume', 3],
  ['list', 1],
  ['show', 2],
  ['compare', 2],
  ['report', 1],
  ['export', 2],
  ['validate', 2],
  ['schema', 1],
  ['init', 1],
  ['help', 1],
  ['mimimize', 1],
] as const

const words = [
  'good.yaml',
  'bad.yaml',
  'none.yaml',
  'f.mjs',
  '.',
  '/',
  '',
  '-',
  '--',
  'r1',
  'r2',
  '__proto__',
  'ü\n',
  'bash',
]
const numbers = ['0', '1', '3', '7', '-1', '1e3', 'NaN', 'x', '', '1.5', '99999999999999999999', '-0', '0x10']

/** Options with what may follow them; null where nothing does. */
const options: readonly (readonly [string, readonly string[] | null])[] = [
  ['--function', ['rosenbrock', 'quadratic', 'linear', 'rosenbrok', '']],
  ['--exec', ['false', 'no-such-program', '"', '', 'cat']],
  ['--module', ['f.mjs', 'f.mjs#g', 'none.mjs', '#', '']],
  ['--http', ['http://127.0.0.1:1/', 'nonsense', 'file:///etc/passwd']],
  ['--dim', numbers],
  ['--start', ['0.5', '1,2,3', 'good.yaml', ',', '-1']],
  ['--bounds', ['-1,1', '1,-1', '1', 'a,b', ',']],
  ['--solver', ['zo-adamm', 'zo-sgd', 'zo-scd', 'descent', 'nope', '{}']],
  ['--learning-rate', numbers],
  ['--directions', ['1', '2', '0', 'x']],
  ['--seed', numbers],
  ['--max-iterations', ['0', '2', 'x']],
  ['--max-time', ['1s', '0', '5m', 'soon']],
  ['--target', numbers],
  ['-j', ['1', '2', '0', 'x']],
  ['--timeout', ['100', '1s', 'x']],
  ['--retries', ['0', '1', 'x']],
  ['--failures', ['stop', 'skip', 'worst', 'nope']],
  ['--precision', ['float32', 'float64', 'float16']],
  ['-O', ['solver.beta1=0.5', 'seed=3', 'a=1', '=', '__proto__.x=1', 'solver=', 'start=[1]', 'dim="3"']],
  ['--out', ['r1', 'r2', '/dev/null/x', 'good.yaml', '']],
  ['--format', ['csv', 'json', 'parquet', 'npy', 'xml']],
  ['--repeat', ['1', '2', '0', 'x']],
  ['--title', ['<b>', '']],
  ['--json', null],
  ['--resume', null],
  ['--dry-run', null],
  ['--log', null],
  ['-q', null],
  ['-v', null],
  ['--help', null],
  ['--nope', null],
]

/** A command line that may make sense: some do, most do not. What it starts is small. */
export function randomArguments(random: () => number): string[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const name = pick(commands.flatMap(([each, weight]) => new Array<string>(weight).fill(each)))
  // Nobody answers questions here.
  const args = name === 'init' ? [name, '--yes'] : [name]
  const isRun = name === 'minimize'
  if (isRun && random() < 0.7) args.push(random() < 0.5 ? 'good.yaml' : '--function=rosenbrock')
  else if (!isRun && random() < 0.8) args.push(pick(words))
  const count = Math.floor(random() * random() * 5)
  for (let i = 0; i < count; i++) {
    const [option, values] = pick(options)
    args.push(option, ...(values === null ? [] : [pick(values)]))
  }
  if (isRun) args.push('--max-queries', random() < 0.9 ? '40' : pick(numbers))
  if (isRun && random() < 0.2) args.push('--tune-solver', '--seeds', '1')
  if (random() < 0.2) args.push('--json')
  return args
}
