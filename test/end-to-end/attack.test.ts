import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { mostConfirmations, mostNoiseCalls, noiseCalls } from '../../src/robustness/index.ts'
import { servedNetwork } from '../networks/network-server.ts'
import { type ServedModel, type ServedTensor, startOpenInferenceServer } from '../servers/open-inference-server.ts'
import { attackObject, essence, filesIn, outcomes } from './attack-results.ts'
import { until } from './kill-runs.ts'
import { longestStop } from './stopped-work.ts'
import { start, zeroth } from './zeroth.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-attack-'))
const network = fileURLToPath(new URL('../../assets/digits/model.onnx', import.meta.url))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

/** The paper's method alone: its course is known query by query. */
const paper = ['--solver', 'zo-adamm', '-O', 'secondMethod=false']
const small = ['attack', '--model', 'digits', ...paper, '--count', '3', '--max-queries', '331']
const call = (...args: readonly string[]) => zeroth(args, { cwd })

describe('an attack on the embedded digits', () => {
  const run = join(cwd, 'plain')
  const first = call(...small, '--out', run, '--json')

  test('prints one object with a summary and an entry for each image', async () => {
    const ended = await first
    expect(ended.code).toBe(0)
    const { status, summary, images, universal, warnings, settings, ...rest } = attackObject(ended)
    expect({ status, universal, warnings, ...rest }).toEqual({
      status: 'finished',
      universal: null,
      canaries: { asked: 3 + 3, changed: 0, unanswered: 0, reason: null },
      noise: expect.objectContaining({ asked: noiseCalls, length: 0.005, again: 0 }),
      warnings: [],
      run,
      report: join(run, 'index.html'),
    })
    expect(summary).toMatchObject({ looked: 3, attacked: 3, skipped: 0, failed: 0, cleanAccuracy: 1, queries: 3 * 331 })
    expect(summary.robustAccuracy).toBe((3 - summary.fooled) / 3)
    expect(summary.attackSuccessRate).toBe(summary.fooled / 3)
    expect(summary.fooled).toBeGreaterThan(0)
    for (const key of ['firstSuccessQueries', 'firstSuccessL2sq', 'bestL2sq', 'finalL2sq'] as const) {
      expect(summary[key]).toEqual({ mean: expect.any(Number), median: expect.any(Number) })
    }
    expect(images.map(({ index, label, predicted }) => ({ index, isRight: label === predicted }))).toEqual(
      [0, 1, 2].map((index) => ({ index, isRight: true })),
    )
    expect(settings).toMatchObject({ model: { name: 'digits' }, images: 'digits:held-out', maxQueries: 331 })
    expect(ended.stderr).toMatch(/^learning rate [\d.]+ \/ sqrt\(t\) \(tuned for digits\)\n$/)
  })

  test('never asks more than it may', async () => {
    const { summary, images, canaries, noise } = attackObject(await first)
    for (const { status, queries, modelCalls, confirmations } of images) {
      expect(queries).toBeLessThanOrEqual(331)
      const { successes, clean } = confirmations ?? { successes: 0, clean: 0 }
      expect(successes + clean).toBeLessThanOrEqual(36)
      // Screening, and the search for the picture or the look around an image that withstood.
      const others = modelCalls - queries - successes - clean
      expect(others).toBeLessThanOrEqual(1 + (status === 'robust' ? 5 : 40))
    }
    const aside = (canaries?.asked ?? 0) + (noise?.asked ?? 0)
    expect(summary.modelCalls).toBe(images.reduce((sum, { modelCalls }) => sum + modelCalls, aside))
  })

  test('saves pictures that an independent program finds misclassified exactly where it says so', async () => {
    const { images } = attackObject(await first)
    const session = await InferenceSession.create(network)
    const seen = async (file: string): Promise<number> => {
      const { data, info } = await sharp(join(run, file)).extractChannel(0).raw().toBuffer({ resolveWithObject: true })
      expect(info).toMatchObject({ width: 28, height: 28, channels: 1 })
      const pixels = Float32Array.from(data, (byte) => byte / 255)
      const scores = await session.run({
        [session.inputNames[0] as string]: new Tensor('float32', pixels, [1, 1, 28, 28]),
      })
      const [output] = Object.values(scores)
      const values = Array.from(output?.data as Float32Array)
      return values.indexOf(Math.max(...values))
    }
    for (const { files, label, saved, success8bit, status } of images) {
      expect(await seen(files?.original ?? '')).toBe(label)
      if (status !== 'fooled') continue
      expect(await seen(files?.adversarial ?? '')).toBe(saved?.predicted)
      expect(success8bit).toBe(saved?.predicted !== label)
      expect(existsSync(join(run, files?.perturbation ?? ''))).toBe(true)
    }
    await session.release()
  })

  test('is taken up without asking anything, and prints the same bytes', async () => {
    const { stdout } = await first
    const before = essence(run)
    expect((await call('resume', run, '--json')).stdout).toBe(stdout)
    expect((await call(...small, '--out', run, '--resume', '--json')).stdout).toBe(stdout)
    // Records that are lost are made again from the journals of their runs.
    for (const lost of ['summary.json', 'images/0001/image.json']) rmSync(join(run, lost))
    expect((await call('resume', run, '--json')).stdout).toBe(stdout)
    expect(essence(run)).toEqual(before)
  })

  test('is the same with one image at a time, with copies of the network and from a spec file', async () => {
    await first
    const method = { solver: 'zo-adamm', secondMethod: false }
    const spec = { model: 'digits', images: 'digits', ...method, count: 3, maxQueries: 331 }
    writeFileSync(join(cwd, 'spec.json'), JSON.stringify(spec))
    await call(...small, '--parallel', '1', '--jobs', '2', '--out', 'alone', '-q')
    await call('attack', 'spec.json', '--out', 'from-file', '-q')
    expect(essence(join(cwd, 'alone'))).toEqual(essence(run))
    expect(essence(join(cwd, 'from-file'))).toEqual(essence(run))
  })

  test('ends with 3 where the robust accuracy is below what is demanded, also when taken up', async () => {
    await first
    const demanding = [...small, '--fail-under', '1', '--out', run, '--resume']
    expect((await call(...demanding)).code).toBe(3)
    expect((await call('resume', run)).code).toBe(3)
    const lenient = await call(...small, '--fail-under', '0', '--out', run, '--resume')
    expect(lenient.code).toBe(0)
    expect(lenient.stdout).toMatch(/robust accuracy {2}[\d.]+ % of .*, meets the required 0 %/)
    expect(readFileSync(join(run, 'index.html'), 'utf8')).toContain('>passed<')
  })

  test('is listed and shown, and its page is written again without asking', async () => {
    const { stdout } = await first
    expect((await call('list', '.')).stdout).toMatch(/plain +finished +993 +[\d.]+ m?s .* attack/)
    const shown = JSON.parse((await call('show', run, '--json')).stdout) as { summary: object }
    expect(shown.summary).toEqual((JSON.parse(stdout) as { summary: object }).summary)
    rmSync(join(run, 'index.html'))
    expect((await call('report', run)).stdout).toBe(`${join(run, 'index.html')}\n`)
    const page = readFileSync(join(run, 'index.html'), 'utf8')
    expect(page).toContain('data:image/png;base64,')
    expect(/<script [^>]*src|https?:\/\/(?!www\.w3\.org)/.test(page)).toBe(false)
  })
})

