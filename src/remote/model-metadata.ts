import { isObject, oddReply } from './inference-reply.ts'
import { shownReply } from './shown-reply.ts'
import type { TensorMetadata } from './tensor.ts'

/** What a server says about itself. */
export interface ServerMetadata {
  readonly name: string
  readonly version: string
  readonly extensions: readonly string[]
}

/** What a server says about a model. */
export interface ModelMetadata {
  readonly name: string
  readonly versions: readonly string[]
  readonly platform: string
  readonly inputs: readonly TensorMetadata[]
  readonly outputs: readonly TensorMetadata[]
}

/** Reads the reply of a server about itself; what servers leave out is empty. */
export function serverMetadata(reply: Record<string, unknown>): ServerMetadata {
  const { name, version, extensions } = reply
  return { name: text(name), version: text(version), extensions: texts(extensions) }
}

/** Reads the reply of a server about a model; what servers leave out is empty. */
export function modelMetadata(reply: Record<string, unknown>): ModelMetadata {
  const { name, versions, platform, inputs, outputs } = reply
  return {
    name: text(name),
    versions: texts(versions),
    platform: text(platform),
    inputs: tensors(inputs, 'inputs'),
    outputs: tensors(outputs, 'outputs'),
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

function tensors(value: unknown, field: string): TensorMetadata[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw oddReply(`has ${field} that are ${shownReply(value)} instead of a list`)
  return value.map((each, index) => tensor(each, `${field}[${index}]`))
}

function tensor(value: unknown, where: string): TensorMetadata {
  const { name, datatype, shape } = isObject(value) ? value : {}
  if (typeof name !== 'string' || typeof datatype !== 'string') {
    throw oddReply(`has ${where} without a name or without a datatype`)
  }
  if (Array.isArray(shape) && shape.every(isSize)) return { name, datatype, shape: shape.slice() }
  throw oddReply(`has ${where}.shape that is no list of sizes (whole numbers, -1 where they vary)`)
}

function isSize(size: unknown): boolean {
  return Number.isSafeInteger(size) && (size as number) >= -1
}
