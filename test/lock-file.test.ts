import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Locked {
  readonly integrity?: string
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly resolved?: string
}

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Readonly<Record<string, Locked>>
}
const installed = Object.entries(lock.packages).filter(([path]) => path !== '')

test('every package that can be installed here has its hash in the lock file', () => {
  // Binaries for other machines are optional, and not every registry has them.
  const bare = installed.filter(
    ([, { integrity, optional, os, cpu }]) => integrity === undefined && !(optional && (os ?? cpu)),
  )
  expect(bare.map(([path]) => path)).toEqual([])
  expect(installed.filter(([, { integrity }]) => integrity?.startsWith('sha512-')).length).toBeGreaterThan(300)
})

test('the lock file names no registry', () => {
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})