// Each of the others works in folders of its own.
test.concurrent('an attack that is killed again and again comes to the same, and asks no more than one round twice', async () => {
  const served = await servedNetwork(readFileSync(network))
  let rows = 0
  const counted: ServedModel = {
    ...served,
    async infer(inputs, version) {
      rows += inputs[0]?.shape[0] ?? 0
      return served.infer(inputs, version)
    },
  }
  const server = await startOpenInferenceServer({ digits: counted })
  try {
    const options = ['--images', 'digits', '--count', '3', '--max-queries', '221', '--parallel', '2', '--seed', '4']
    const remote = ['attack', '--model', `${server.url}/v2/models/digits`, '--permitted', '--rate', '10000', ...options]
    const whole = attackObject(await call(...remote, '--out', 'whole', '--json'))
    // Besides what is accounted for, nothing but what opening it takes.
    expect(rows - whole.summary.modelCalls).toBeLessThanOrEqual(1)
    rows = 0
    let kills = 0
    for (let goal = 60; kills < 4; goal += 150) {
      const args = existsSync(join(cwd, 'killed/attack.json'))
        ? ['resume', 'killed', '-q']
        : [...remote, '--out', 'killed', '-q']
      const started = start(args, { cwd })
      await until(() => rows >= goal || started.child.exitCode !== null)
      if (!started.child.kill('SIGKILL')) break
      await started.ended
      kills++
    }
    expect(kills).toBe(4)
    const killed = attackObject(await call('resume', 'killed', '--json'))
    expect(killed.summary).toEqual(whole.summary)
    expect(killed.images).toEqual(whole.images)
    expect(essence(join(cwd, 'killed'))).toEqual(essence(join(cwd, 'whole')))
    expect(rows - killed.summary.modelCalls).toBeLessThanOrEqual((kills + 1) * 2 * 11 + noiseCalls + 1)
  } finally {
    await server.close()
    await served.release()
  }
})

