import type { Plugin } from 'vite'
import { mutations } from './mutations.ts'

/** Plants one bug in the source as the tests load it; the files stay as they are. */
export function plantedBug(name: string | undefined): Plugin[] {
  if (name === undefined) return []
  const mutation = mutations.find((each) => each.name === name)
  if (mutation === undefined) throw new Error(`there is no mutation called ${name}`)
  const { find, replace } = mutation
  return [
    {
      name: 'planted-bug',
      enforce: 'pre',
      transform: (code, id) =>
        id.includes('/src/') && code.includes(find) ? code.replace(find, () => replace) : undefined,
    },
  ]
}
