import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The published program. */
export const program = fileURLToPath(new URL('../../dist/app/cli/main.js', import.meta.url))

/** How the program is called. */
export interface Call {
  readonly cwd: string
  readonly input?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** What became of it. */
export interface Ended {
  /** Its exit code; null where a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The program at work. */
export interface Started {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  readonly ended: Promise<Ended>
}

/** Starts `zeroth`, or another program, as a process of its own. */
export function start(args: readonly string[], { cwd, input, env }: Call, file = program): Started {
  const child = spawn(process.execPath, [file, ...args], { cwd, stdio: 'pipe', env: { ...process.env, ...env } })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  child.stdin.on('error', () => undefined)
  child.stdin.end(input ?? '')
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, ...texts })))
  return { child, stdout: () => texts.stdout, stderr: () => texts.stderr, ended }
}

/** Calls `zeroth` and waits for its end. */
export function zeroth(args: readonly string[], call: Call): Promise<Ended> {
  return start(args, call).ended
}

/** The one JSON object that was printed; anything else on stdout is an error. */
export function onlyObject({ stdout, stderr }: Ended): Record<string, unknown> & { readonly hash: string } {
  if (!/^\{[^\n]*\}\n$/.test(stdout)) throw new Error(`not one line of JSON: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}