test.concurrent('images for which the model was down are tried again when the attack is taken up, and only those', async () => {
  const served = await servedNetwork(readFileSync(network))
  let rows = 0
  let isDown = false
  const flaky: ServedModel = {
    ...served,
    async infer(inputs, version) {
      rows += inputs[0]?.shape[0] ?? 0
      if (isDown || rows > 200) throw new Error('out of order')
      return served.infer(inputs, version)
    },
  }
  const server = await startOpenInferenceServer({ digits: flaky })
  try {
    const model = ['--model', `${server.url}/v2/models/digits`, '--images', 'digits', '--permitted', '--retries', '0']
    const options = [
      '--count',
      '3',
      '--max-queries',
      '111',
      '--parallel',
      '1',
      '--rate',
      '10000',
      '--fail-under',
      '0.9',
    ]
    const args = ['attack', ...model, ...paper, ...options]
    const broken = await call(...args, '--out', 'broken', '--json')
    expect(broken.code).toBe(1)
    expect(broken.stderr).toContain('learning rate ')
    const { images } = attackObject(broken)
    const failed = images.filter(({ status }) => status === 'unfinished').map(({ index }) => index)
    expect(failed.length).toBeGreaterThan(0)
    expect(failed.length).toBeLessThan(3)
    rows = -Infinity
    const mended = await call('resume', 'broken', '--json')
    expect(mended.code).toBe(0)
    for (const index of failed) expect(mended.stderr).toContain(`image ${index}: tried again\n`)
    await call(...args, '--out', 'sound', '-q')
    expect(outcomes(join(cwd, 'broken'))).toEqual(outcomes(join(cwd, 'sound')))
    isDown = true
    expect((await call('resume', 'broken', '--json')).stdout).toBe(mended.stdout)
  } finally {
    await server.close()
    await served.release()
  }
})

