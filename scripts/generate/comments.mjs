// The doc comments of options, for what is made of them: a comment on a key of `table({ ... })` says what the option means.
import { readFileSync } from 'node:fs'
import ts from 'typescript'

/** Gives an option its comment; a bundle made with `readComments` needs it before all else. */
export const commented = 'globalThis.__commented = (type, comment) => ({ ...type, comment })'

/**
 * A plugin of esbuild: every option of a table has the doc comment of its key as `comment`.
 * @type {import('esbuild').Plugin}
 */
export const readComments = {
  name: 'comments of options',
  setup(building) {
    building.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
      contents: withComments(path, readFileSync(path, 'utf8')),
      loader: 'ts',
    }))
  },
}

/**
 * @param {string} path
 * @param {string} text
 */
function withComments(path, text) {
  if (!text.includes('table({')) return text
  /** @type {[number, string][]} */
  const insertions = []
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) {
      const comment = isOption(node) ? commentOf(node) : undefined
      if (comment !== undefined) insertions.push(...wrapped(node, comment))
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  const later = insertions.sort(([a], [b]) => b - a)
  return later.reduce((all, [at, added]) => all.slice(0, at) + added + all.slice(at), text)
}

/** @param {ts.Node} node */
function isOption({ parent: { parent } }) {
  return ts.isCallExpression(parent) && ts.isIdentifier(parent.expression) && parent.expression.text === 'table'
}

/**
 * @param {ts.Node} node
 * @returns {string | undefined}
 */
function commentOf(node) {
  const comment = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)?.comment
  return ts.getTextOfJSDocComment(comment)?.replaceAll(/\s+/g, ' ')
}

/**
 * @param {ts.PropertyAssignment | ts.ShorthandPropertyAssignment} property
 * @param {string} comment
 * @returns {[number, string][]}
 */
function wrapped(property, comment) {
  const end = `, ${JSON.stringify(comment)})`
  if (ts.isShorthandPropertyAssignment(property)) {
    return [[property.name.end, `: __commented(${property.name.text}${end}`]]
  }
  const { initializer } = property
  return [
    [initializer.getStart(), '__commented('],
    [initializer.end, end],
  ]
}
