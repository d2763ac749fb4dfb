import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { ZerothError } from '../../index.ts'

/** A file of the page. */
export interface PageFile {
  readonly bytes: Buffer
  readonly type: string
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The files of the built page by their path, read once: whatever is asked for, it is one of these or nothing. */
export function readPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
    const files = names.flatMap((name): [string, PageFile][] => {
      const type = types[extname(name)]
      return type === undefined ? [] : [[`/${name}`, { bytes: readFileSync(join(folder, name)), type }]]
    })
    return new Map(files)
  } catch (cause) {
    throw new ZerothError('storage-failed', `cannot read the page in ${folder}: npm run build makes it`, { cause })
  }
}

/** What the page may load and where it may be shown: nothing of other sites, nowhere else. */
export const pagePolicy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `connect-src 'self'`,
  `img-src 'self' data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

/** A report may be a stranger's: it has no part in this origin and reaches nothing. */
export const reportPolicy = [
  'sandbox allow-scripts',
  `default-src 'none'`,
  `script-src 'unsafe-inline'`,
  `style-src 'unsafe-inline'`,
  'img-src data:',
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')
