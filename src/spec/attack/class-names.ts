import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { option, optional } from '../../core/options.ts'
import { filledText, listOf, union, wholeFrom } from '../../core/schema.ts'
import { classNumber, type Dataset, parseClassNames } from '../../datasets/index.ts'
import { embeddedClassNames } from '../../embedded/index.ts'
import { below, failAt, type Place, within } from '../place.ts'
import type { Json, JsonObject } from '../plain-data.ts'
import { embeddedNameOf, type SpecPlace } from './written-model.ts'

/** What classes are called, and a class by its number or its name. */
export const classOptions = {
  classNames: optional(
    union(filledText, listOf(filledText, 1)),
    'names of the classes: a file (a name per line, CSV index,name, or JSON), or a list; those of the images or the model if left out',
  ),
  class: optional(
    union(wholeFrom(0), option(filledText, 'its name')),
    'attack only images of this class, by its number or its name; all classes if left out',
  ),
  target: optional(
    union(wholeFrom(0), option(filledText, '"next", or its name')),
    'the class every image is to be taken for, by its number or its name, or "next" for the class after its own; any other if left out',
  ),
}

/** Bytes of a file of names at most. */
const largest = 4_000_000

/** The names that a spec gives as a list: those of its file, where it names one. */
export function writtenClassNames({ classNames }: JsonObject, { folder, place }: SpecPlace): Json | undefined {
  if (typeof classNames !== 'string') return classNames
  const file = isAbsolute(classNames) ? classNames : resolve(folder, classNames)
  return within(below(place, 'classNames'), () => parseClassNames(readNames(file), classNames))
}

function readNames(file: string): string {
  const info = statSync(file, { throwIfNoEntry: false })
  if (info === undefined) throw new Error(`there is no file ${file}`)
  if (!info.isFile()) throw new Error(`${file} is not a file`)
  if (info.size > largest) throw new Error(`${file} has ${info.size} bytes, at most ${largest} are allowed`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    throw error instanceof TypeError ? new Error(`${file} is not UTF-8 text`) : error
  }
}

/** Images whose classes are numbered as the model numbers them, and what they are called. */
export function namedImages(dataset: Dataset, spec: JsonObject, classes: number, place: Place): Dataset {
  const given = spec.classNames as readonly string[] | undefined
  if (given !== undefined && given.length !== classes) {
    const hint = 'there must be one for each class the model answers with, and no other'
    throw failAt(
      below(place, 'classNames'),
      ` has ${given.length} names, but the model has ${classes} classes: ${hint}`,
    )
  }
  const own = dataset.classNames
  // Images that ship with the package have the numbers of their own; their names are for people.
  if (given !== undefined && typeof spec.images === 'string') return { ...dataset, classNames: given }
  if (given !== undefined) return { ...numbered(dataset, given, below(place, 'images')), classNames: given }
  const embedded = embeddedNameOf(spec.model as JsonObject)
  const known = embedded === undefined ? undefined : embeddedClassNames(embedded)
  if (known !== undefined && (own ?? []).every((name) => known.includes(name))) {
    return { ...numbered(dataset, known, below(place, 'images')), classNames: known }
  }
  return { ...dataset, classNames: own?.length === classes ? own : namesByNumber(dataset, classes) }
}

/** The names that a table of images has beside the numbers of its classes; empty for classes that are not in it. */
function namesByNumber({ labelNames }: Dataset, classes: number): string[] | undefined {
  return labelNames && Array.from({ length: classes }, (_, index) => labelNames.get(index) ?? '')
}

/** Images that are labelled by name get the numbers that those names have in a list. */
function numbered(dataset: Dataset, names: readonly string[], place: Place): Dataset {
  const { classNames: own } = dataset
  if (own === undefined) return dataset
  const numbers = own.map((name) => within(place, () => classNumber(name, names)))
  return {
    ...dataset,
    label(index) {
      const label = dataset.label(index)
      return label === undefined ? undefined : numbers[label]
    },
  }
}

/** A spec whose class and target are numbers. */
export function numberedClasses(spec: JsonObject, names: readonly string[] | undefined, place: Place): JsonObject {
  const made = ['class', 'target'].flatMap((key): [string, Json][] => {
    const value = spec[key]
    if (typeof value !== 'string' || (key === 'target' && value === 'next')) return []
    const at = below(place, key)
    if (names !== undefined) return [[key, within(at, () => classNumber(value, names))]]
    const hint = 'the classes have no names, give them with classNames (--class-names)'
    throw failAt(at, ` must be the number of a class${key === 'target' ? ' or next' : ''}, got ${value}: ${hint}`)
  })
  return { ...spec, ...Object.fromEntries(made) }
}
