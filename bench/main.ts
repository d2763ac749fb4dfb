import { parseArgs } from 'node:util'
import { cells, cellsOfNetworks } from './attacks/cells.ts'
import { general } from './general/general.ts'
import { groups } from './general/groups.ts'
import { defaultDims, kernels } from './kernels.ts'
import { machineLines } from './machine.ts'
import { memoryCommand, peakBytesPerDimension, printPeak } from './memory.ts'
import { overhead } from './overhead.ts'
import { workersCommand } from './queue/workers.ts'
import { answeringCommand, serveAnswers } from './server/answering.ts'
import { askingCommand } from './server/asking.ts'

const help = `npm run bench -- <command> [options]

  kernels    the cost of an iteration without its objective, against plain TypeScript, NumPy, PyTorch and C++
  overhead   what the engine costs per query, and what it allocates
  memory     peak memory per dimension of a float32 run that keeps no rows
  models     images per second of ZO-AdaMM on a network, against onnxruntime alone
  server     images per second of zeroth attack on a server that answers at once, against a bare client
  queue      jobs per second of rows by way of Redis, against bare BullMQ; what more workers bring and cost
  trust      what confirmations cost in queries, and leases, checksums and seals in time
  ui         milliseconds from a query to the page of zeroth ui, and what 100 of its clients cost a run
  general    problems solved by the methods of this library and by other minimisers, on one oracle that counts
  coco       the suites of the COCO platform: shares of targets reached by the default, by methods and by other packages
  attacks    the attack of this library and those of other packages on the same images, queries counted at the network
  tune       how far from the best setting of a program a search ends, and how busy eight workers are
  playground seconds until the playground shows its first picture, and what it weighs

  --dims 1000,268203   the dimensions of kernels (default ${defaultDims.join(',')}) and memory
  --quick              fewer rounds; general: every fourth problem, one seed; coco: d = 5, one instance, 30 d evaluations;
                       attacks: five images, two cells, one peer
  --json               kernels, models, server, queue, ui: the numbers as the last line; general, coco, attacks: the summary
  --save               write bench/results/<command>.md; general, coco, attacks: and the page and its figures; general: and the
                       tables of docs/which-method.md
  --tiny, --large      models: ONNX files to measure; without them, networks are generated on the spot
  --help               this text

Options of general and attacks. A run that has its row in the folder of rows is not repeated, so a stopped benchmark continues.
  --groups a,b         ${Object.keys(groups).join(', ')}
                       (default: all but bbob-others)
  --cells a,b          ${wrapped(Object.keys(cells))}
                       (default: all but inception-nearest; those whose network is not given are skipped)
  --solvers a,b        methods by name, as in specs, and peers (default: all there are); auto is minimize without one, ours is
                       zeroth attack without one
  --seeds 3            runs per problem or image where method or problem is random
  --budget 25          simplex gradients (d + 1 queries) per run, for the share by the reported point; else the whole budget
  --limit 120          seconds per run at most; attacks: of a peer (default 600)
  --rows folder        where rows are kept (default bench/rows and bench/rows/attacks, ignored by git)
  --again              forget the rows of these groups or cells and solvers first: after a change of a method
  --report             run nothing; print, and with --save write, what the rows say

Options of coco: --dims, --solvers, --rows, --again and --report as above (rows in bench/rows/coco), and
  --suites a,b         bbob, bbob-mixint, bbob-constrained (default: all)
  --instances 15       instances of each function
  --budget 100         evaluations per variable

Options of attacks alone.
  --count 50           images per cell at most (also of trust)
  --method ours        the method that goals are stated for
  --resnet8, --imagenet, --inception file, --images folder
                       networks and ImageNet images that do not ship with the package, as zeroth attack takes them; or
                       ZEROTH_BENCH_RESNET8, ..., ZEROTH_BENCH_IMAGES
  --network a,b        instead of the cells above, those of any network, on the images of --images:
                       ${wrapped(Object.keys(cellsOfNetworks))}
  --split judging      every other image, on which no setting was chosen; tuning: the others

Peers that are not installed are skipped; npm run bench:setup installs the Python ones, npm run bench:setup -- attacks those of
attacks as well.`

