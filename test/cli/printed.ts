import { vi } from 'vitest'
import { output } from '../../src/app/cli/program.ts'

/** What some work printed to stdout, and what it returned. */
export async function printed<T>(work: () => T | Promise<T>): Promise<{ text: string; value: T }> {
  let text = ''
  const spy = vi.spyOn(output, 'write').mockImplementation((data) => {
    text += String(data)
    return true
  })
  try {
    const value = await work()
    return { text, value }
  } finally {
    spy.mockRestore()
  }
}
