/** A job that is asked for. */
export interface WantedJob {
  readonly id: string
  readonly data: object
  /** What goes beside it, if anything: made when it is sent, and again should the server lose it. */
  readonly payload: (() => Buffer) | undefined
  /** Where that is kept if other jobs need it, too: then it stays when this one is answered. */
  readonly sharedAt?: string | undefined
  /** Told what the worker says of how far it is. */
  readonly onProgress?: ((said: unknown) => void) | undefined
  /** Whether an earlier process of the same run may have asked for it already: its answer may be there. */
  readonly mayBeThere: boolean
}
