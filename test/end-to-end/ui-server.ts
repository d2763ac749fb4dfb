import { type Started, start } from './zeroth.ts'

/** The tokens of the servers that were started, by the address of the page. */
const tokens = new Map<string, string>()

/** Starts `zeroth ui` for a folder and waits until it says where the page is. Gives the address without the token. */
export async function serveUi(cwd: string, folder: string, ...options: string[]): Promise<[Started, string]> {
  const started = start(['ui', folder, '--json', ...options], { cwd })
  for (let i = 0; i < 1200 && !started.stdout().includes('\n'); i++) await pause(50)
  return [started, withoutToken(JSON.parse(started.stdout()).url)]
}

/** An address as it is after the page has taken the token out of it, which is kept for `entryOf`. */
export function withoutToken(address: string): string {
  const url = new URL(address)
  const token = url.searchParams.get('token') ?? ''
  url.search = ''
  tokens.set(url.href, token)
  return url.href
}

/** The address that opens the page at a place, with the token. */
export function entryOf(base: string, hash = ''): string {
  return `${base}?token=${tokenOf(base)}${hash}`
}

export function tokenOf(base: string): string {
  return tokens.get(base) ?? ''
}

/** The id that a page has for a work. */
export async function idOfWork(base: string, name: string): Promise<string> {
  const answer = await fetch(`${base}api/works`, { headers: { 'x-zeroth-token': tokenOf(base) } })
  const { rows } = (await answer.json()) as { rows: { id: string; name: string }[] }
  return rows.find((row) => row.name === name)?.id as string
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
