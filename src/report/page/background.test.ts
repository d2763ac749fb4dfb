import { expect, test } from 'vitest'
import { parsed } from '../../../test/report/page-check.ts'
import { type Markup, textOf } from '../markup.ts'
import { groupedBy, machineSection, messageList } from './background.ts'

const texts = (markup: Markup, selector: string): (string | null)[] =>
  [...parsed(textOf(markup)).querySelectorAll(selector)].map(({ textContent }) => textContent)
const ranOn = (name: string, node: string) => ({ name, zeroth: '0.1.0', machine: [['node', node]] as const })

test('a message is said once, with the runs it came from where there are several', () => {
  const messages = [
    { text: 'too steep', name: 'a' },
    { text: 'too flat', name: 'b' },
    { text: 'too steep', name: 'b' },
    { text: 'too steep', name: 'b' },
  ]
  expect(texts(messageList(messages, 2), 'li')).toEqual(['too steep (a, b)', 'too flat (b)'])
  expect(texts(messageList(messages.slice(0, 1), 1), 'li')).toEqual(['too steep'])
  const many = Array.from({ length: 60 }, (_, i) => ({ text: String(i), name: 'a' }))
  expect(texts(messageList(many, 1), '.remark')).toEqual(['10 more messages are not shown.'])
})

test('a machine is shown once, with the runs it stands for where there are several machines', () => {
  const captions = (...runs: ReturnType<typeof ranOn>[]) => texts(machineSection(runs, 'run').content, 'caption')
  expect(captions(ranOn('a', '20'))).toEqual(['This run'])
  expect(captions(ranOn('a', '20'), ranOn('b', '20'))).toEqual(['All runs'])
  expect(captions(ranOn('a', '20'), ranOn('b', '22'), ranOn('c', '20'))).toEqual(['Runs a, c', 'Runs b'])
})

test('items are grouped in the order in which their groups first occur', () => {
  expect([...groupedBy(['b1', 'a1', 'b2'], (item) => item.slice(0, 1))]).toEqual([
    ['b', ['b1', 'b2']],
    ['a', ['a1']],
  ])
})