test.concurrent('Ctrl-C saves and ends with 130; the attack goes on to the same end; nobody else may work in it meanwhile', async () => {
  const long = ['attack', '--model', 'digits', '--count', '2', '--max-queries', '1101', '--parallel', '1']
  // So slowly that no image is done when it is stopped; how fast it goes does not matter to what it is.
  const started = start([...long, '--out', 'stopped', '--json', '--rate', '3'], { cwd })
  await until(() => existsSync(join(cwd, 'stopped/images/0000/meta.json')))
  const other = await call('resume', 'stopped')
  expect(other.code).toBe(1)
  expect(other.stderr).toMatch(/stopped is in use by process \d+/)
  const before = readFileSync(join(cwd, 'stopped/attack.json'), 'utf8')
  const changing = await call(...long, '--out', 'stopped', '--resume', '--fail-under', '0.5')
  expect(changing.code).toBe(1)
  expect(changing.stderr).toMatch(/stopped is in use by process \d+/)
  expect(readFileSync(join(cwd, 'stopped/attack.json'), 'utf8')).toBe(before)
  const began = performance.now()
  started.child.kill('SIGINT')
  const ended = await started.ended
  expect(performance.now() - began).toBeLessThan(longestStop)
  expect(ended.code).toBe(130)
  expect(JSON.parse(ended.stdout)).toEqual({ status: 'aborted', run: join(cwd, 'stopped') })
  expect((await call('list', '.')).stdout).toMatch(/stopped +interrupted, 0 of 2 images/)
  expect((await call('show', 'stopped')).stdout).toMatch(/^status +interrupted, 0 of 2.*\n.*\nso far +no image is done/)
  expect((await call('report', 'stopped')).code).toBe(0)
  expect(readFileSync(join(cwd, 'stopped/index.html'), 'utf8')).toContain('the attack has not finished')
  expect((await call(...long, '--out', 'stopped', '--resume', '-q')).code).toBe(0)
  await call(...long, '--out', 'left-alone', '-q')
  expect(essence(join(cwd, 'stopped'))).toEqual(essence(join(cwd, 'left-alone')))
})

test.concurrent('Ctrl-C during an attack on a server that has fallen silent saves; the attack then ends the same', async () => {
  const served = await servedNetwork(readFileSync(network))
  let left = Infinity
  const silent = new Promise<ServedTensor[]>(() => undefined)
  const infer: ServedModel['infer'] = (inputs, version) => (left-- > 0 ? served.infer(inputs, version) : silent)
  const server = await startOpenInferenceServer({ digits: { ...served, infer } })
  try {
    const options = ['--images', 'digits', '--count', '2', '--max-queries', '221', '--permitted', '--rate', '10000']
    const remote = ['attack', '--model', `${server.url}/v2/models/digits`, ...options]
    await call(...remote, '--out', 'answered', '-q')
    left = 12
    const started = start([...remote, '--out', 'unanswered', '--json'], { cwd })
    await until(() => left < 0)
    const began = performance.now()
    started.child.kill('SIGINT')
    const ended = await started.ended
    expect(performance.now() - began).toBeLessThan(longestStop)
    expect(ended.code).toBe(130)
    left = Infinity
    expect((await call('resume', 'unanswered', '-q')).code).toBe(0)
    expect(essence(join(cwd, 'unanswered'))).toEqual(essence(join(cwd, 'answered')))
  } finally {
    await server.close()
    await served.release()
  }
})

test.concurrent('a server that falls silent leaves one image unfinished after the timeout of the model; resumed, the attack ends the same', async () => {
  const served = await servedNetwork(readFileSync(network))
  let left = Infinity
  const silent = new Promise<ServedTensor[]>(() => undefined)
  const infer: ServedModel['infer'] = (inputs, version) => (left-- > 0 ? served.infer(inputs, version) : silent)
  const server = await startOpenInferenceServer({ digits: { ...served, infer } })
  try {
    const model = { name: 'open-inference', url: server.url, model: 'digits', timeout: 5000 }
    writeFileSync(join(cwd, 'timed.json'), JSON.stringify(model))
    const asking = ['--permitted', '--rate', '10000', '--retries', '0', '--failures', 'stop', '-j', '1']
    const remote = [
      'attack',
      '--model',
      'timed.json',
      '--images',
      'digits',
      ...asking,
      ...paper,
      '--count',
      '1',
      '--max-queries',
      '221',
    ]
    await call(...remote, '--out', 'on-time', '-q')
    left = 12
    const late = await call(...remote, '--out', 'late', '--json')
    expect(late.code).toBe(1)
    const [image] = attackObject(late).images
    expect(image).toMatchObject({ status: 'unfinished', stopReason: 'model-unreachable' })
    expect(image?.queries).toBeLessThan(221)
    expect(late.stdout).toContain('did not answer within 5000 ms')
    // The one request without an answer is the last of the attack; then a clean image is asked about once more, twice.
    expect(left).toBe(-3)
    left = Infinity
    expect((await call('resume', 'late', '-q')).code).toBe(0)
    expect(outcomes(join(cwd, 'late'))).toEqual(outcomes(join(cwd, 'on-time')))
  } finally {
    await server.close()
    await served.release()
  }
})

