/** Where data goes: nothing else is ever written there. */
export const output = process.stdout

/** Prints data for the caller. */
export function print(text: string): void {
  output.write(`${text}\n`)
}

/** Errors that only say that the reader is gone: a closed pipe, a terminal that is gone. */
const unread = ['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']

/**
 * Keeps stdout for data, and writing from ending the program. What a user's module prints goes to stderr, also from its
 * threads; a reader that left early is no error; a full disk is told.
 */
export function guardOutput(onFailure: (error: Error) => void): void {
  process.stderr.on('error', () => undefined)
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (!unread.includes(error.code ?? '')) onFailure(error)
  })
  Object.defineProperty(process, 'stdout', { configurable: true, get: () => process.stderr })
}

/** Resolves when everything written so far has left the program, or never will. */
export async function flushOutput(): Promise<void> {
  await Promise.all([output, process.stderr].map(flushed))
  // What went wrong is told in a later turn.
  await new Promise((resolve) => setImmediate(resolve))
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve()
  return new Promise((resolve) => {
    stream.once('error', () => resolve())
    stream.write('', () => resolve())
  })
}
