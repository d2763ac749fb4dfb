/** What was read of a reply. */
export interface CappedBytes {
  readonly bytes: Uint8Array
  /** False where there was more than the limit: the rest was not read. */
  readonly complete: boolean
}

/** Reads a reply and stops at the limit, whatever the reply says about its own length. */
export async function readCapped(reply: Response, limit: number): Promise<CappedBytes> {
  if (reply.body === null) return { bytes: new Uint8Array(0), complete: true }
  const reader = reply.body.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  while (true) {
    const { done, value } = await reader.read()
    if (done) return { bytes: joined(pieces, length), complete: true }
    pieces.push(value.subarray(0, limit - length))
    length += value.length
    if (length <= limit) continue
    // Not awaited: the other side may be in no hurry to notice.
    reader.cancel().catch(() => undefined)
    return { bytes: joined(pieces, limit), complete: false }
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0] as Uint8Array
  const all = new Uint8Array(length)
  let offset = 0
  for (const piece of pieces) {
    all.set(piece, offset)
    offset += piece.length
  }
  return all
}
