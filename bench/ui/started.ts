import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../root.ts'

/** The built command line at work. */
export interface Started {
  readonly child: ChildProcess
  /** What it has printed so far, everything together. */
  readonly said: () => string
  readonly ended: Promise<void>
}

/** Starts `zeroth`, as `npm run build` made it. */
export function startZeroth(args: readonly string[], cwd: string): Started {
  const child = spawn(process.execPath, [join(root, 'dist/app/cli/main.js'), ...args], { cwd })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  }
  return { child, said: () => text, ended: new Promise((resolve) => child.on('close', () => resolve())) }
}

/** Waits until it has said something. */
export async function heard({ said, child }: Started, wanted: RegExp): Promise<string> {
  for (;;) {
    const found = wanted.exec(said())?.[1]
    if (found !== undefined) return found
    if (child.exitCode !== null) throw new Error(`zeroth ended: ${said()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
