import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { compileSpec, type JsonObject } from '../../src/app/spec/index.ts'

/** An empty folder for the tests of a file; it is gone after them. */
export function cliFolder(): (...parts: readonly string[]) => string {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-cli-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return (...parts) => join(folder, ...parts)
}

/** A small problem, with every default filled in. */
export function smallSpec(changes: JsonObject = {}): JsonObject {
  const solver = { name: 'zo-adamm', directions: 3 }
  return compileSpec({ objective: 'rosenbrock', dim: 3, solver, maxQueries: 100, ...changes }).resolved
}
