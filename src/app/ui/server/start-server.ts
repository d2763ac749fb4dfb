import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { hostname, networkInterfaces } from 'node:os'
import { fileURLToPath } from 'node:url'
import { ZerothError } from '../../../index.ts'
import type { JobEvent } from '../../jobs/index.ts'
import { createApp, readPageFiles } from './app.ts'
import { EventStream, type StreamLimits } from './event-stream.ts'
import type { GuardOptions } from './guard.ts'
import { createAdaptorServer } from './http.ts'
import { LiveJobs } from './live-jobs.ts'
import { Resumer } from './resume.ts'
import { JobScanner } from './scanner.ts'

/** What is served, and to whom. */
export interface UiOptions {
  /** The folder of jobs, or of one. */
  readonly folder: string
  /** Without one: the usual port, or the next that is free. 0: any. */
  readonly port?: number | undefined
  /** The address to listen at. */
  readonly host?: string | undefined
  readonly publicUrl?: string | undefined
  /** What requests must have; new at each start if left out. */
  readonly token?: string | undefined
  readonly allowControl?: boolean | undefined
  /** The file of the command line, which resumes jobs. */
  readonly program: string
  /** The built page, if it is not in its usual place. */
  readonly page?: string | undefined
  readonly limits?: Partial<StreamLimits> | undefined
}

/** A server at work. */
export interface UiServer {
  /** Where the page is, with the token. */
  readonly url: string
  readonly port: number
  readonly token: string
  /** The address of the page of a job. */
  urlOf(folder: string): string
  /** Takes what the owner of a job tells. */
  take(folder: string, event: JobEvent): void
  close(): Promise<void>
}

const defaultPort = 4920
const portsTried = 20
const loopback: readonly string[] = ['127.0.0.1', 'localhost', '::1']

/** Starts the server of the page. */
export async function startServer(options: UiOptions): Promise<UiServer> {
  const { folder, host = '127.0.0.1', allowControl, program, limits } = options
  const page = options.page ?? fileURLToPath(new URL('../page', import.meta.url))
  const files = readPageFiles(page)
  const isLocal = loopback.includes(host)
  const publicUrl = options.publicUrl === undefined ? undefined : addressOf(options.publicUrl)
  const token = checkedToken(options.token) ?? randomBytes(32).toString('hex')
  const stream = new EventStream(limits)
  const jobs = new LiveJobs(new JobScanner(folder), stream)
  const guard: GuardOptions & { port: number } = {
    ...{ port: 0, token, publicUrl, hosts: isLocal ? undefined : hostsOf(host) },
  }
  const mayControl = allowControl ?? (isLocal && publicUrl === undefined)
  const app = createApp({ jobs, stream, guard, files, resumer: new Resumer(program), mayControl })
  const server = createAdaptorServer({ fetch: app.fetch }) as Server
  guard.port = await listen(server, host, options.port)
  await jobs.start()
  const name = host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? hostname() : host
  const base = publicUrl?.href ?? `http://${name}:${guard.port}/`
  const url = `${base}?token=${token}`
  return {
    url,
    port: guard.port,
    token,
    urlOf: (job) => `${url}#/job/${jobs.scanner.idOf(job)}`,
    take: (job, event) => jobs.take(job, event),
    async close() {
      jobs.close()
      stream.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A token that can be guessed is none. */
function checkedToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[\w-]{32,256}$/.test(token)) return token
  throw new ZerothError('invalid-option', 'ZEROTH_UI_TOKEN must be 32 to 256 letters, digits, _ or -')
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    // What the page asks for lies beside it.
    if (!url.pathname.endsWith('/')) url.pathname += '/'
    return url
  }
  throw new ZerothError(
    'invalid-option',
    `--public-url must be an address such as https://example.org/zeroth/, got ${text}`,
  )
}

/** What other machines may call this one. */
function hostsOf(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [host]
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return [hostname(), ...addresses.map(({ address }) => address)]
}

async function listen(server: Server, host: string, wanted: number | undefined): Promise<number> {
  const first = wanted ?? defaultPort
  for (let port = first; ; port++) {
    try {
      return await listenAt(server, host, port)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const isTaken = code === 'EADDRINUSE'
      if (isTaken && wanted === undefined && port < first + portsTried) continue
      const why = isTaken ? `the port ${port} is taken` : message
      throw new ZerothError('invalid-option', `cannot listen at ${host}: ${why}; choose another port or address`)
    }
  }
}

function listenAt(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}
