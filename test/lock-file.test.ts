import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Locked {
  readonly integrity?: string
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly resolved?: string
}

function installedBy(file: string): [string, Locked][] {
  const { packages } = JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>
  }
  return Object.entries(packages).filter(([path]) => path !== '')
}

test.each([
  ['package-lock.json', 300, 25],
  ['site/package-lock.json', 150, 0],
])('every package that can be installed here has its hash in %s', (file, most, unknown) => {
  const installed = installedBy(file)
  const bare = installed.filter(([, { integrity }]) => integrity === undefined)
  // Binaries for other machines are optional, and not every registry has them.
  expect(bare.filter(([, { optional, os, cpu }]) => !(optional && (os ?? cpu))).map(([path]) => path)).toEqual([])
  // The registry that they were locked with had no more hashes.
  expect(bare.length).toBeLessThanOrEqual(unknown)
  expect(installed.filter(([, { integrity }]) => integrity?.startsWith('sha512-')).length).toBeGreaterThan(most)
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})
