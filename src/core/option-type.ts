/** What a type is made of, for those who read schemas. */
export type About =
  | { readonly type: 'number'; readonly whole?: boolean; readonly limits: Limits }
  | { readonly type: 'text'; readonly filled?: boolean }
  | { readonly type: 'flag' | 'numbers' | 'json' | 'function' | 'foreign' }
  | { readonly type: 'words'; readonly words: readonly (string | number)[] }
  | { readonly type: 'list'; readonly of: Type; readonly least: number }
  | { readonly type: 'tuple'; readonly of: readonly Type[] }
  | { readonly type: 'record'; readonly of: Type }
  | { readonly type: 'table'; readonly shape: Shape }
  | { readonly type: 'union'; readonly of: readonly Type[] }
  | { readonly type: 'part'; readonly kind: string }

/** The limits of a number: `above` and `below` exclude themselves. */
export interface Limits {
  readonly least?: number
  readonly most?: number
  readonly above?: number
  readonly below?: number
}

/** What else programs must know of an option. */
export interface Notes {
  readonly sentence?: string
  /** Whether it holds a path; `folder` where the spec's own folder is meant when it is left out. */
  readonly path?: true | 'folder'
  /** Whether it may hold secrets: errors do not show what was given. */
  readonly secret?: true
  /** Whether it is the objective of a spec, which is made after everything else is known. */
  readonly blackBox?: true
}

/** A type of values; what is read from a value may differ from it, as a list of numbers that is copied does. */
export interface Type<out Output = unknown, out Input = unknown> extends Notes {
  readonly about: About
  readonly optional?: boolean
  /** Makes what it is when left out. */
  readonly standard?: () => unknown
  readonly read: (value: unknown) => Output | Complaint
  /** For the compiler alone. */
  readonly types?: { readonly input: Input; readonly output: Output }
}

export type Shape = Readonly<Record<string, Type>>

/** What a program writes for a type, be it one of these or of a library that keeps to Standard Schema, as zod does. */
export type Input<Of> = Of extends {
  readonly '~standard': { readonly types?: { readonly input: infer In } | undefined }
}
  ? In
  : Of extends { readonly types?: { readonly input: infer In } }
    ? In
    : never

/** What is read from that. */
export type Output<Of> = Of extends {
  readonly '~standard': { readonly types?: { readonly output: infer Out } | undefined }
}
  ? Out
  : Of extends { readonly types?: { readonly output: infer Out } }
    ? Out
    : never

/** Whether two types are the same to the compiler: the same fields, each with the same type and optional in both or none. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** The options of something, by name; others are refused. */
export interface Table<Of extends Shape = Shape> extends Type<Fields<Of, 'output'>, Fields<Of, 'input'>> {
  readonly shape: Of
}

type Side = 'input' | 'output'
type On<Of, At extends Side> = At extends 'input' ? Input<Of> : Output<Of>
/** The fields of an object: what may be undefined may be left out. */
export type Fields<Of extends Shape, At extends Side> = {
  readonly [key in keyof Of as undefined extends On<Of[key], At> ? never : key]: On<Of[key], At>
} & {
  readonly [key in keyof Of as undefined extends On<Of[key], At> ? key : never]?: On<Of[key], At>
} extends infer All
  ? { [key in keyof All]: All[key] }
  : never

/** What is wrong with a value: what it must be, and where inside it. */
export class Complaint {
  constructor(
    readonly text: string,
    readonly path: readonly PropertyKey[] = [],
    /** Whether the value is of the right type and breaks only a rule of it: then this type is what was meant. */
    readonly near = false,
    /** The unknown option, and the known ones. */
    readonly unknown?: { readonly key: string; readonly known: readonly string[] },
  ) {}

  /** The same, seen from outside. */
  within(key: PropertyKey): Complaint {
    return new Complaint(this.text, [key, ...this.path], this.near, this.unknown)
  }
}
