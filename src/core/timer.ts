/** The longest time a timer can wait, about 25 days; with a longer one it would fire at once. */
const longestWait = 2_147_483_647

/** Calls back after that many milliseconds; never, where no timer can wait so long. */
export function callAfter(milliseconds: number, callback: () => void): ReturnType<typeof setTimeout> | undefined {
  return milliseconds <= longestWait ? setTimeout(callback, milliseconds) : undefined
}
