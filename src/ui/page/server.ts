/** What lets the page change something; empty where it may not. */
const token = document.querySelector<HTMLMetaElement>('meta[name="zeroth-token"]')?.content ?? ''

/** Whether the page may stop and resume works. */
export const mayControl = token !== ''

/** Asks the server for something. */
export async function get<Answer>(path: string, params: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  const text = query.toString()
  return answerOf(await fetch(`api/${path}${text === '' ? '' : `?${text}`}`, { cache: 'no-store' }))
}

/** Has the server do something. */
export async function post<Answer>(path: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-zeroth-token': token }
  return answerOf(await fetch(`api/${path}`, { method: 'POST', headers, body: '{}' }))
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  const answer = await response.json().catch(() => ({ error: `the server answered ${response.status}` }))
  if (!response.ok) throw new Error(answer.error ?? `the server answered ${response.status}`)
  return answer
}

/** The address of a picture of an image. */
export function pictureUrl(id: string, index: number, name: string): string {
  return `api/works/${id}/items/${index}/${name}`
}
