import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { crewMember } from './crew.ts'
import { ZerothError } from './errors.ts'

/** A port whose other side is the test. */
class FakePort extends EventEmitter {
  readonly sent: { call: number; request: string }[] = []
  readonly references: string[] = []
  postMessage(message: unknown): void {
    this.sent.push(message as { call: number; request: string })
  }
  ref(): void {
    this.references.push('ref')
  }
  unref(): void {
    this.references.push('unref')
  }
}

function member(port = new FakePort()) {
  const events: unknown[] = []
  const died = (reason: object) => new ZerothError('query-failed', `died: ${JSON.stringify(reason)}`)
  return { port, events, crew: crewMember<string, number>(port, { onEvent: (event) => void events.push(event), died }) }
}

test('answers find their requests in any order, and other messages are events', async () => {
  const { port, events, crew } = member()
  const answers = Promise.all([crew.ask('a'), crew.ask('b')])
  expect(crew.pending).toBe(2)
  port.emit('message', { kind: 'note' })
  port.emit('message', { call: 1, answer: 11 })
  expect(port.references.at(-1)).toBe('ref')
  port.emit('message', { call: 0, answer: undefined })
  expect(await answers).toEqual([undefined, 11])
  expect(port.sent).toEqual([
    { call: 0, request: 'a' },
    { call: 1, request: 'b' },
  ])
  expect([events, crew.pending, port.references.at(-1)]).toEqual([[{ kind: 'note' }], 0, 'unref'])
})

test('the error of a member is that of one request', async () => {
  const { port, crew } = member()
  const [failed, fine] = [crew.ask('a'), crew.ask('b')]
  port.emit('message', { call: 0, error: { message: 'no', code: 'query-failed', unreached: true } })
  port.emit('message', { call: 1, answer: 1 })
  await expect(failed).rejects.toMatchObject({ code: 'query-failed', message: 'no', unreached: true })
  expect(await fine).toBe(1)
})

test.each([
  ['error', 'boom', 'died: {"error":"boom"}'],
  ['exit', 3, 'died: {"exitCode":3}'],
])('a member that dies (%s) fails its requests and all later ones, with one error', async (event, value, message) => {
  const { port, crew } = member()
  const requests = [crew.ask('a'), crew.ask('b')]
  port.emit(event, value)
  port.emit('exit', 1)
  for (const request of [...requests, crew.ask('c')]) await expect(request).rejects.toThrow(message)
  expect(port.sent).toHaveLength(2)
  port.emit('message', { call: 0, answer: 5 })
  expect(crew.pending).toBe(0)
})
