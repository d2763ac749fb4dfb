import { afterEach, expect, test, vi } from 'vitest'
import { output } from '../program.ts'
import { writeToOutput } from './export.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

async function* endless() {
  for (;;) yield Buffer.from('more')
}

test('what is written to stdout waits until it is read, and ends when nobody reads', async () => {
  const write = vi.spyOn(output, 'write').mockReturnValue(false)
  const work = writeToOutput(endless())
  await vi.waitFor(() => expect(write).toHaveBeenCalledTimes(1))
  output.emit('drain')
  await vi.waitFor(() => expect(write).toHaveBeenCalledTimes(2))
  output.emit('error', new Error('EPIPE'))
  await work
  expect(write).toHaveBeenCalledTimes(2)
})

test('a reader of stdout that leaves while nothing waits ends it, too', async () => {
  const write = vi.spyOn(output, 'write').mockImplementation(() => {
    if (write.mock.calls.length === 5) process.nextTick(() => output.emit('error', new Error('EPIPE')))
    return true
  })
  await writeToOutput(endless())
  expect(write).toHaveBeenCalledTimes(5)
})
