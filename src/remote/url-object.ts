import { z } from 'zod'

/** A URL object, kept as its text. */
export const urlObject = z
  .custom<URL>((value) => value instanceof URL, { error: 'must be a URL' })
  .transform((url) => url.href)
