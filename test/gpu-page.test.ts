import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Command } from 'commander'
import { afterAll, describe, expect, test } from 'vitest'
import { withAttackOptions } from '../src/app/cli/attack-options.ts'
import { openInferenceModel } from '../src/robustness/models/index.ts'

const page = readFileSync(new URL('../docs/gpu.md', import.meta.url), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``, 'g'))].map(([, code = '']) => code)

const folder = mkdtempSync(join(tmpdir(), 'zeroth-gpu-page-'))
const servers: ChildProcess[] = []
afterAll(() => {
  for (const server of servers) server.kill()
  rmSync(folder, { recursive: true, force: true })
})

/** As much of PyTorch as the server uses, with a model that gives the sum of the pixels, the first of them, and 7. */
const torch = `
import array, types
float32 = 'f'
backends = types.SimpleNamespace(cudnn=types.SimpleNamespace(), cuda=types.SimpleNamespace(matmul=types.SimpleNamespace()))
class Tensor:
    def __init__(self, data, rows=0): self.data, self.rows = data, rows
    def reshape(self, shape): return Tensor(self.data, shape[0])
    def numpy(self): return self.data
    cuda = float = cpu = contiguous = lambda self: self
def frombuffer(body, dtype): return Tensor(array.array(dtype, bytes(body)))
def inference_mode(): return lambda function: function
class Model:
    def eval(self): return self
    def __call__(self, images):
        size = len(images.data) // images.rows
        own = [images.data[i * size:(i + 1) * size] for i in range(images.rows)]
        return Tensor(array.array('f', [score for each in own for score in (sum(each), each[0], 7)]))
jit = types.SimpleNamespace(load=lambda file, map_location: Model())
`

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })

const hasPython = spawnSync('python3', ['--version']).status === 0

test.runIf(hasPython)('the server of the page answers with the scores of its model', async () => {
  const [script = ''] = blocks('python')
  const port = await freePort()
  const own = script.replace('[3, 224, 224]', '[1, 2, 2]').replace('classes = 1000', 'classes = 3')
  writeFileSync(join(folder, 'torch.py'), torch)
  writeFileSync(join(folder, 'server.py'), own.replace('8000', String(port)))
  servers.push(spawn('python3', ['server.py'], { cwd: folder, stdio: 'ignore' }))
  const open = async (tries: number): ReturnType<ReturnType<typeof openInferenceModel>['open']> => {
    try {
      return await openInferenceModel({ url: `http://127.0.0.1:${port}`, model: 'model' }).open()
    } catch (error) {
      if (tries === 0) throw error
      await setTimeout(100)
      return open(tries - 1)
    }
  }
  const model = await open(100)
  expect(model).toMatchObject({ shape: { channels: 1, height: 2, width: 2 }, classes: 3 })
  const images = [[0.5, 0.25, 0.125, 0], [0.25, 0.25, 0.25, 0.25]] // biome-ignore format: a row each
  const scores = new Float64Array(6)
  await model.predict({ rows: 2, write: (row, into, at = 0) => into.set(images[row] ?? [], at) }, scores)
  expect(Array.from(scores)).toEqual([0.875, 0.5, 7, 1, 0.25, 7])
  await model.close()
})

describe('commands of the page', () => {
  const options = withAttackOptions(new Command()).options.flatMap(({ short, long }) => [short, long])

  test.each(blocks('sh'))('have options that exist: %s', (code) => {
    const used = [...code.matchAll(/(?<=\s)--?[a-z][a-z-]*/g)].map(([flag]) => flag)
    expect(used.length).toBeGreaterThan(1)
    expect(used.filter((flag) => !options.includes(flag))).toEqual([])
  })
})
