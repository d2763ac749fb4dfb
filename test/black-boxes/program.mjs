// A program that serves one of the boxes over JSON lines: node program.mjs <box>
import { createInterface } from 'node:readline'
import { boxes, onTheWire } from './boxes.mjs'

const box = boxes[process.argv[2] ?? 'bowl'] ?? boxes.bowl

for await (const line of createInterface({ input: process.stdin })) {
  const { id, x } = JSON.parse(line)
  try {
    const value = box?.(x)
    if (value instanceof Promise) await new Promise((resolve) => setTimeout(resolve, 60_000))
    console.log(JSON.stringify({ id, value: onTheWire(value) }))
  } catch (error) {
    console.log(JSON.stringify({ id, error: String(error) }))
  }
}
