/** Data for whoever called: stdout carries nothing else. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Errors that only say that nobody reads any more: a closed pipe, a terminal that is gone. */
const unread = ['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']

/** Keeps writing from ending the program: a reader that left early is no error, a full disk is said. */
export function guardOutput(onFailure: (error: Error) => void): void {
  process.stderr.on('error', () => undefined)
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!unread.includes(error.code ?? '')) onFailure(error)
  })
}

/** Resolves when everything written so far has left the program, or never will. */
export async function flushOutput(): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map(flushed))
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve()
  return new Promise((resolve) => {
    stream.once('error', () => resolve())
    stream.write('', () => resolve())
  })
}
