import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Variant } from './contender.ts'

/** A program of another language at work in a process of its own, which keeps its buffers between requests. */
export interface Peer {
  /** What it says it is: its name and version. */
  readonly title: string
  readonly variants: readonly Variant[]
  close(): void
}

/** The first import of PyTorch from a cold disk takes its time. */
const startLimit = 180_000
const requestLimit = 300_000

/**
 * Starts a peer. It prints one line, "title | variant variant ...", and then answers each line
 * "variant d q iterations" with the milliseconds per iteration. Rejects where it does not come up.
 */
export async function startPeer(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Peer> {
  const child = spawn(command, args, { env: { ...process.env, ...environment } })
  const ask = conversation(child)
  const [title = '', variants = ''] = (await ask(undefined, startLimit)).split('|')
  return {
    title: title.trim(),
    variants: variants
      .trim()
      .split(' ')
      .map((label) => ({
        label,
        time: async ({ dim, directions, iterations }) =>
          milliseconds(await ask(`${label} ${dim} ${directions} ${iterations}`, requestLimit)),
      })),
    close: () => child.stdin.end(),
  }
}

/** One line in, one line out; rejects when the process dies or takes too long. */
function conversation(child: ChildProcessWithoutNullStreams) {
  let complaints = ''
  let ended: Error | undefined
  const arrived: string[] = []
  let wake = (): void => undefined
  const end = (reason: string): void => {
    ended ??= new Error(`${reason}${complaints === '' ? '' : `: ${lastLine(complaints)}`}`)
    wake()
  }
  child.stderr.on('data', (text) => {
    complaints = `${complaints}${text}`.slice(-2000)
  })
  createInterface(child.stdout).on('line', (line) => {
    arrived.push(line)
    wake()
  })
  child.stdin.on('error', () => undefined)
  child.on('error', (error) => end(error.message))
  child.on('close', (code, signal) => end(`ended with ${signal ?? `status ${code}`}`))

  return async (line: string | undefined, limit: number): Promise<string> => {
    if (line !== undefined && ended === undefined) child.stdin.write(`${line}\n`)
    const timer = setTimeout(() => {
      end(`no answer within ${limit / 1000} s`)
      child.kill('SIGKILL')
    }, limit)
    while (arrived.length === 0 && ended === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    clearTimeout(timer)
    const answer = arrived.shift()
    if (answer === undefined) throw ended
    return answer
  }
}

function milliseconds(answer: string): number {
  const value = Number(answer)
  if (!(value > 0)) throw new Error(`answered "${answer}" instead of milliseconds`)
  return value
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
