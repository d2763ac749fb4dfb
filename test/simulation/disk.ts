import { basename } from 'node:path'
import type { StoreFiles } from '../../src/app/store/run-file.ts'
import { type PowerFiles, powerFiles } from '../run-store/power-files.ts'
import { Died, type SimulatedProcess, type World } from './world.ts'

/** Calls of the file system that change something. */
const changing = ['write', 'datasync', 'truncate', 'rename', 'link', 'unlink', 'syncFolder'] as const
export type ChangingCall = (typeof changing)[number]

/** How a disk behaves. */
export interface DiskOptions {
  /** Whether slow calls are made beside the loop. */
  readonly isLater: boolean
  /** Whether there are hard links: some network file systems have none. */
  readonly hasLinks: boolean
}

/** A disk that several processes use, whose power can be cut and whose calls can fail. Watches who writes a run. */
export class Disk {
  readonly #world: World
  readonly #options: DiskOptions
  #files: PowerFiles
  #fault: { readonly call: ChangingCall; readonly code: string; left: number } | undefined
  /** Counts the files that were called a journal, one after the other. */
  #journals = 0
  /** Who opened the journal last: since then nobody else may write to it. */
  #writer: SimulatedProcess | undefined
  /** Batches whose answers are in the journal, and those of them that a power cut leaves there. */
  #written = new Set<string>()
  #durable = new Set<string>()
  /** What each process has been answered and not written yet. */
  readonly #answered = new Map<SimulatedProcess, string>()

  constructor(world: World, options: DiskOptions) {
    this.#world = world
    this.#options = options
    this.#files = powerFiles(new Map())
  }

  /** Told what is asked: an answer that was kept must not be asked for again. */
  asks(batch: string): void {
    if (this.#written.has(batch)) this.#world.violate(`the answers to ${batch} were kept, and are asked for again`)
  }

  /** Told what a process was answered, before it writes that down. */
  answers(process: SimulatedProcess, batch: string): void {
    this.#answered.set(process, batch)
  }

  /** Cuts the power: what was not forced to the disk is there, torn, out of order or gone. Processes are not its business. */
  cutPower(): void {
    this.#files = powerFiles(this.#files.survivors(this.#world.random))
    this.#written = new Set(this.#durable)
    this.#writer = undefined
    this.#journals++
  }

  /** Lets a coming call fail. */
  failSoon(call: ChangingCall, left: number, code: string): void {
    this.#fault = { call, left, code }
  }

  content(): StoreFiles {
    return this.#files
  }

  /** The disk as a process sees it. */
  filesOf(process: SimulatedProcess): StoreFiles {
    const files = this.#files
    const journals = new Map<number, number>()
    const alive = (): void => {
      if (process.isDead) throw new Died(`${process.name} is dead`)
    }
    const isJournal = (file: number): boolean => journals.get(file) === this.#journals
    const owned = (what: string): void => {
      if (this.#writer !== undefined && this.#writer !== process) {
        this.#world.violate(`${process.name} ${what} the journal, which ${this.#writer.name} has taken over`)
      }
    }
    const before = (call: ChangingCall, about: string): void => {
      this.#world.effect(process)
      this.#world.log.push(`${this.#world.now.toFixed(1)} ${process.name}: ${call} ${about}`)
      this.#failIfDue(call)
    }
    const perform: Pick<StoreFiles, 'write' | 'datasync' | 'rename' | 'syncFolder'> = {
      write: (file, bytes, offset, length) => {
        if (isJournal(file)) owned('writes to')
        const isWhole = this.#world.random() >= 0.02
        const taken = files.write(file, bytes, offset, isWhole ? length : Math.ceil(length * this.#world.random()))
        const batch = this.#answered.get(process)
        if (taken === length && isJournal(file) && batch !== undefined) {
          this.#written.add(batch)
          this.#answered.delete(process)
        }
        return taken
      },
      datasync: (file) => {
        files.datasync(file)
        if (isJournal(file)) this.#durable = new Set(this.#written)
      },
      rename: (from, to) => {
        const isTaken = basename(to) === 'journal'
        if (isTaken && journals.size > 0) owned('replaces')
        files.rename(from, to)
        if (isTaken) this.#journals++
      },
      syncFolder: (path) => files.syncFolder(path),
    }
    const now = <Given extends unknown[], Result>(call: ChangingCall, act: (...given: Given) => Result) => {
      return (...given: Given): Result => {
        before(call, typeof given[0] === 'string' ? given[0] : `of file ${String(given[0])}`)
        return act(...given)
      }
    }
    const later = this.#laterOf(process, before)
    return {
      ...files,
      open: (path, flags) => {
        if (flags === 'r') alive()
        else this.#world.effect(process)
        const file = files.open(path, flags)
        if (basename(path) === 'journal' && flags === 'a+') {
          journals.set(file, this.#journals)
          this.#writer = process
        }
        return file
      },
      close: (file) => {
        alive()
        files.close(file)
      },
      read: (...given) => {
        alive()
        return files.read(...given)
      },
      list: (path) => {
        alive()
        return files.list(path)
      },
      size: (file) => {
        alive()
        return files.size(file)
      },
      identity: (path) => ({ inode: 'disk', path: `/disk/${path}` }),
      write: now('write', perform.write),
      datasync: now('datasync', perform.datasync),
      rename: now('rename', perform.rename),
      syncFolder: now('syncFolder', perform.syncFolder),
      unlink: now('unlink', files.unlink),
      truncate: now('truncate', (file, length) => {
        if (isJournal(file)) owned('truncates')
        files.truncate(file, length)
      }),
      link: now('link', (from, to) => {
        if (!this.#options.hasLinks) throw Object.assign(new Error('EPERM: no hard links here'), { code: 'EPERM' })
        files.link(from, to)
      }),
      later: this.#options.isLater
        ? {
            write: later('write', perform.write),
            datasync: later('datasync', perform.datasync),
            rename: later('rename', perform.rename),
            syncFolder: later('syncFolder', perform.syncFolder),
          }
        : undefined,
    }
  }

  /** Calls made beside the loop: the kernel may make them even if their process has died meanwhile. */
  #laterOf(process: SimulatedProcess, before: (call: ChangingCall, about: string) => void) {
    const world = this.#world
    return <Given extends unknown[], Result>(call: ChangingCall, act: (...given: Given) => Result) =>
      (...given: Given): Promise<Result> => {
        const files = this.#files
        return new Promise((resolve, reject) => {
          let isOver = false
          const died = (): void => reject(new Died(`${process.name} is dead`))
          const end = (tell: () => void): void => {
            isOver = true
            // It may die before it hears of it, and must let go of what all processes of the simulation share.
            world.after(world.between(0, 5), process, () => {
              process.onDeath.delete(died)
              tell()
            })
          }
          process.onDeath.add(died)
          try {
            before(call, `${given[0]} beside the loop`)
          } catch (error) {
            process.onDeath.delete(died)
            return reject(error)
          }
          world.after(world.between(0, 20), undefined, () => {
            // The power was cut, or the process died before the kernel began.
            if (files !== this.#files || isOver || (process.isDead && world.random() < 0.5)) return
            try {
              const result = act(...given)
              end(() => resolve(result))
            } catch (error) {
              end(() => reject(error))
            }
          })
        })
      }
  }

  #failIfDue(call: ChangingCall): void {
    const fault = this.#fault
    if (fault === undefined || fault.call !== call || fault.left-- > 0) return
    this.#fault = undefined
    this.#world.note(`${call} fails with ${fault.code}`)
    throw Object.assign(new Error(`${fault.code}: the simulated disk, ${call}`), { code: fault.code })
  }
}
