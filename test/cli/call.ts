import { vi } from 'vitest'
import { runCommandLine } from '../../src/app/cli/command-line.ts'
import { printed } from './printed.ts'

/** What a command line came to in this process. */
export interface Called {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Calls `zeroth` in this process, in the current folder: quick, but for what concerns processes. */
export function call(...args: readonly string[]): Promise<Called> {
  return called(() => runCommandLine(args))
}

/** What a command line does in this process: what it prints and its exit code. */
export async function called(run: () => Promise<number>): Promise<Called> {
  let stderr = ''
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((data) => {
    stderr += String(data)
    return true
  })
  process.exitCode = undefined
  try {
    const { text, value } = await printed(run)
    return { code: value, stdout: text, stderr }
  } finally {
    process.exitCode = undefined
    spy.mockRestore()
  }
}
