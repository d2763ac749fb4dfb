import { afterEach } from 'vitest'

/** Remembers what a test opened and closes it afterwards. */
export function keeper<T extends { close(): unknown }>(): <S extends T>(opened: S) => S {
  const open: T[] = []
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()))
  })
  return (opened) => {
    open.push(opened)
    return opened
  }
}
