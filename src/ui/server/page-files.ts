import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
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

/** Bytes at the beginning of a report that hold its own policy. */
const policyBytes = 1024

/** The hashes of scripts in the policy that our reports begin with. Nothing else of a file gets into a header. */
const reportScripts =
  /^<!doctype html>\s<html lang="en">\s<head>\s<meta charset="utf-8">\s<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ((?: ?'sha256-[A-Za-z0-9+/]{43}=')+);/

/**
 * What a report may do. It may be a stranger's: it has no part in this origin and reaches nothing. Only the script runs that
 * its own policy names by its hash, as other versions of zeroth may have another; in a page without such a policy none does.
 */
export function reportPolicy(file: string): string {
  const [, hashes = `'none'`] = reportScripts.exec(beginningOf(file)) ?? []
  return [
    'sandbox allow-scripts',
    `default-src 'none'`,
    `script-src ${hashes}`,
    `style-src 'unsafe-inline'`,
    'img-src data:',
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

function beginningOf(file: string): string {
  const open = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(policyBytes)
    return bytes.toString('latin1', 0, readSync(open, bytes))
  } finally {
    closeSync(open)
  }
}
