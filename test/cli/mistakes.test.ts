import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '../../src/app/cli/command-line.ts'
import { call } from './call.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-mistakes-'))
const home = process.cwd()

beforeAll(async () => {
  process.chdir(folder)
  // Those of a job that runs these tests are not for them.
  delete process.env.GITHUB_STEP_SUMMARY
  writeFileSync('good.json', '{"objective": "rosenbrock", "dim": 10, "maxQueries": 40}')
  await call('minimize', 'good.json', '--out', 'again')
  await call('minimize', 'good.json', '--out', 'series', '--repeat', '2')
  await call('attack', '--model', 'digits', '--count', '1', '--max-queries', '12', '--out', 'attacked')
})
afterAll(() => {
  process.chdir(home)
  rmSync(folder, { recursive: true, force: true })
})

describe('mistakes are one line on stderr, nothing on stdout, and exit with 2', () => {
  const problem = ['minimize', '--function', 'rosenbrock', '--dim', '3']
  writeFileSync(join(folder, 'misspelt.yaml'), 'objective: rosenbrock\nmaxQuerys: 5\n')
  writeFileSync(join(folder, 'broken.yaml'), 'objective: [\n')
  writeFileSync(join(folder, 'crooked.yaml'), 'variables:\n  - a: b: c\n')
  writeFileSync(join(folder, 'two.txt'), 'zero\none\n')
  mkdirSync(join(folder, 'full'))
  writeFileSync(join(folder, 'full/thesis.txt'), '')
  test.each([
    [['mimimize'], "unknown command 'mimimize' (Did you mean minimize?)"],
    [
      ['reproduce', '--scale', 'quick'],
      "unknown command 'reproduce'; the repository of zeroth has it: npm run reproduce",
    ],
    [['theory'], "unknown command 'theory'; the repository of zeroth has it: npm run theory"],
    [['help', 'mimimize'], "unknown command 'mimimize'"],
    [['minimize', '--sede', '3'], "unknown option '--sede'"],
    [['minimize', '--maximize'], 'there is no --maximize: zeroth minimises; let the objective answer -f(x)'],
    [
      ['minimize', '--exec', 'python3 f.py --token=sk-canary-4711', '--dim', '2'],
      '--exec: spec.objective.command.2 must not hold a secret (--token): put it into an environment variable',
    ],
    [['minimize', '--exec', 'cat', '--dim', '3', '--bounds', '-1:1,0:5'], 'lower'],
    [['ui', 'nowhere'], 'there is no folder nowhere'],
    [['ui', 'two.txt'], 'two.txt is not a folder'],
    [['ui', '--port', '65536'], 'It must be a whole number from 0 to 65535.'],
    [['ui', '--public-url', 'example.org'], '--public-url must be an address such as https://example.org/zeroth/'],
    [[...problem, '--ui-port', 'x'], 'It must be a whole number of at least 0.'],
    [['worker'], "missing required argument 'address'"],
    [
      ['worker', 'redis://localhost'],
      'nothing to minimise: give a spec file, or --function, --exec, --http or --module',
    ],
    [
      ['worker', 'http://localhost', '--function', 'rosenbrock', '--dim', '3'],
      'serveRows.url must be an address like redis://host:6379 or, with TLS, rediss://host:6379, got a URL of the kind http:',
    ],
    [['worker', 'env:NO_SUCH_ADDRESS', 'good.json'], 'the environment variable NO_SUCH_ADDRESS is not set'],
    [['queue', 'empty', 'redis://localhost'], 'Allowed choices are status, drain, retry.'],
    [['queue', 'status', 'localhost'], 'queue.url must be an address like redis://host:6379'],
    [[...problem, '--queue', 'localhost:6379'], 'queueObjective.url must be an address like redis://host:6379'],
    [
      [...problem, '--queue', 'redis://:canary@localhost'],
      '--queue: spec.queue.url must not hold a user or a password: give { env: NAME } or { file: PATH }',
    ],
    [
      [...problem, '--queue', 'redis://localhost', '-O', 'queue.rows=3'],
      'spec.queue.rows is not an option of spec.queue',
    ],
    [['minimize'], 'nothing to minimise: give a spec file, or --function, --exec, --http or --module'],
    [['minimize', 'none.yaml'], 'none.yaml: cannot read the spec: there is no such file'],
    [['minimize', '.'], '.: a spec must be a file'],
    [['minimize', 'misspelt.yaml'], 'misspelt.yaml:2:1: spec has no option maxQuerys; did you mean maxQueries?'],
    [['validate', 'broken.yaml'], 'broken.yaml:'],
    [
      ['validate', 'crooked.yaml'],
      'crooked.yaml:2:8: Nested mappings are not allowed in compact mappings (check the indentation; quote texts that contain ": ")',
    ],
    [
      ['minimize', '--function', 'rosenbrok'],
      '--function: spec.objective must be an objective, got "rosenbrok"; did you mean',
    ],
    [[...problem, '--exec', 'x'], 'only one thing can be minimised, got --function and --exec'],
    [[...problem, '--seed', '-1'], "'--seed <n>' argument '-1' is invalid. It must be a whole number of at least 0."],
    [
      [...problem, '--bounds', '3'],
      "'--bounds <lower,upper>' argument '3' is invalid. It must be two numbers, as in -1,1, or a pair per variable",
    ],
    [[...problem, '--start', '1,2'], '--dim: spec.dim is 3, but the length of spec.start is 2'],
    [[...problem, '--timeout', '5s'], '--timeout: spec.timeout does nothing for rosenbrock'],
    [[...problem, '--solver', 'zo-adamm', '-O', 'solver.beta1=7'], '--option: spec.solver.beta1'],
    [[...problem, '-O', 'solver.beta1=7'], '--option: spec.solver has no option beta1'],
    [[...problem, '--learning-rate', '0.1'], '--learning-rate: auto, the default solver, has no such option'],
    [[...problem, '--out', 'full'], 'full is not empty and no run (thesis.txt): choose another folder'],
    [[...problem, '--out', 'again'], 'again holds a run already: zeroth resume again continues it'],
    [[...problem, '--out', 'again', '--resume'], 'again is another run: its dim is 10, not 3'],
    [[...problem, '--resume'], '--resume needs --out'],
    [[...problem, '--out', 'series'], 'series holds several runs: choose another folder'],
    [[...problem, '--out', 'again', '--repeat', '2'], 'again is a single run: choose another folder'],
    [
      [...problem, 'good.json', '--config', 'good.json'],
      'there can be one spec only, got good.json and --config good.json',
    ],
    [['resume', 'nothing'], 'there is no run nothing (looked for nothing and zeroth-runs/nothing)'],
    [['show', 'full'], 'full is not a run: full has no meta.json, no series.json and no attack.json'],
    [['export', 'again', '--format', 'xml'], "'--format <name>' argument 'xml' is invalid. Allowed choices are"],
    [
      ['minimize', '--tune-solver', '--function', 'rosenbrock', '--solver', 'zo-sgd', '--betas'],
      'the solver zo-sgd has no beta1: tune without betas',
    ],
    [[...problem, '--seeds', '3'], '--seeds needs --tune-solver, which searches the learning rate'],
    [[...problem, '--tune-solver', '--dry-run'], '--dry-run does not go with --tune-solver'],
    [['attack', '--tune-solver', '--write-baseline', 'x.json'], '--write-baseline does not go with --tune-solver'],
    [['export', 'again', '--tensorboard', 'two.txt'], 'two.txt is a file, not a folder: choose another place'],
    [['export', 'again', '--out', 'two.txt/x.csv'], 'two.txt is a file, not a folder: choose another place'],
    [['export', 'again', '--out', 'nowhere/x.csv'], 'cannot write nowhere/x.csv: there is no folder nowhere'],
    [['export', 'again', '--out', '.', '--format', 'csv'], 'cannot write .: it is a folder: give the name of a file'],
    [['report', 'again', '--out', 'two.txt'], 'two.txt: it is a file, not a folder: choose another place'],
    [[...problem, '--out', 'two.txt'], 'two.txt: it is a file, not a folder: choose another place'],
    [[...problem, '--repeat', '2', '--out', 'two.txt'], 'two.txt: it is a file, not a folder: choose another place'],
    [['init', '--yes', 'two.txt/spec.yaml'], 'two.txt is a file, not a folder: choose another place'],
    [['show', 'two.txt/run'], 'there is no run two.txt/run (looked for two.txt/run and'],
    [['attack', '--model', 'digits', '--junit', 'two.txt/x.xml'], 'there is no folder two.txt'],
    [['list', 'nowhere'], 'there is no folder nowhere'],
    [['list', 'two.txt'], 'two.txt is not a folder'],
    [['init', 'good.json'], 'good.json is there already; --force overwrites it'],
    [['init', '--attack', 'good.json'], 'good.json is there already; --force overwrites it'],
    [['report'], "missing required argument 'run'"],
    [['attack'], 'nothing to attack: give a spec file, or --model, as in --model digits'],
    [['attack', '--model', 'dgits'], '--model: spec.model must be digits, cifar10, an .onnx file, an address'],
    [['attack', '--model', 'none.onnx', '--images', 'digits'], 'there is no file '],
    [['attack', '--model', 'net.pt'], 'got "net.pt"; export it to ONNX (torch.onnx.export, tf2onnx, skl2onnx)'],
    [
      ['attack', '--model', 'digits', '--images', 'nowhere'],
      'nowhere: cannot be read (there is no such file or folder)',
    ],
    [['attack', '--model', 'digits', '--images', 'cifar10'], 'but the model takes 1 x 28 x 28'],
    [
      ['attack', '--model', 'digits', '--target', '10'],
      '--target: spec.target must be a class of the model, from 0 to 9',
    ],
    [
      ['attack', '--model', 'digits', '--target', 'last'],
      '--target: spec.target: there is no class "last" (known: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)',
    ],
    [
      ['attack', '--model', 'cifar10', '--class', 'caat'],
      '--class: spec.class: there is no class "caat"; did you mean cat?',
    ],
    [
      ['attack', '--model', 'cifar10', '--class', 'cat', '--target', 'CAT'],
      '--class: spec.class must not be the target',
    ],
    [['attack', '--model', 'digits', '--class-names', 'none.txt'], `(for a list: -O 'classNames=["cat", "dog"]')`],
    [
      ['attack', '--model', 'digits', '--class-names', 'two.txt'],
      '--class-names: spec.classNames has 2 names, but the model has 10 classes',
    ],
    [['attack', '--model', 'digits', '--linf', '8/0'], "argument '8/0' is invalid. It must not divide by 0."],
    [
      ['attack', '--model', 'digits', '--linf', '1/2/3'],
      "argument '1/2/3' is invalid. It must be a number or a fraction, as in 8/255.",
    ],
    [['attack', '--model', 'digits', '--linf', '0.1,,0.2'], 'It must be a number or a fraction, as in 8/255.'],
    [['attack', '--model', 'digits', '-O', 'l2=8/0'], '--option: spec.l2 must not divide by 0, got "8/0"'],
    [['attack', '--model', 'digits', '--linf', '-8/255'], '--linf: spec.linf must be above 0'],
    [
      ['attack', '--model', 'digits', '--linf', '0.1,0.1'],
      '--linf: spec.linf must hold different limits, got 0.1 twice',
    ],
    [['attack', '--model', 'digits', '--linf', '0.1,0.2', '--l2', '1,2'], '--l2: spec.l2 must be one limit where linf'],
    [
      ['attack', '--model', 'digits', '--linf', '0.1,0.2', '--universal'],
      '--linf: spec.linf must be one limit for a universal attack',
    ],
    [
      ['attack', '--model', 'digits', '--linf', '0.1,0.2', '--fail-under', '0.1,0.2,0.3'],
      '--fail-under: spec.failUnder must be one number, or one for each of the 2 limits, got 3',
    ],
    [
      ['attack', '--model', 'digits', '--fail-under', '0.1,0.2'],
      '--fail-under: spec.failUnder must be one number, got 2',
    ],
    [['attack', '--model', 'digits', '--tolerance', '0.1'], '--tolerance needs --baseline'],
    [
      ['attack', '--model', 'digits', '--baseline', 'none'],
      'none is not a baseline file (there is no such file or folder)',
    ],
    [
      ['attack', '--model', 'digits', '--baseline', 'good.json'],
      'good.json is not a baseline file (its format is not given)',
    ],
    [
      ['attack', '--model', 'digits', '--baseline', 'full'],
      'full is not a baseline file (there is no attack.json in full',
    ],
    [
      ['attack', '--model', 'digits', '--max-queries', '50', '--baseline', 'attacked'],
      'attacked cannot be compared with this evaluation: maxQueries is 50, was 12; count is not given, was 1',
    ],
    [['attack', '--model', 'digits', '--junit', 'no/where.xml'], '--junit no/where.xml: there is no folder no'],
    [['attack', '--model', 'digits', '--sarif', 'full'], '--sarif must be a file, full is a folder'],
    [['attack', '--model', 'digits', '--github-summary'], '--github-summary: $GITHUB_STEP_SUMMARY is not set'],
    [
      ['export', 'attacked', '--out', 'x.xlsx'],
      '--out x.xlsx: the name must end with .csv, .json, .parquet, .npy, or give --format',
    ],
    [
      ['export', 'again', '--out', 'x.tfevents'],
      'the name must end with .csv, .json, .parquet, .npy, or give --format; event files are written by --tensorboard FOLDER',
    ],
    [['export', 'again', '--tensorboard', 'logs', '--mlflow', 'http://x'], 'give --tensorboard or --mlflow, not both'],
    [['export', 'again', '--tensorboard', 'logs', '--out', 'x.csv'], 'give --tensorboard or --out, not both'],
    [
      ['export', 'again', '--tensorboard', 'logs', '--format', 'csv'],
      '--format goes with --out, not with --tensorboard',
    ],
    [['export', 'again', '--experiment', 'x'], '--experiment goes with --mlflow'],
    [['export', 'again', '--mlflow', 'nowhere'], 'mlflow.url must be an address that begins with http:// or https://'],
    [
      ['export', 'again', '--mlflow', 'http://x', '--token', 'secret'],
      '--token must be env:NAME or file:PATH, got a text: every program on this machine can read the command line',
    ],
    [['export', 'again', '--out', 'x.npy', '--array', 'label'], 'array is for attacks: again is none'],
    [['export', 'attacked', '--out', 'x.csv', '--array', 'label'], 'array is for npy, not for csv'],
    [['export', 'attacked', '--array', 'pixels'], "'--array <name>' argument 'pixels' is invalid. Allowed choices are"],
    [['attack', '--model', 'digits', '--fail-under', '50'], '--fail-under: spec.failUnder must be at most 1, got 50'],
    [
      ['attack', '--model', 'digits', '--linf', '1', '--problem', 'unconstrained'],
      '--linf: spec.linf does nothing for',
    ],
    [['attack', '--model', 'digits', '--resume'], '--resume needs --out'],
    [['attack', '--model', 'digits', '--out', 'full'], 'full is not empty (thesis.txt): choose another folder'],
    [
      ['attack', '--model', 'digits', '--out', 'attacked'],
      'attacked holds an attack already: zeroth resume attacked continues it',
    ],
    [
      ['attack', '--model', 'digits', '--out', 'attacked', '--resume'],
      'attacked is another attack: its count is 1, not nothing',
    ],
    [['resume', 'attacked', '--max-queries', '5'], 'attacked is an attack: it keeps its limits'],
    [['resume', 'attacked/images/0000'], 'attacked/images/0000 is part of an attack: zeroth resume '],
    [['compare', 'attacked', 'again'], 'again is not an attack: attacks and runs cannot be compared'],
    [
      ['attack', '--tune-solver', '--model', 'http://127.0.0.1/v2/models/m', '--images', 'digits'],
      'say so with --permitted',
    ],
  ])('zeroth %j', async (args, message) => {
    const { code, stdout, stderr } = await call(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^zeroth: [^\n]+\n$/)
    expect(stderr).toContain(message)
  })
})

