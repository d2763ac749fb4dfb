/** Takes bytes as they come and gives lines of text. */
export interface Lines {
  push(bytes: Uint8Array): void
  /** There is nothing more to come: what is left is a line, too. */
  end(): void
}

const newLine = 10
const carriageReturn = 13

/**
 * Cuts a stream of bytes into lines, at new lines and carriage returns alike, and leaves out blank ones. Of a line
 * that is too long nothing is kept but the news, told once.
 */
export function lineReader(maxBytes: number, onLine: (line: string) => void, onTooLong: () => void): Lines {
  let parts: Uint8Array[] = []
  let length = 0
  let tooLong = false

  const add = (bytes: Uint8Array): void => {
    length += bytes.length
    if (length <= maxBytes) parts.push(bytes)
    else if (!tooLong) {
      tooLong = true
      parts = []
      onTooLong()
    }
  }

  const end = (): void => {
    const line = Buffer.concat(parts).toString('utf8').trim()
    parts = []
    length = 0
    tooLong = false
    if (line !== '') onLine(line)
  }

  return {
    push(bytes) {
      let start = 0
      for (let i = 0; i < bytes.length; i++) {
        if (bytes[i] !== newLine && bytes[i] !== carriageReturn) continue
        add(bytes.subarray(start, i))
        end()
        start = i + 1
      }
      if (start < bytes.length) add(bytes.subarray(start))
    },
    end,
  }
}
