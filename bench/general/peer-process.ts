import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

/** A program that minimises, at work in a process of its own. */
export interface PeerProcess {
  /** Sends a text of JSON. */
  send(message: unknown): void
  /** Sends the value of the point that was asked last. */
  answer(value: number): void
  /** The next point that it asks, or the JSON it says instead. Rejects when the process ends. */
  next(): Promise<{ readonly point: Float64Array } | { readonly said: unknown }>
  end(): void
}

/** How to start it. */
export interface PeerCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Starts the program; frames are as bench/peers/minimizers.py describes them. */
export function startPeerProcess({ command, args, env = {} }: PeerCommand): PeerProcess {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const [input, output] = [child.stdin as Writable, child.stdout as Readable]
  input.on('error', () => undefined)
  const take = reader(output, complaints(child))
  return {
    send(message) {
      const text = Buffer.from(JSON.stringify(message))
      const head = Buffer.alloc(4)
      head.writeInt32LE(text.length)
      input.write(Buffer.concat([head, text]))
    },
    answer(value) {
      const bytes = Buffer.alloc(8)
      bytes.writeDoubleLE(value)
      input.write(bytes)
    },
    async next() {
      const count = (await take(4)).readInt32LE(0)
      if (count < 0) return { said: JSON.parse((await take(-count)).toString()) }
      const bytes = await take(8 * count)
      return { point: new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 8 * count)) }
    },
    end() {
      child.kill('SIGKILL')
    },
  }
}

/** Takes so many bytes, as soon as they are there. */
function reader(stream: Readable, reason: () => string): (count: number) => Promise<Buffer> {
  let ended = false
  let wake = (): void => undefined
  stream.on('readable', () => wake())
  for (const event of ['end', 'close', 'error']) {
    stream.on(event, () => {
      ended = true
      wake()
    })
  }
  return async (count) => {
    for (;;) {
      const bytes = stream.read(count) as Buffer | null
      if (bytes !== null && bytes.length === count) return bytes
      if (ended || bytes !== null) throw new Error(`the process ended${reason()}`)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
}

/** The last line that a process complained with. */
function complaints(child: ChildProcess): () => string {
  let text = ''
  child.on('error', ({ message }) => {
    text = message
  })
  child.stderr?.on('data', (more) => {
    text = `${text}${more}`.slice(-2000)
  })
  return () => (text === '' ? '' : `: ${text.trim().split('\n').at(-1)}`)
}
