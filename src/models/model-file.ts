import { ZerothError } from '../core/errors.ts'
import { noted } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { filledText, mapped, tested, union } from '../core/schema.ts'
import { endpoint } from '../remote/endpoint.ts'
import { hideSecret, resolveSecret, type SecretSource } from '../remote/secret.ts'
import { isHttp, parsedUrl, shownUrl } from '../remote/url.ts'
import { type PreprocessingOption, preprocessingOption } from './preprocessing.ts'

/** No ONNX file is larger: protobuf knows no longer messages. */
const mostBytes = 2_147_483_647

/** A file by its path or URL. A URL that holds credentials is kept out of sight. */
export const fileOption = noted(
  mapped(
    union(
      filledText,
      tested<URL>((value) => value instanceof URL, 'must be a URL'),
    ),
    (file): SecretSource => {
      const text = String(file)
      const shown = shownFile(text)
      return shown === text ? text : hideSecret(text, shown)
    },
  ),
  { path: true },
)

/** The path or URL itself. */
export function fileText(file: SecretSource, where: string): string {
  return resolveSecret(file, where)
}

/** A file as it may appear in messages. */
export function shownFile(file: string): string {
  return isRemote(file) ? shownUrl(file) : file
}

/** The bytes of a file, from disk or over HTTP; undefined where there is no such file. */
export async function readFile(file: string): Promise<Uint8Array | undefined> {
  const files = globalThis.process?.getBuiltinModule?.('node:fs')
  if (files === undefined || isRemote(file)) return download(file)
  try {
    return await files.promises.readFile(file.startsWith('file:') ? new URL(file) : file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new ZerothError('invalid-model', `cannot read ${file} (${code ?? message})`, { cause: error })
  }
}

async function download(file: string): Promise<Uint8Array | undefined> {
  const url = new URL(file, globalThis.location?.href).href
  const service = endpoint({ url, headers: {}, timeout: 300_000, maxReplyBytes: mostBytes }, 'file')
  const request = { method: 'GET', anyStatus: true }
  try {
    const reply = await service.call(request)
    if (reply.status === 404) return undefined
    if (reply.status < 300) return reply.bytes
    throw service.refusal(request, reply)
  } catch (error) {
    throw new ZerothError('invalid-model', `cannot read ${shownFile(file)}: ${(error as Error).message}`)
  }
}

function isRemote(file: string): boolean {
  const url = parsedUrl(file)
  return url !== undefined && isHttp(url)
}

/** The file beside a model that says what the model wants: `digits.onnx` has `digits.preprocessing.json`. */
function sidecarOf(file: string): string {
  const [, path, rest] = /^([^?#]*)(.*)$/s.exec(file) as unknown as [string, string, string]
  return `${path.replace(/\.onnx$/i, '')}.preprocessing.json${rest}`
}

/** What the file beside a model says; nothing where there is none. */
export async function readSidecar(model: string): Promise<PreprocessingOption> {
  const file = sidecarOf(model)
  const bytes = await readFile(file)
  const text = bytes === undefined ? '' : new TextDecoder().decode(bytes)
  // Web servers like to answer with a page where there is no such file.
  if (bytes === undefined || text.trimStart().startsWith('<')) return {}
  return parseOptions(`${shownFile(file)}: preprocessing`, preprocessingOption, parsed(text, shownFile(file)))
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ZerothError('invalid-model', `${file} is not JSON: ${(error as Error).message}`, { cause: error })
  }
}
