import type { PeerCommand } from './peer-process.ts'

/** What a program says of each of its methods. */
export interface PeerOffer {
  readonly name: string
  readonly package: string
  /** Null where the package is not installed. */
  readonly version: string | null
}

/** A process of the program, and what it said first. */
interface Started<Process, Offer> {
  readonly process: Process
  readonly offers: readonly Offer[]
}

/** A line to a program, which is started anew after it was ended. */
export interface PeerLine<Process> {
  process(): Promise<Process>
  end(): Promise<void>
}

/** What a program has, why it lacks something, and the line to it. */
export interface OpenedLine<Process, Offer> {
  readonly offers: readonly Offer[]
  readonly missing: readonly string[]
  readonly line: PeerLine<Process>
}

/** Small matrices, rows of a few images: more threads only wait for each other. */
export const oneThread = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' }

/** Starts a program and asks what it has; one that does not start is no error. */
export async function openLine<Process extends { end(): void }, Offer extends PeerOffer>(
  program: PeerCommand,
  start: (program: PeerCommand) => Promise<Started<Process, Offer>>,
): Promise<OpenedLine<Process, Offer>> {
  let running: Promise<Started<Process, Offer>> | undefined
  const open = (): Promise<Started<Process, Offer>> => {
    running ??= start(program)
    return running
  }
  const line = {
    process: async () => (await open()).process,
    async end() {
      const at = running
      running = undefined
      ;(await at?.catch(() => undefined))?.process.end()
    },
  }
  try {
    const { offers } = await open()
    const absent = offers.filter(({ version }) => version === null)
    return {
      offers: offers.filter(({ version }) => version !== null),
      missing: absent.map((offer) => `${offer.name}: ${offer.package} is not installed`),
      line,
    }
  } catch (error) {
    return { offers: [], missing: [`${program.args[0] ?? program.command}: ${(error as Error).message}`], line }
  } finally {
    // It starts again when it is needed: nothing waits for a program of which nothing is used.
    await line.end()
  }
}
