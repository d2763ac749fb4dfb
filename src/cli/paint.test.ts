import { expect, test } from 'vitest'
import { paint } from './paint.ts'

const terminal = { isTTY: true }

test('paints on terminals only, and never against NO_COLOR', () => {
  expect(paint(terminal, {}).red('x')).toBe('\x1b[31mx\x1b[39m')
  expect(paint({}, {}).red('x')).toBe('x')
  expect(paint(terminal, { TERM: 'dumb' }).red('x')).toBe('x')
  expect(paint(terminal, { NO_COLOR: '1' }).red('x')).toBe('x')
  expect(paint({}, { FORCE_COLOR: '1' }).red('x')).toBe('\x1b[31mx\x1b[39m')
  expect(paint({}, { FORCE_COLOR: '1', NO_COLOR: '1' }).red('x')).toBe('x')
})
