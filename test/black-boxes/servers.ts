import { jsonOf, startJsonObjectiveServer } from '../servers/json-objective-server.ts'
import { type ServedModel, type ServedTensor, startOpenInferenceServer } from '../servers/open-inference-server.ts'
import { send, startServer, type TestServer } from '../servers/server.ts'
import { boxes, onTheWire } from './boxes.mjs'

/** Every box behind sockets. */
export interface BoxServers {
  /** The address of a box that answers {"x": [...]} with {"value": n}. */
  http(box: string): string
  /** The address of an inference server with a model for each box. */
  readonly openInference: string
  close(): Promise<void>
}

/** Starts them on this machine. */
export async function startBoxServers(dim: number): Promise<BoxServers> {
  const json = await startServer(async ({ path, body }, reply) => {
    const box = boxes[path.slice(1)]
    const { x } = JSON.parse(body.toString()) as { x: number[] }
    // A box that never answers never resolves; one that throws makes the server say 500.
    const value = onTheWire(await box?.(x))
    send(reply, 200, `{"value":${jsonOf(value)}}`, { 'content-type': 'application/json' })
  })
  const batched = await startJsonObjectiveServer((x) => boxes.bowl?.(x))
  const inference = await startOpenInferenceServer(
    Object.fromEntries(Object.keys(boxes).map((name) => [name, servedBox(name, dim)])),
  )
  const all: TestServer[] = [json, batched, inference]
  return {
    http: (box) => (box === 'batched' ? batched.url : `${json.url}/${box}`),
    openInference: inference.url,
    close: async () => {
      await Promise.all(all.map((each) => each.close()))
    },
  }
}

function servedBox(name: string, dim: number): ServedModel {
  const output = { name: 'value', datatype: 'FP64', shape: [-1] }
  return {
    inputs: [{ name: 'x', datatype: 'FP64', shape: [-1, dim] }],
    outputs: [output],
    async infer([input]) {
      const { data = [], shape = [0] } = input ?? {}
      const rows = Array.from({ length: shape[0] ?? 0 }, (_, row) => data.slice(row * dim, (row + 1) * dim))
      const values = await Promise.all(rows.map((x) => boxes[name]?.(x)))
      // Where a box does not answer with numbers its tensor holds none.
      const numbers = values.filter((each): each is number => typeof each === 'number')
      return [{ ...output, shape: [rows.length], data: numbers } satisfies ServedTensor]
    },
  }
}
