import { type ChildProcess, spawn } from 'node:child_process'

/** Characters of what a process said that are kept. */
const mostSaid = 2000

/** Exit codes that are no failure: the end, less robust than demanded, interrupted. */
const fine: readonly (number | null)[] = [0, 3, 130, null]

/** Resumes works in processes of their own, as `zeroth resume` does. */
export class Resumer {
  readonly #program: string
  readonly #children = new Map<string, ChildProcess>()

  /** `program` is the file of the command line. */
  constructor(program: string) {
    this.#program = program
  }

  /** Resumes the work in a folder; false where that is under way. `onFailure` gets what went wrong in words. */
  resume(folder: string, onFailure: (message: string) => void): boolean {
    if (this.#children.has(folder)) return false
    const args = [this.#program, 'resume', folder, '--quiet']
    // An array of arguments and no shell: nothing in the name of a folder is obeyed.
    const child = spawn(process.execPath, args, {
      shell: false,
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
    })
    this.#children.set(folder, child)
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-mostSaid)
    })
    child.on('error', (error) => {
      this.#children.delete(folder)
      onFailure(error.message)
    })
    child.on('close', (code) => {
      this.#children.delete(folder)
      if (!fine.includes(code)) onFailure(said.trim() || `zeroth resume ended with exit code ${code}`)
    })
    return true
  }
}
