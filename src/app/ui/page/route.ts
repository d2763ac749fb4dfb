import { signal } from '@preact/signals'

/** What the address says: which screen, and how it is set. */
export interface Route {
  readonly screen: 'jobs' | 'job' | 'image' | 'compare' | 'unknown'
  readonly id: string
  readonly index: number
  readonly params: URLSearchParams
}

/** The screen that is shown. */
export const route = signal(parseRoute(location.hash))

let writing: ReturnType<typeof setTimeout> | undefined

addEventListener('hashchange', () => {
  clearTimeout(writing)
  route.value = parseRoute(location.hash)
})

/** Reads the part of an address behind its hash. */
function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [head = '', id = '', what, index] = path.split('/').map(decoded)
  const base = { id, index: Number(index ?? 0), params: new URLSearchParams(query) }
  if (head === '') return { ...base, screen: 'jobs' }
  if (head === 'compare') return { ...base, screen: 'compare' }
  if (head !== 'job' || id === '') return { ...base, screen: 'unknown' }
  if (what !== 'image') return { ...base, screen: 'job' }
  return { ...base, screen: /^\d{1,9}$/.test(index ?? '') ? 'image' : 'unknown' }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The address of a job. */
export function jobHref(id: string): string {
  return `#/job/${encodeURIComponent(id)}`
}

/** The address of an image of an evaluation. */
export function imageHref(id: string, index: number): string {
  return `${jobHref(id)}/image/${index}`
}

/** The address of a comparison. */
export function compareHref(ids: readonly string[]): string {
  return `#/compare?ids=${ids.map(encodeURIComponent).join(',')}`
}

/**
 * Changes how the screen is set; what is undefined or empty leaves the address. What changes with every key that is held
 * down is written after a moment: browsers count how often an address changes.
 */
export function setParams(changes: Readonly<Record<string, string | undefined>>, milliseconds = 0): void {
  const params = new URLSearchParams(route.value.params)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') params.delete(name)
    else params.set(name, value)
  }
  route.value = { ...route.value, params }
  clearTimeout(writing)
  if (milliseconds === 0) writeParams()
  else writing = setTimeout(writeParams, milliseconds)
}

function writeParams(): void {
  const path = location.hash.split('?')[0] || '#/'
  const query = route.value.params.toString()
  history.replaceState(null, '', query === '' ? path : `${path}?${query}`)
}
