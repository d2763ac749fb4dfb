import { signal } from '@preact/signals'

const said = signal('')

/** Says something to those who do not see the page. */
export function announce(text: string): void {
  said.value = text
}

/** Where it is said. */
export function LiveRegion() {
  return (
    <div class="unseen" role="status" aria-live="polite">
      {said.value}
    </div>
  )
}
