import { join } from 'node:path'
import { writeWholeFile } from '../../trace/index.ts'
import { makeFolder } from '../../work/folders.ts'
import type { ReportPage } from './document.ts'

/** Writes a page and its figures into a folder; returns the files, the page first. */
export async function writePageFiles(out: string, page: string, { html, figures }: ReportPage): Promise<string[]> {
  await makeFolder(out)
  const drawn = Object.entries(figures).map(([name, svg]) => [`${name}.svg`, svg] as const)
  return [[page, html] as const, ...drawn].map(([file, text]) => {
    writeWholeFile(join(out, file), text)
    return join(out, file)
  })
}
