import { connect, createServer, type Socket } from 'node:net'

/** A way to a server that can be cut. */
export interface TcpProxy {
  readonly port: number
  readonly url: string
  /** Ends every connection and takes no new one for so many milliseconds. */
  cut(milliseconds: number): void
  /** Passes nothing on for so many milliseconds, and says nothing about it. */
  freeze(milliseconds: number): void
  close(): Promise<void>
}

/** Passes connections on to a local port; `change` may alter what the server says. */
export async function tcpProxy(target: number, change: (text: string) => string = (text) => text): Promise<TcpProxy> {
  const open = new Set<Socket>()
  let isCut = false
  const server = createServer((from) => {
    if (isCut) return void from.destroy()
    const to = connect(target, '127.0.0.1')
    for (const socket of [from, to]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        from.destroy()
        to.destroy()
      })
    }
    from.on('data', (data) => to.write(data))
    to.on('data', (data) => from.write(Buffer.from(change(data.toString('latin1')), 'latin1')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.address() as { port: number }
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    cut(milliseconds) {
      isCut = true
      for (const socket of open) socket.destroy()
      setTimeout(() => {
        isCut = false
      }, milliseconds)
    },
    freeze(milliseconds) {
      const frozen = [...open]
      for (const socket of frozen) socket.pause()
      setTimeout(() => {
        for (const socket of frozen) socket.resume()
      }, milliseconds)
    },
    close() {
      for (const socket of open) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