describe('mistakes that only opening the black box finds leave no folder, and nothing to resume', () => {
  writeFileSync(join(folder, 'named.mjs'), 'export const f = () => 0')
  for (const name of ['named', 'none', 'failing'])
    writeFileSync(
      join(folder, `${name}.json`),
      `{ "objective": { "name": "module", "module": "${name}.mjs" }, "dim": 2 }`,
    )
  writeFileSync(join(folder, 'fake.onnx'), 'nothing of the kind')
  test.each([
    [['minimize', '--exec', 'no-such-program', '--dim', '2'], 1, 'there is no such program'],
    [['minimize', '--exec', 'no-such-program', '--dim', '2', '--repeat', '2'], 1, 'there is no such program'],
    [['minimize', 'none.json'], 1, 'there is no module '],
    [['minimize', 'named.json'], 1, 'named.mjs has no default export (exports: f)'],
    [['attack', '--model', 'fake.onnx', '--images', 'digits'], 2, 'fake.onnx is not an ONNX file'],
    [['attack', '--model', 'none.onnx', '--images', 'digits'], 2, 'there is no file '],
    [['attack', '--model', 'none.onnx', '--images', 'digits', '--tune-solver'], 2, 'there is no file '],
    [['tune', '--', 'no-such-program', '{level:1..9:int}'], 1, 'no-such-program'],
  ])('zeroth %j', async (args, exit, message) => {
    const { code, stdout, stderr } = await call(...args)
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('zeroth resume')
    expect(existsSync('zeroth-runs')).toBe(false)
  })
})

test('a run whose first query fails says why, once, and nothing else', async () => {
  writeFileSync(join(folder, 'failing.mjs'), "export default () => { throw new Error('boom') }")
  const { code, stdout, stderr } = await call('minimize', 'failing.json', '--out', 'failed')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr.match(/boom/g)).toHaveLength(1)
})

test('every command has help with examples, in lines for a terminal', async () => {
  const { stdout } = await call('--help')
  const names = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map((match) => match[1] as string)
  expect(names.toSorted()).toEqual(commands.map(({ name }) => name).sort())
  for (const name of names) {
    const help = await call('help', name)
    expect(help, name).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain(`Usage: zeroth ${name}`)
    expect(help.stdout).toMatch(new RegExp(`\\$ (.* \\| )?zeroth ${name}`))
    expect(Math.max(...help.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  }
})