const options = {
  dims: { type: 'string' },
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  save: { type: 'boolean', default: false },
  tiny: { type: 'string' },
  large: { type: 'string' },
  groups: { type: 'string' },
  suites: { type: 'string' },
  instances: { type: 'string' },
  cells: { type: 'string' },
  count: { type: 'string' },
  method: { type: 'string' },
  resnet8: { type: 'string' },
  imagenet: { type: 'string' },
  inception: { type: 'string' },
  images: { type: 'string' },
  network: { type: 'string' },
  split: { type: 'string' },
  solvers: { type: 'string' },
  seeds: { type: 'string' },
  budget: { type: 'string' },
  limit: { type: 'string' },
  rows: { type: 'string' },
  again: { type: 'boolean', default: false },
  report: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [command, argument] = positionals
  const typed = `npm run bench -- ${process.argv.slice(2).join(' ')}`
  if (values.help || command === undefined) process.stdout.write(`${help}\n`)
  else if (command === 'kernels') await kernels({ ...values, dims: dimsOf(values.dims, defaultDims), command: typed })
  else if (command === 'overhead')
    process.stdout.write(`${overhead(values.quick)}\n\n${machineLines(typed).join('\n')}\n`)
  else if (command === 'memory') await printMemory(dimsOf(values.dims, [10_000_000]))
  else if (command === 'models') await (await import('./models.ts')).models({ ...values, command: typed })
  else if (command === 'server') await (await import('./server/server.ts')).server({ ...values, command: typed })
  else if (command === 'queue') await (await import('./queue/queue.ts')).queue({ ...values, command: typed })
  else if (command === 'trust') await (await import('./trust.ts')).trust({ ...values, command: typed })
  else if (command === 'ui') await (await import('./ui/ui.ts')).ui({ ...values, command: typed })
  else if (command === workersCommand) await (await import('./queue/workers.ts')).work(JSON.parse(argument ?? ''))
  else if (command === answeringCommand) serveAnswers(Number(argument))
  else if (command === askingCommand) await (await import('./server/asking.ts')).ask(JSON.parse(argument ?? ''))
  else if (command === 'general') await general({ ...values, command: typed })
  else if (command === 'coco') await (await import('./coco/coco.ts')).coco({ ...values, command: typed })
  else if (command === 'attacks') await (await import('./attacks/attacks.ts')).attacks({ ...values, command: typed })
  else if (command === 'tune') await (await import('./tune/tune.ts')).tune({ ...values, command: typed })
  else if (command === 'playground') await (await import('./playground.ts')).playground({ ...values, command: typed })
  else if (command === memoryCommand) printPeak(Number(argument))
  else
    throw new Error(
      `unknown command ${command}: it is kernels, overhead, memory, models, server, queue, ui, general, coco, attacks, tune or playground`,
    )
}

async function printMemory(dims: readonly number[]): Promise<void> {
  for (const dim of dims) {
    const bytes = await peakBytesPerDimension(dim)
    process.stdout.write(`d = ${dim}: ${bytes.toFixed(1)} bytes per dimension at the peak\n`)
  }
}

function dimsOf(given: string | undefined, otherwise: readonly number[]): readonly number[] {
  if (given === undefined) return otherwise
  const dims = given.split(',').map(Number)
  if (dims.every((dim) => Number.isInteger(dim) && dim >= 8)) return dims
  throw new Error(`--dims must be whole numbers of at least 8, separated by commas, got ${given}`)
}

/** Names in lines of three, below where an option's help begins. */
function wrapped(names: readonly string[]): string {
  const lines = names.flatMap((_, i) => (i % 3 === 0 ? [names.slice(i, i + 3).join(', ')] : []))
  return lines.join(`,\n${' '.repeat(23)}`)
}
