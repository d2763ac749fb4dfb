import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ensureProgram } from '../../scripts/ensure-program.ts'
import { auto, cmaES, minimize, zoAdaMM } from '../../src/index.ts'
import { program } from './zeroth.ts'

const python = ensureProgram({ called: 'Python', names: ['python3'], debian: 'python3' })
if ('missing' in python) process.stderr.write(`${python.missing}: tests of zeroth-py are skipped\n`)

/** Runs a Python program with the client, and returns the JSON that it prints. */
async function py(code: string, env: Record<string, string> = {}): Promise<unknown> {
  if ('missing' in python) throw new Error(python.missing)
  const folder = fileURLToPath(new URL('../../python', import.meta.url))
  const command = { ZEROTH_COMMAND: `'${process.execPath}' '${program}' serve` }
  const { stdout } = await promisify(execFile)(python.path, ['-c', `import json, zeroth\n${code}`], {
    env: { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1', ...command, ...env },
  })
  return JSON.parse(stdout)
}

const valley = ([x = 0, y = 0]: Iterable<number>): number => (1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x)
const inPython = 'valley = lambda x: (1 - x[0]) * (1 - x[0]) + 100 * (x[1] - x[0] * x[0]) * (x[1] - x[0] * x[0])'

describe.skipIf('missing' in python)('zeroth-py', () => {
  test.each([
    ['auto', auto()],
    ['zo-adamm', zoAdaMM()],
    ['cma-es', cmaES()],
  ])('gives the bits of minimize by %s', async (name, solver) => {
    const { point, value, queries } = await minimize(valley, [-1.2, 1], { solver, seed: 3, maxQueries: 200 })
    const call = `r = zeroth.minimize(valley, [-1.2, 1], seed=3, max_queries=200, solver=${JSON.stringify(name)})`
    const printed = 'print(json.dumps([r["point"], r["value"], r["queries"]]))'
    expect(await py(`${inPython}\n${call}\n${printed}`)).toEqual([[...point], value, queries])
  })

  test('variables have names and kinds, and a checkpoint goes on in another process', async () => {
    const variables = { rate: { from: 1e-4, to: 1, scale: 'log' }, width: { from: 1, to: 8, step: 1 } } as const
    const loss = ({ rate, width }: { rate: number; width: number }) =>
      (rate - 0.01) * (rate - 0.01) + (width - 3) * (width - 3)
    const whole = await minimize(loss, { variables, seed: 1, maxQueries: 90, solver: auto() })
    const code = `
how = dict(variables=json.loads('${JSON.stringify(variables)}'), seed=1, max_queries=90)
loss = lambda q: (q["rate"] - 0.01) * (q["rate"] - 0.01) + (q["width"] - 3) * (q["width"] - 3)
with zeroth.Session(**how) as session:
    for _ in range(12):
        session.tell([loss(q) for q in session.ask()])
    saved = session.save()
with zeroth.Session(checkpoint=saved, **how) as session:
    while not session.done:
        session.tell([loss(q) for q in session.ask()])
    print(json.dumps([session.names, session.best["variables"], session.result["queries"]]))`
    expect(await py(code)).toEqual([['rate', 'width'], whole.variables, whole.queries])
  })

  test('failures are told: an exception comes out again, None and nan are counted', async () => {
    const code = `
told = []
try:
    zeroth.minimize(lambda x: 1 / 0, [0.0])
except ZeroDivisionError as error:
    told.append(str(error))
odd = lambda x: None if x[0] > 0.6 else float("nan") if x[0] > 0.5 else x[0] * x[0]
r = zeroth.minimize(odd, [0.7], failures="skip", max_queries=40, solver="zo-adamm")
told += [r["failures"]["count"] > 0, r["queries"] <= 40]
def refusing(x):
    raise ValueError("not here")
with zeroth.Session([0.0], max_queries=9) as session:
    session.ask()
    session.tell([ValueError("not here")])
    told += [session.result["status"], session.result["error"]]
print(json.dumps(told))`
    expect(await py(code)).toEqual([
      'division by zero',
      true,
      true,
      'failed',
      expect.stringContaining('ValueError: not here'),
    ])
  })

  test('what is refused is an error with its code, and a server that is not there says how to get it', async () => {
    const code = `
told = []
for wrong in [dict(solver="cmaes"), dict(seed=-1), dict(dim=3), dict(command=["no-such-program"])]:
    try:
        zeroth.minimize(lambda x: 0, [0.0, 0.0], **wrong)
    except zeroth.ZerothError as error:
        told.append([error.code, str(error)])
try:
    zeroth.Session([0.0], command=["${process.execPath}", "-e", "process.exit(7)"])
except zeroth.ZerothError as error:
    told.append([error.code, str(error)])
print(json.dumps(told))`
    expect(await py(code)).toEqual([
      ['invalid-option', expect.stringContaining('did you mean cma-es?')],
      ['invalid-option', 'spec.seed must be at least 0, got -1'],
      ['invalid-option', 'spec.dim is 3, but the length of spec.start is 2'],
      ['missing-program', expect.stringContaining('there is no program no-such-program')],
      ['server-gone', expect.stringContaining('its exit code is 7')],
    ])
  })
})
