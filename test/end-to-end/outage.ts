import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { servedNetwork } from '../networks/network-server.ts'
import { type ServedModel, startOpenInferenceServer } from '../servers/open-inference-server.ts'
import { type AttackObject, attackObject, outcomes } from './attack-results.ts'
import { type Ended, start, zeroth } from './zeroth.ts'

const network = fileURLToPath(new URL('../../assets/digits/model.onnx', import.meta.url))

/** When a server goes away, and for how long. */
export interface Outage {
  /** After how many requests about images. */
  readonly at: number
  readonly seconds: number
  /** What else the command is told; nothing but what is attacked if left out. */
  readonly options?: readonly string[]
  /** The method, of the attack that is left alone, too; the default if left out. */
  readonly method?: readonly string[]
}

/** An attack whose server went away and came back, and the same one left alone. */
export interface OutageRun {
  readonly ended: Ended
  readonly result: AttackObject
  readonly isSame: boolean
  /** The same where it was resumed, if it had to be. */
  readonly resumed: { readonly code: number | null; readonly isSame: boolean } | undefined
}

/** A server that can be killed, with every connection it has, and started again at the same address. */
export async function mortalServer() {
  const served = await servedNetwork(readFileSync(network))
  let onRequest: () => void = () => undefined
  const infer: ServedModel['infer'] = (inputs, version) => {
    onRequest()
    return served.infer(inputs, version)
  }
  let server = await startOpenInferenceServer({ digits: { ...served, infer } })
  const port = Number(new URL(server.url).port)
  return {
    url: server.url,
    hear(listener: () => void) {
      onRequest = listener
    },
    kill: () => server.close(),
    async revive() {
      server = await startOpenInferenceServer({ digits: { ...served, infer } }, {}, port)
    },
    async close() {
      await server.close()
      await served.release()
    },
  }
}

const attack = ['--images', 'digits', '--permitted', '--count', '3', '--max-queries', '67', '--json']

/** Attacks with default options while the server is down for a while; then once more with a server that stays up. */
export async function outageRun(
  cwd: string,
  name: string,
  { at, seconds, options = [], method = [] }: Outage,
): Promise<OutageRun> {
  const server = await mortalServer()
  const args = ['attack', '--model', `${server.url}/v2/models/digits`, ...attack, ...method]
  try {
    const whole = await zeroth([...args, '--out', `${name}-whole`], { cwd })
    if (whole.code !== 0) throw new Error(whole.stderr)
    const isBack = outage(server, at, seconds)
    const ended = await start([...args, ...options, '--out', name], { cwd }).ended
    await isBack
    const isSame = () =>
      JSON.stringify(outcomes(join(cwd, name))) === JSON.stringify(outcomes(join(cwd, `${name}-whole`)))
    const result = attackObject(ended)
    if (ended.code === 0) return { ended, result, isSame: isSame(), resumed: undefined }
    const before = isSame()
    const { code } = await zeroth(['resume', name, '--json'], { cwd })
    return { ended, result, isSame: before, resumed: { code, isSame: isSame() } }
  } finally {
    await server.close()
  }
}

/** Kills a server in the middle of a request and starts it again later; resolves when it is back. */
async function outage(server: Awaited<ReturnType<typeof mortalServer>>, at: number, seconds: number): Promise<void> {
  await new Promise<void>((resolve) => {
    let requests = 0
    server.hear(() => {
      if (++requests === at) resolve()
    })
  })
  await server.kill()
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
  await server.revive()
}
