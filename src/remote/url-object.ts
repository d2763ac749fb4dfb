import * as z from 'zod/mini'
import { tested } from '../core/options.ts'

/** A URL object, kept as its text. */
export const urlObject = z.pipe(
  tested<URL>((value) => value instanceof URL, 'must be a URL'),
  z.transform((url) => url.href),
)
