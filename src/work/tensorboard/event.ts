import {
  bytesField,
  doubleField,
  type Message,
  message,
  packedDouble,
  packedFloat,
  textField,
  wholeField,
} from './protobuf.ts'

/** When something is shown: seconds since 1970, and the step. */
export interface Moment {
  readonly time: number
  readonly step: number
}

/** A picture as a PNG file. */
export interface EncodedPicture {
  readonly width: number
  readonly height: number
  readonly png: Uint8Array
}

/** Types of tensors (tensorflow/core/framework/types.proto). */
const [float32, float64, strings] = [1, 2, 7] as const

/** The first event of a file (tensorflow/core/util/event.proto). */
export function versionEvent(time: number): Message {
  return message(doubleField(1, time), textField(3, 'brain.Event:2'))
}

/** A number as a float64 tensor: the older field for numbers keeps 32 bits only. */
export function scalarEvent(tag: string, value: number, moment: Moment): Message {
  const scalar = message(wholeField(1, float64), shape(), packedDouble(6, value))
  return event(moment, tag, 'scalars', scalar)
}

/** A number as a float32 tensor, all that TensorBoard's fast loader reads. */
export function shortScalarEvent(tag: string, value: number, moment: Moment): Message {
  const scalar = message(wholeField(1, float32), shape(), packedFloat(5, value))
  return event(moment, tag, 'scalars', scalar)
}

/** A text, which TensorBoard takes for Markdown. */
export function textEvent(tag: string, text: string, moment: Moment): Message {
  return event(moment, tag, 'text', stringTensor([Buffer.from(text)], []))
}

/** A picture, with what is to be said about it in Markdown. */
export function pictureEvent(tag: string, picture: EncodedPicture, moment: Moment, description = ''): Message {
  const { width, height, png } = picture
  const parts = [Buffer.from(String(width)), Buffer.from(String(height)), png]
  return event(moment, tag, 'images', stringTensor(parts, [parts.length]), description)
}

function event({ time, step }: Moment, tag: string, plugin: string, tensor: Message, description = ''): Message {
  const metadata = message(bytesField(1, textField(1, plugin)), textField(3, description))
  const value = message(textField(1, tag), bytesField(8, tensor), bytesField(9, metadata))
  return message(doubleField(1, time), wholeField(2, step), bytesField(5, bytesField(1, value)))
}

function stringTensor(values: readonly Uint8Array[], sizes: readonly number[]): Message {
  return message(wholeField(1, strings), shape(...sizes), ...values.map((each) => bytesField(8, each)))
}

function shape(...sizes: readonly number[]): Message {
  return bytesField(2, message(...sizes.map((size) => bytesField(2, wholeField(1, size)))))
}
