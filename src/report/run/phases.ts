import type { Phase } from '../../core/types.ts'
import { html } from '../markup.ts'
import { shown } from '../number-markup.ts'
import type { Section } from '../page/document.ts'
import { type PageColumn, pageTable } from '../page/elements.ts'
import { hasLuckyAnswers, type RunData } from './run-data.ts'

/** What a method that chooses for itself did, phase by phase; undefined for other methods. */
export function runPhases(run: RunData): Section | undefined {
  const { result } = run
  if (result?.phases === undefined) return undefined
  const columns: PageColumn<Phase>[] = [
    { title: 'Method', cell: ({ method }) => method },
    { title: 'Queries', numeric: true, cell: ({ queries }) => shown.count(queries) },
    {
      title: hasLuckyAnswers(run) ? 'Lowest answer then' : 'Best value then',
      numeric: true,
      cell: ({ value }) => shown.value(value),
    },
    { title: 'Why', cell: ({ why }) => html`<span class="reason">${why}</span>` },
  ]
  const content = pageTable('What the method chose, and why', columns, result.phases)
  return { id: 'phases', title: 'What it did', content }
}
