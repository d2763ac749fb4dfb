import { parseHTML } from 'linkedom'

/** An empty document to draw charts into if there is no browser. */
export function drawingDocument(): Document {
  return parseHTML('<!doctype html><html><body></body></html>').document as unknown as Document
}
