/** How an input or output of a served model is declared; -1 stands for a size that may vary. */
export interface TensorMetadata {
  readonly name: string
  readonly datatype: string
  readonly shape: readonly number[]
}

/** The numbers of a tensor, one row after the other. */
export type TensorData =
  | Float64Array
  | Float32Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array

/** What a model is given or gives back. */
export interface Tensor extends TensorMetadata {
  readonly data: TensorData
}

/** What is known of a type of numbers. */
export interface Datatype {
  /** Bytes of a number on the wire. */
  readonly size: number
  readonly kind: 'float' | 'integer' | 'boolean'
  readonly make: (length: number) => TensorData
}

/** The types of numbers that can be sent and read; FP16 is read as float32 and not sent. */
export const datatypes: Readonly<Record<string, Datatype>> = {
  FP64: { size: 8, kind: 'float', make: (length) => new Float64Array(length) },
  FP32: { size: 4, kind: 'float', make: (length) => new Float32Array(length) },
  FP16: { size: 2, kind: 'float', make: (length) => new Float32Array(length) },
  INT64: { size: 8, kind: 'integer', make: (length) => new BigInt64Array(length) },
  INT32: { size: 4, kind: 'integer', make: (length) => new Int32Array(length) },
  INT16: { size: 2, kind: 'integer', make: (length) => new Int16Array(length) },
  INT8: { size: 1, kind: 'integer', make: (length) => new Int8Array(length) },
  UINT64: { size: 8, kind: 'integer', make: (length) => new BigUint64Array(length) },
  UINT32: { size: 4, kind: 'integer', make: (length) => new Uint32Array(length) },
  UINT16: { size: 2, kind: 'integer', make: (length) => new Uint16Array(length) },
  UINT8: { size: 1, kind: 'integer', make: (length) => new Uint8Array(length) },
  BOOL: { size: 1, kind: 'boolean', make: (length) => new Uint8Array(length) },
}

/** The type of that name, if it is one of numbers. */
export function datatypeOf(name: string): Datatype | undefined {
  return Object.hasOwn(datatypes, name) ? datatypes[name] : undefined
}

/** How many numbers a tensor of this shape holds. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1)
}