test.concurrent('a service is not asked anything without permission, and no secret is ever seen', async () => {
  const served = await servedNetwork(readFileSync(network))
  const server = await startOpenInferenceServer({ digits: served })
  const canary = 'canary-7f3a9c51'
  try {
    const model = { name: 'open-inference', url: server.url, model: 'digits', headers: { 'x-api-key': { env: 'KEY' } } }
    writeFileSync(join(cwd, 'service.json'), JSON.stringify(model))
    const args = ['attack', '--model', 'service.json', '--images', 'digits', '--count', '1', '--max-queries', '34']
    for (const more of [[], ['--dry-run'], ['--out', 'refused']]) {
      const refused = await zeroth([...args, ...more], { cwd, env: { KEY: canary } })
      expect(refused.code).toBe(2)
      expect(refused.stderr).toMatch(/--permitted.*docs\/responsible-use\.md/)
    }
    expect(server.requests).toEqual([])
    expect(existsSync(join(cwd, 'refused'))).toBe(false)
    const ended = await zeroth([...args, '--permitted', '--rate', '1000', '--out', 'secret', '--json', '-v'], {
      cwd,
      env: { KEY: canary },
    })
    expect(ended.code).toBe(0)
    expect(server.requests.every(({ headers }) => headers['x-api-key'] === canary)).toBe(true)
    const texts = filesIn(join(cwd, 'secret')).map((file) => readFileSync(join(cwd, 'secret', file), 'latin1'))
    for (const text of [...texts, ended.stdout, ended.stderr]) expect(text.includes(canary)).toBe(false)
    writeFileSync(join(cwd, 'open.json'), JSON.stringify({ ...model, headers: { 'x-api-key': canary } }))
    const open = await call('attack', '--model', 'open.json', '--images', 'digits', '--permitted')
    expect(open.code).toBe(2)
    expect(open.stderr).toContain('must not be written out')
    expect(open.stderr).not.toContain(canary)
  } finally {
    await server.close()
    await served.release()
  }
})

