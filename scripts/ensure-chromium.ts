import { ensureProgram, type Found } from './ensure-program.ts'

/** Finds Chromium; where there is none and we may, installs Debian's. */
export function ensureChromium(): Found {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  return ensureProgram({ called: 'Chromium', names, debian: 'chromium' })
}
