import { send, startServer, type TestServer } from './server.ts'

/** What a request told beside the point. */
export interface Told {
  readonly sample?: number
  readonly iteration?: number
  readonly row?: number
}

/**
 * A service that answers {"x": [...]} with {"value": f(x)} and {"points": [...]} with {"values": [...]}. What f returns
 * is sent as it is; numbers keep their bits.
 */
export function startJsonObjectiveServer(f: (x: Float64Array, told: Told) => unknown): Promise<TestServer> {
  return startServer(({ body }, reply) => {
    const { x, points, ...told } = JSON.parse(body.toString()) as { x?: number[]; points?: number[][] } & Told
    const text =
      points === undefined
        ? `{"value":${jsonOf(f(Float64Array.from(x ?? []), told))}}`
        : `{"values":[${points.map((point) => jsonOf(f(Float64Array.from(point), told))).join(',')}]}`
    send(reply, 200, text, { 'content-type': 'application/json' })
  })
}

/** JSON with numbers that it cannot hold as strings, and minus zero as minus zero. */
export function jsonOf(value: unknown): string {
  if (typeof value !== 'number') return JSON.stringify(value) ?? 'null'
  if (!Number.isFinite(value)) return `"${value}"`
  return Object.is(value, -0) ? '-0.0' : String(value)
}