describe.concurrent('what cannot be used is said, and the rest is attacked', () => {
  test('images that are unreadable, of another size, wrongly labelled or not labelled', async () => {
    const { files } =
      attackObject(await call(...small, '--max-queries', '12', '--out', 'donor', '--json')).images[0] ?? {}
    const folder = join(cwd, 'pictures')
    mkdirSync(folder)
    const good = readFileSync(join(cwd, 'donor', files?.original ?? ''))
    for (const name of ['a-good', 'd-label', 'e-none', 'f-good']) writeFileSync(join(folder, `${name}.png`), good)
    writeFileSync(join(folder, 'b-broken.png'), good.subarray(0, 60))
    writeFileSync(join(folder, 'c-large.png'), await sharp(good).resize(30, 30).png().toBuffer())
    const label = String(attackObject(await call('resume', 'donor', '--json')).images[0]?.label)
    const rows = {
      'a-good': label,
      'b-broken': label,
      'c-large': label,
      'd-label': '12',
      'e-none': '',
      'f-good': label,
    }
    const table = Object.entries(rows).map(([name, each]) => `${name}.png,${each}\n`)
    writeFileSync(join(folder, 'labels.csv'), `file,label\n${table.join('')}`)
    const ended = await call('attack', '--model', 'digits', '--images', 'pictures', '--max-queries', '111', '--json')
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(
      /^warning: 4 images could not be used: b-broken.png: .*; c-large.png: .*; and 1 more$/m,
    )
    const { images, summary } = attackObject(ended)
    expect(summary).toMatchObject({ attacked: 2, failed: 4, looked: 2 })
    const reasons = Object.fromEntries(images.map(({ title, reason }) => [title.slice(0, 1), reason]))
    expect(reasons).toEqual({
      a: null,
      b: expect.stringContaining('damaged'),
      c: expect.stringContaining('must be 28 high and 28 wide, is 30 and 30'),
      d: 'its label must be from 0 to 9, got 12',
      e: 'has no label',
      f: null,
    })
    const args = ['attack', '--model', 'digits', '--images', 'pictures', '--max-queries', '12', '--count', '5']
    const judged = await call(...args, '--fail-under', '0.5', '--out', 'unjudged')
    expect(judged.code).toBe(1)
    expect(judged.stderr).toContain('--fail-under cannot be judged: 4 of 6 images could not be measured\n')
    expect(judged.stderr).toContain(
      'warning: 2 of the 5 images that --count asks for were attacked: of the 6 there are',
    )
    expect(readFileSync(join(cwd, 'unjudged/index.html'), 'utf8')).toContain('>not judged<')
    const other = await call('compare', 'unjudged', 'donor')
    expect(other.code).toBe(2)
    expect(other.stderr).toMatch(/attacks on different images cannot be compared: .*\(unjudged\) and .*\(donor\)/)
  })

  test('a model that answers NaN: every image fails, which is no success', async () => {
    const scores = (count: number) => ({
      name: 's',
      datatype: 'FP32',
      shape: [count, 10],
      data: Array(count * 10).fill(Number.NaN),
    })
    const strange: ServedModel = {
      inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 1, 28, 28] }],
      outputs: [{ name: 's', datatype: 'FP32', shape: [-1, 10] }],
      infer: (inputs) => [scores(inputs[0]?.shape[0] ?? 0)],
    }
    const server = await startOpenInferenceServer({ strange })
    try {
      const model = [
        '--model',
        `${server.url}/v2/models/strange`,
        '--images',
        'digits',
        '--permitted',
        '--rate',
        '1000',
      ]
      const ended = await call('attack', ...model, '--count', '2', '--json', '--out', 'nan')
      expect(ended.code).toBe(1)
      const { summary, images, warnings } = attackObject(ended)
      expect(summary).toMatchObject({ attacked: 0, failed: 100, cleanAccuracy: 'NaN', attackSuccessRate: 'NaN' })
      expect(images[0]?.reason).toBe('the model answered with scores that are no numbers')
      expect(warnings).toEqual(['no image could be classified: nothing was measured'])
      expect(ended.stderr).toContain('every image failed')
    } finally {
      await server.close()
    }
  })

  test('a model that is always wrong: nothing is attacked, and it says what may be the matter', async () => {
    const weights = Array.from({ length: 11 }, () => Array(784).fill(0))
    const model = {
      name: 'linear',
      shape: { channels: 1, height: 28, width: 28 },
      weights,
      bias: [...Array(10).fill(0), 1],
    }
    writeFileSync(join(cwd, 'wrong.json'), JSON.stringify(model))
    const ended = await call('attack', '--model', 'wrong.json', '--images', 'digits', '--count', '5', '--json')
    expect(ended.code).toBe(0)
    const { summary, warnings } = attackObject(ended)
    expect(summary).toMatchObject({ attacked: 0, skipped: 100, cleanAccuracy: 0, robustAccuracy: 0, queries: 0 })
    expect(warnings.join('\n')).toMatch(
      /the model classifies only 0 of 100 clean images correctly[\s\S]*the accuracy is 0 %/,
    )
    const demanding = await call(
      'attack',
      '--model',
      'wrong.json',
      '--images',
      'digits',
      '--count',
      '5',
      '--fail-under',
      '0.1',
    )
    expect(demanding.code).toBe(3)
  })
})

