import { html, type Markup, type Piece } from '../../../src/app/report/markup.ts'
import { secondsText } from '../../../src/app/report/number-text.ts'
import { factTable, pageTable } from '../../../src/app/report/page/elements.ts'
import {
  commitText,
  minuteText,
  type Progress,
  type Provenance,
  provenanceRows,
  type WorkSession,
} from './provenance.ts'

/** How the numbers were obtained, and the command that repeats them. */
export function provenanceSection(provenance: Provenance, progress: Progress): Markup {
  const rows = provenanceRows(provenance, progress).map(([name, text]): [Piece, Piece] => [
    name,
    text === provenance.sittings[0]?.command ? html`<code>${text}</code>` : text,
  ])
  return html`<section aria-labelledby="made"><h2 id="made">How it was made</h2>
<div class="made">${factTable('Recorded when the attacks ran', rows)}</div>
${provenance.sittings.length > 1 ? sessionsTable(provenance.sittings) : undefined}
<h3>How to repeat it</h3>
<p>Run from the folder of the files it names, this command gives the same numbers if the model gives the same answers. In the same folder it only redraws.</p>
<pre class="command"><code>${provenance.command}</code></pre></section>\n`
}

function sessionsTable(sessions: readonly WorkSession[]): Markup {
  const columns = [
    { title: 'began', cell: ({ began }: WorkSession) => minuteText(began) },
    {
      title: 'running time',
      numeric: true,
      cell: ({ seconds }: WorkSession) => (seconds > 0 ? secondsText(seconds) : '–'),
    },
    { title: 'attacks finished', numeric: true, cell: ({ attacks }: WorkSession) => String(attacks ?? '–') },
    { title: 'zeroth', cell: ({ zeroth }: WorkSession) => zeroth },
    { title: 'commit', cell: (session: WorkSession) => commitText(session) },
    { title: 'command', cell: ({ command = '–' }: WorkSession) => html`<code>${command}</code>` },
  ]
  return html`<div class="paper">${pageTable('Each session continues where the previous one stopped', columns, sessions)}</div>`
}
