import { mapped, tested } from '../core/schema.ts'

/** A URL object, kept as its text. */
export const urlObject = mapped(
  tested<URL>((value) => value instanceof URL, 'must be a URL'),
  (url) => url.href,
)
