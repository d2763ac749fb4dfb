/** Milliseconds for something to close; what is left then ends with the program. */
const patience = 3000

/** Closes an objective or a model, but does not wait for one that cannot be closed. */
export async function closeWithin(open: { close?: (() => Promise<unknown> | unknown) | undefined }): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patience)
  })
  await Promise.race([open.close?.(), enough]).finally(() => clearTimeout(timer))
}
