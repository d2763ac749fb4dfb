import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { milliseconds } from '../../provenance/wall-clock.ts'
import { kindOf } from '../../work/folders.ts'
import type { WorkRow } from '../api.ts'
import { readRow } from './work-row.ts'

/** A work that was found, and where. */
export interface FoundWork {
  readonly id: string
  readonly folder: string
  /** Of a member: the id of the work it is part of. */
  readonly parent?: string | undefined
  row: WorkRow
}

/** What has changed since the last scan. */
export type Change = { readonly type: 'work'; readonly row: WorkRow } | { readonly type: 'gone'; readonly id: string }

/** Milliseconds after which a folder that has not changed since is taken to be as it was read. */
const settling = 3000

/** Works read before other things get their turn. */
const perTurn = 20

interface Kept extends FoundWork {
  changed: number
  read: number
}

/**
 * The works of a folder, by ids that are no paths: whatever a request asks for, it gets what the scan has found or nothing.
 * Links are passed over, so that nothing outside the folder is found.
 */
export class WorkScanner {
  readonly root: string
  readonly #works = new Map<string, Kept>()
  #scanning: Promise<Change[]> | undefined

  constructor(root: string) {
    this.root = resolve(root)
  }

  get works(): ReadonlyMap<string, FoundWork> {
    return this.#works
  }

  /** The id that the work in a folder has, or would have. */
  idOf(folder: string): string {
    const path = relative(this.root, resolve(folder)).split(sep).join('/')
    const name = basename(resolve(folder))
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 48)
      .replace(/^-+|-+$/g, '')
    const hash = createHash('sha256').update(path).digest('hex').slice(0, 10)
    return name === '' ? hash : `${name}-${hash}`
  }

  /** Looks at the folder again; works that have not changed are not read again. One scan at a time. */
  scan(): Promise<Change[]> {
    this.#scanning ??= this.#scan().finally(() => {
      this.#scanning = undefined
    })
    return this.#scanning
  }

  async #scan(): Promise<Change[]> {
    const found = new Set<string>()
    const changes: Change[] = []
    let count = 0
    const visit = async (folder: string, parent?: string): Promise<void> => {
      const kind = kindOf(folder)
      if (kind === undefined) return
      const id = this.idOf(folder)
      found.add(id)
      if (++count % perTurn === 0) await turn()
      const row = await this.#refresh(id, folder, parent)
      if (row !== undefined) changes.push({ type: 'work', row })
      if (kind === 'series' || kind === 'tuning') for (const each of foldersIn(folder)) await visit(each, id)
    }
    if (kindOf(this.root) === undefined) for (const each of foldersIn(this.root)) await visit(each)
    else await visit(this.root)
    for (const id of [...this.#works.keys()].filter((each) => !found.has(each))) {
      this.#works.delete(id)
      changes.push({ type: 'gone', id })
    }
    return changes
  }

  /** Reads a work that may have changed; its row where that is another. */
  async #refresh(id: string, folder: string, parent: string | undefined): Promise<WorkRow | undefined> {
    const known = this.#works.get(id)
    const changed = lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
    const isSettled = known !== undefined && known.row.state !== 'running' && known.read - known.changed > settling
    if (isSettled && known.changed === changed) return undefined
    const read = milliseconds()
    const row = await readRow(folder, id, parent)
    this.#works.set(id, { id, folder, parent, row, changed, read })
    return known !== undefined && JSON.stringify(known.row) === JSON.stringify(row) ? undefined : row
  }
}

/** The folders in a folder, links left out. */
function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}

/** A file below a folder; undefined where it is none, or leads out of the folder by a link. */
export function fileWithin(folder: string, path: string): string | undefined {
  try {
    const inside = realpathSync(folder)
    const file = realpathSync(resolve(folder, path))
    return file.startsWith(inside + sep) && lstatSync(file).isFile() ? file : undefined
  } catch {
    return undefined
  }
}
