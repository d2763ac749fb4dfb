import { html, type Markup } from '../markup.ts'
import type { RunGroup } from '../run/run-groups.ts'

/** The name of a group behind a sample of its line. */
export function groupName({ label, style }: Pick<RunGroup, 'label' | 'style'>): Markup {
  return html`<span class="group"><svg width="18" height="8" aria-hidden="true"><line x1="0" x2="18" y1="4" y2="4" stroke="${style.color}" stroke-width="3" stroke-dasharray="${style.dash ?? 'none'}"/></svg> ${label}</span>`
}
