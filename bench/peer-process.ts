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

/** A process that speaks in bytes. */
export interface ByteProcess {
  write(bytes: Uint8Array): void
  /** Takes so many bytes, as soon as they are there. Rejects when the process ends. */
  take(count: number): Promise<Buffer>
  end(): void
}

/** Starts a program to speak with through its standard input and output. */
export function startProcess({ command, args, env = {} }: PeerCommand): ByteProcess {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const [input, output] = [child.stdin as Writable, child.stdout as Readable]
  input.on('error', () => undefined)
  return {
    write: (bytes) => void input.write(bytes),
    take: reader(output, complaints(child)),
    end: () => void child.kill('SIGKILL'),
  }
}

/** A text of JSON behind its length. */
export function jsonFrame(message: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(message))
  const head = Buffer.alloc(4)
  head.writeInt32LE(text.length)
  return Buffer.concat([head, text])
}

/** Starts the program; frames are as bench/peers/minimizers.py describes them. */
export function startPeerProcess(command: PeerCommand): PeerProcess {
  const { write, take, end } = startProcess(command)
  return {
    send: (message) => write(jsonFrame(message)),
    answer(value) {
      const bytes = Buffer.alloc(8)
      bytes.writeDoubleLE(value)
      write(bytes)
    },
    async next() {
      const count = (await take(4)).readInt32LE(0)
      if (count < 0) return { said: JSON.parse((await take(-count)).toString()) }
      const bytes = await take(8 * count)
      return { point: new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 8 * count)) }
    },
    end,
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
