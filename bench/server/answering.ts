import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The command by which the benchmark starts its server, in a process of its own. */
export const answeringCommand = 'server-answering'

/** What the server has taken in so far. */
export interface ServerStats {
  readonly images: number
  readonly requests: number
}

/** The one model that it serves. */
export const servedModel = 'still'

/** As many scores as Inception V3 gives. */
const classes = 1001

/** The class that it sees in everything but what has far more contrast, and the one it sees there. */
export const servedClass = 7
const otherClass = 8

/** Every pixel of an image so many apart is looked at: enough for a boundary, and next to nothing in time. */
const apart = 997

/**
 * A model that answers at once: the body is read and thrown away but for a few pixels of each image, whose squared distance from
 * gray, beside that of even noise, is all that the scores depend on. So it has a boundary, which attacks without a limit
 * reach, and what is left is the cost of getting images there. Prints its port on one line.
 */
export function serveAnswers(side: number): void {
  const stats = { images: 0, requests: 0 }
  const size = 4 * 3 * side * side
  const infer = (request: IncomingMessage, reply: ServerResponse): void => {
    const header = Number(request.headers['inference-header-content-length'])
    const images = (Number(request.headers['content-length']) - header) / size
    const contrasts = new Float32Array(images)
    let [next, seen] = [header, 0]
    request.on('data', (chunk: Buffer) => {
      for (; next + 4 <= seen + chunk.length; next += 4 * apart) {
        // One that is cut in two counts as gray.
        const fromGray = next < seen ? 0 : chunk.readFloatLE(next - seen) - 0.5
        const image = Math.floor((next - header) / size)
        contrasts[image] = (contrasts[image] as number) + fromGray * fromGray
      }
      seen += chunk.length
    })
    request.on('end', () => {
      stats.images += images
      stats.requests++
      const { headers, body } = replyTo(contrasts, (3 * side * side) / apart)
      reply.writeHead(200, headers)
      reply.end(body)
    })
  }
  const server = createServer((request, reply) => {
    if (request.method === 'POST') return infer(request, reply)
    request.resume()
    reply.setHeader('content-type', 'application/json')
    reply.end(JSON.stringify(request.url === '/stats' ? stats : described(request.url ?? '', side)))
  })
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
}

/** What it says about itself and its model. */
function described(path: string, side: number): object {
  if (path === '/v2') return { name: 'bench', version: '1', extensions: ['binary_tensor_data'] }
  return {
    name: servedModel,
    versions: ['1'],
    platform: 'none',
    inputs: [{ name: 'images', datatype: 'FP32', shape: [-1, 3, side, side] }],
    outputs: [{ name: 'logits', datatype: 'FP32', shape: [-1, classes] }],
  }
}

interface Reply {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The mean of squares of even noise around gray, and by how much more an image is of the other class. */
const evenNoise = { squares: 1 / 12, more: 1.3 }

function replyTo(contrasts: Float32Array, counted: number): Reply {
  const images = contrasts.length
  const scores = new Float32Array(images * classes)
  for (let image = 0; image < images; image++) {
    const contrast = (contrasts[image] as number) / (counted * evenNoise.squares * evenNoise.more)
    scores[image * classes + servedClass] = 9
    scores[image * classes + otherClass] = 9 * contrast
  }
  const outputs = [
    { name: 'logits', datatype: 'FP32', shape: [images, classes], parameters: { binary_data_size: scores.byteLength } },
  ]
  const header = Buffer.from(JSON.stringify({ model_name: servedModel, model_version: '1', outputs }))
  const body = Buffer.concat([header, new Uint8Array(scores.buffer)])
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(body.length),
    'inference-header-content-length': String(header.length),
  }
  return { headers, body }
}