test.concurrent('one perturbation for all images: its picture is shared, and it is taken up like any other', async () => {
  const args = ['attack', '--model', 'digits', '--universal', '--count', '4', '--max-queries', '551', '--linf', '0.4']
  const ended = await call(...args, '--out', 'universal', '--json')
  expect(ended.code).toBe(0)
  const { summary, universal, images } = attackObject(ended)
  expect(universal).toMatchObject({ queries: 551, images: 4 })
  const { successes, clean } = summary.confirmations
  // Screened, asked for one perturbation, pictures, and canaries.
  const others = 4 + noiseCalls + 4 * 551 + 4 + 4 + 4
  expect(summary).toMatchObject({ queries: 551, modelCalls: others + successes + clean })
  expect(new Set(images.map(({ files }) => files?.perturbation))).toEqual(new Set(['universal/perturbation.png']))
  for (const { final } of images) expect(final?.linf).toBeLessThanOrEqual(0.4 + 1e-6)
  const before = essence(join(cwd, 'universal'))
  for (const lost of ['summary.json', 'images/0002/image.json']) rmSync(join(cwd, 'universal', lost))
  expect((await call('resume', 'universal', '--json')).stdout).toBe(ended.stdout)
  expect(essence(join(cwd, 'universal'))).toEqual(before)
})

test.concurrent('a search for the learning rate of attacks ends with the best of them, and is not made twice', async () => {
  const images = ['--images', 'digits:tuning', '--count', '2']
  const args = ['attack', '--tune-solver', '--model', 'digits', ...images, '--max-queries', '221']
  const ended = await call(...args, '--from', '1e-2', '--to', '1e-1', '--out', 'tuned', '--json')
  expect(ended.code).toBe(0)
  const { status, tried, best, solver } = JSON.parse(ended.stdout) as {
    readonly status: string
    readonly tried: readonly { readonly learningRate: number; readonly value: number }[]
    readonly best: { readonly learningRate: number; readonly value: number }
    readonly solver: { readonly learningRate: unknown }
  }
  expect(status).toBe('finished')
  expect(tried.length).toBeGreaterThanOrEqual(3)
  expect(best.value).toBe(Math.min(...tried.map(({ value }) => value)))
  expect(solver.learningRate).toEqual({ value: best.learningRate, decay: 'sqrt' })
  const one = `tuned/rate-${String(best.learningRate).replace('.', 'p')}-seed-0`
  const { summary } = attackObject(await call('show', one, '--json'))
  expect(summary.finalObjective.mean).toBe(best.value)
  expect((await call('resume', 'tuned', '--json')).stdout).toBe(ended.stdout)
  expect((await call('list', '.')).stdout).toMatch(new RegExp(`tuned +${tried.length} of ${tried.length} finished`))
  expect((await call('report', 'tuned')).stdout).toBe(`${join('tuned', 'index.html')}\n`)
})

test.concurrent('a dry run says what would be asked, validate what a spec means, and neither asks anything', async () => {
  const dry = JSON.parse((await call(...small, '--dry-run', '--json')).stdout) as Record<string, unknown>
  expect(dry).toMatchObject({
    images: { available: 130, attacked: 3 },
    queries: 993,
    // Each image may be asked about twice, and each success, picture and clean image again.
    modelCalls: 2 * 130 + mostNoiseCalls + 993 + 3 * 40 + 3 * mostConfirmations(331, 1) + 10 + 5,
  })
  writeFileSync(join(cwd, 'robustness.yaml'), 'model: digits\nproblem: unconstrained\ncount: 2\n')
  const valid = JSON.parse((await call('validate', 'robustness.yaml', '--json')).stdout) as Record<string, unknown>
  expect(valid).toMatchObject({ model: { name: 'digits' }, problem: { name: 'unconstrained' }, maxQueries: 11001 })
  writeFileSync(join(cwd, 'misspelt.yaml'), 'model: digits\nproblm: unconstrained\n')
  const wrong = await call('validate', 'misspelt.yaml')
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain('misspelt.yaml:2:1: spec has no option problm; did you mean problem?')
})
