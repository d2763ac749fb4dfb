import { basename, isAbsolute } from 'node:path'
import { invocation } from './invocation.ts'
import type { ReproduceRecord } from './reproduce-record.ts'
import { experiments, planOf } from './tables/index.ts'

/** The command that makes the same reproduction from nothing, where the files it names lie in the current folder. */
export function commandOf(folder: string, { settings, what }: ReproduceRecord): string {
  const { scale, subject = {}, ...rest } = settings
  const names = experiments.map(({ name }) => name)
  const isAll = names.every((name) => what.includes(name))
  const more = what.filter((name) => !names.includes(name))
  const words = isAll && more.length > 0 ? ['all', ...more] : isAll ? [] : what
  const { profile, seed } = planOf(settings)
  const options = { scale, ...rest, profile, seed, ...subject, out: basename(folder) }
  return invocation([...words, ...Object.entries(options).flatMap(optionWords)])
}

function optionWords([key, value]: readonly [string, unknown]): string[] {
  if (value === undefined || value === false) return []
  const option = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  if (value === true) return [option]
  const text = typeof value === 'object' ? JSON.stringify(value, (_, each) => portable(each)) : portable(String(value))
  return [option, text]
}

/** A file by its name, wherever it lies; anything else as it is. */
export function portable<T>(value: T): T | string {
  return typeof value === 'string' && isAbsolute(value) ? basename(value) : value
}
