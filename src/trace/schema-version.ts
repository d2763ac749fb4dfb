import { show, ZerothError } from '../core/errors.ts'

/** A JSON object as it was read, before anything is known about it. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Brings a file from one schema version to the next; there is no way back. */
export type Migration = (old: JsonObject) => JsonObject

/** Refuses what a newer zeroth wrote: guessing what its fields mean could give a wrong result. */
export function checkVersion(path: string, found: unknown, known: number): void {
  if (typeof found !== 'number' || !Number.isInteger(found) || found < 1) {
    throw new ZerothError('invalid-run', `${path}: the schema version is ${show(found)}, not a count`)
  }
  if (found > known) {
    const advice = 'it was written by a newer zeroth: update this one'
    throw new ZerothError(
      'invalid-run',
      `${path} has schema version ${found}, this zeroth reads up to ${known}; ${advice}`,
    )
  }
}

/** Applies the migrations from the version found to the newest; `migrations[0]` leads from version 1 to 2. */
export function migrated(path: string, found: JsonObject, migrations: readonly Migration[]): JsonObject {
  checkVersion(path, found.version, migrations.length + 1)
  return migrations.slice((found.version as number) - 1).reduce((each, migrate) => migrate(each), found)
}
