import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { modeOf, watcher } from './watch.ts'

describe('progress is shown', () => {
  test.each([
    ['live on a terminal', {}, true, {}, 'live'],
    ['not where stderr is no terminal', {}, false, {}, 'none'],
    ['not with --no-progress', { progress: false }, true, {}, 'none'],
    ['not with --json', { json: true }, true, {}, 'none'],
    ['not in CI', {}, true, { CI: 'true' }, 'none'],
    ['where CI is empty or false', {}, true, { CI: 'false' }, 'live'],
    ['not on a dumb terminal', {}, true, { TERM: 'dumb' }, 'none'],
    ['as lines with --verbose, wherever that goes', { verbose: true, json: true }, false, { CI: '1' }, 'lines'],
    ['not with --quiet, even if verbose', { quiet: true, verbose: true }, true, {}, 'none'],
  ] as const)('%s', (_, flags, isTerminal, environment, mode) => {
    expect(modeOf(flags, isTerminal, environment)).toBe(mode)
  })
})

describe('the watcher', () => {
  const line = { text: () => 'iteration 1  queries 11  best 2.00000' }
  let written = ''
  const write = (text: string): void => {
    written += text
  }
  const screen = { isTTY: true, columns: 40, write }

  beforeEach(() => {
    written = ''
    vi.useFakeTimers()
    vi.stubEnv('CI', '')
    vi.stubEnv('TERM', 'xterm')
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllEnvs()
  })

  test('redraws one line ten times a second and clears it before anything else is said', () => {
    const watching = watcher({}, screen)
    const hide = watching.display(line)
    expect(written).toBe('')
    vi.advanceTimersByTime(200)
    expect(written).toBe('\r\x1b[Kiteration 1  queries 11  best 2.00000'.repeat(2))
    written = ''
    watching.say('something')
    expect(written).toBe('\r\x1b[Ksomething\n')
    hide()
    written = ''
    vi.advanceTimersByTime(1000)
    expect(written).toBe('')
    watching.close()
  })

  test('writes a line every two seconds where it is verbose', () => {
    const watching = watcher({ verbose: true }, screen)
    const hide = watching.display(line)
    vi.advanceTimersByTime(4100)
    expect(written).toBe('iteration 1  queries 11  best 2.00000\n'.repeat(2))
    hide()
    watching.close()
  })

  test('keeps quiet but for what went wrong', () => {
    const watching = watcher({ quiet: true }, screen)
    watching.display(line)
    vi.advanceTimersByTime(1000)
    watching.say('not worth saying')
    expect(written).toBe('')
    watching.warn('zeroth: it failed')
    expect(written).toBe('zeroth: it failed\n')
    watching.close()
  })
})
