import { html, type Markup, type Piece } from '../markup.ts'
import { shortened, someNames } from '../number-text.ts'
import type { Section } from './document.ts'
import { factTable, moreThanShown } from './elements.ts'

const mostMessages = 50
const longestMessage = 600
const mostMachines = 12

/** Something that was said, and by which run. */
export interface Message {
  readonly text: string
  readonly name: string
}

/** Each message once, with the runs it came from where there are several. */
export function messageList(messages: readonly Message[], runs: number): Markup {
  const named = groupedBy(messages, ({ text }) => text)
  const items = [...named].slice(0, mostMessages).map(([text, those]) => {
    const names = someNames([...new Set(those.map(({ name }) => name))])
    return html`<li>${shortened(text, longestMessage)}${runs === 1 ? undefined : html` <small>(${names})</small>`}</li>\n`
  })
  return html`<ul>\n${items}</ul>\n${moreThanShown(named.size - mostMessages, 'messages are not shown.')}`
}

/** What a run ran on. */
export interface RanOn {
  readonly name: string
  /** The version of zeroth. */
  readonly zeroth: string
  readonly machine: readonly (readonly [string, Piece])[]
}

/** Versions and machines, each combination once with the runs it stands for; `kind` is what a run is called. */
export function machineSection(runs: readonly RanOn[], kind: string): Section {
  const places = [...groupedBy(runs, ({ zeroth, machine }) => JSON.stringify([zeroth, machine])).values()]
  const all = runs.length === 1 ? `This ${kind}` : `All ${kind}s`
  const caption = (those: readonly RanOn[]): string =>
    places.length === 1 ? all : `${kind[0]?.toUpperCase()}${kind.slice(1)}s ${someNames(those.map(({ name }) => name))}`
  const tables = places.slice(0, mostMachines).map((those) => {
    const { zeroth, machine } = those[0] as RanOn
    return factTable(caption(those), [['zeroth', zeroth], ...machine])
  })
  const content = html`<div class="cards">${tables}</div>
${moreThanShown(places.length - mostMachines, 'machines are not shown.')}`
  return { id: 'machine', title: 'Machine and versions', content }
}

/** How to get the same numbers again. */
export function reproduceSection(content: Markup): Section {
  return { id: 'reproduce', title: 'How to reproduce', content }
}

/** Items by what they have in common, in the order in which that first occurs. */
export function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
