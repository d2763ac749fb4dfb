import { type Started, start } from './zeroth.ts'

/** Starts `zeroth ui` for a folder and waits until it says where the page is. */
export async function serveUi(cwd: string, folder: string, ...options: string[]): Promise<[Started, string]> {
  const started = start(['ui', folder, '--json', ...options], { cwd })
  for (let i = 0; i < 1200 && !started.stdout().includes('\n'); i++) await pause(50)
  return [started, JSON.parse(started.stdout()).url]
}

/** The id that a page has for a work. */
export async function idOfWork(base: string, name: string): Promise<string> {
  const { rows } = (await (await fetch(`${base}api/works`)).json()) as { rows: { id: string; name: string }[] }
  return rows.find((row) => row.name === name)?.id as string
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
