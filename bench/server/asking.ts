import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEvaluation } from '../../src/app/jobs/index.ts'
import { writePng } from '../../src/robustness/images/index.ts'
import { peakOfThisProcess } from '../memory.ts'
import { type ServerStats, servedClass, servedModel } from './answering.ts'

/** The command by which the benchmark starts a client, in a process of its own. */
export const askingCommand = 'server-asking'

/** What a client does. */
export interface Asking {
  /** `bare` sends ready tensors; anything else is a method of zeroth. */
  readonly client: string
  readonly url: string
  readonly side: number
  readonly connections: number
  /** Images per request at most; of the bare client, exactly. */
  readonly batch: number
  /** Images attacked at once. */
  readonly parallel: number
  readonly warmUp: number
  readonly seconds: number
  /** Limits of the attack, and whether the model's scores are hidden; without limits, with scores if left out. */
  readonly attack?: { readonly linf?: number; readonly l2?: number; readonly labelsOnly?: boolean } | undefined
}

/** What a client came to. */
export interface Asked {
  readonly imagesPerSecond: number
  readonly imagesPerRequest: number
  /** Processor time of the client's own process, in milliseconds. */
  readonly costPerImage: number
  readonly peakBytes: number
}

/** Asks for a while, counts at the server, and prints what it came to as one line of JSON. */
export async function ask(asking: Asking): Promise<void> {
  const ending = new AbortController()
  const work = asking.client === 'bare' ? sendReady(asking, ending.signal) : attack(asking, ending.signal)
  const measure = async () => {
    await Promise.race([underWay(asking), work])
    await Promise.race([sleep(1000 * asking.warmUp), work])
    const before = await standOf(asking.url)
    await Promise.race([sleep(1000 * asking.seconds), work])
    return { before, after: await standOf(asking.url) }
  }
  // Where the server cannot be asked how far it is, the work ends all the same.
  const { before, after } = await measure().finally(() => ending.abort())
  await work
  const images = after.images - before.images
  const asked: Asked = {
    imagesPerSecond: (1000 * images) / (after.at - before.at),
    imagesPerRequest: images / (after.requests - before.requests),
    costPerImage: (after.cpu - before.cpu) / images,
    peakBytes: peakOfThisProcess(),
  }
  process.stdout.write(`${JSON.stringify(asked)}\n`)
}

/** Some methods prepare for seconds before they ask at all. */
async function underWay({ url, parallel }: Asking): Promise<void> {
  const { images } = await standOf(url)
  const latest = performance.now() + 30_000
  while ((await standOf(url)).images < images + 10 * parallel && performance.now() < latest) await sleep(100)
}

async function standOf(url: string) {
  const stats = (await (await fetch(`${url}/stats`)).json()) as ServerStats
  const { user, system } = process.cpuUsage()
  return { ...stats, at: performance.now(), cpu: (user + system) / 1000 }
}

/** The same bytes again and again over as many connections, with nothing but Node's HTTP client. */
async function sendReady({ url, side, connections, batch }: Asking, signal: AbortSignal): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const body = readyBody(batch, side)
  const worker = async (): Promise<void> => {
    while (!signal.aborted) await post(`${url}/v2/models/${servedModel}/infer`, body, agent)
  }
  await Promise.all(Array.from({ length: connections }, worker))
  agent.destroy()
}

interface Body {
  readonly bytes: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

function readyBody(batch: number, side: number): Body {
  const pixels = Float32Array.from({ length: batch * 3 * side * side }, (_, i) => ((i * 7919) % 256) / 255)
  const input = { name: 'images', shape: [batch, 3, side, side], datatype: 'FP32' }
  const inputs = [{ ...input, parameters: { binary_data_size: pixels.byteLength } }]
  const outputs = [{ name: 'logits', parameters: { binary_data: true } }]
  const header = Buffer.from(JSON.stringify({ inputs, outputs }))
  const bytes = Buffer.concat([header, new Uint8Array(pixels.buffer)])
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(bytes.length),
    'inference-header-content-length': String(header.length),
  }
  return { bytes, headers }
}

function post(url: string, { bytes, headers }: Body, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent }, (reply) => {
      reply.resume()
      reply.on('end', resolve)
    })
    sent.on('error', reject)
    sent.end(bytes)
  })
}

/** A stored evaluation as `zeroth attack` performs it, interrupted when it has been measured. */
async function attack(asking: Asking, signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'zeroth-bench-'))
  const { client, url, connections, batch, parallel, side, attack: { labelsOnly = false, ...limits } = {} } = asking
  try {
    const images = join(folder, 'images')
    await writeImages(images, side, parallel)
    const paper = { directions: 10, smoothing: 0.005, learningRate: 0.01 }
    const evaluation = await openEvaluation(join(folder, 'evaluation'), {
      model: { name: 'open-inference', url, model: servedModel },
      images,
      solver: client,
      ...(client === 'zo-adamm' ? paper : {}),
      problem: { name: 'constrained', ...limits },
      ...(labelsOnly ? { preprocessing: { scores: 'labels' } } : {}),
      maxQueries: 10_000_000,
      permitted: true,
      rate: 1_000_000,
      jobs: connections,
      batch,
      parallel,
    })
    for await (const event of evaluation.perform({ signal })) {
      if (event.type === 'finished' && event.status === 'failed') throw new Error(event.reason)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Images of noise, all of the class that the server sees in everything. */
async function writeImages(folder: string, side: number, count: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  const files = Array.from({ length: count }, (_, i) => `${i}.png`)
  for (const [i, file] of files.entries()) {
    const pixels = Float32Array.from({ length: 3 * side * side }, (_, at) => (((at + i) * 7919) % 256) / 255)
    await writePng(join(folder, file), { pixels, shape: { channels: 3, height: side, width: side } })
  }
  const lines = ['file,index', ...files.map((file) => `${file},${servedClass}`)]
  await writeFile(join(folder, 'labels.csv'), `${lines.join('\n')}\n`)
}
