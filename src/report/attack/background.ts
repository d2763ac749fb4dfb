import { html, type Markup } from '../markup.ts'
import { factTable, type PageColumn, pageTable } from '../page/table.ts'
import type { AttackRun, SettingRows } from './attack-run.ts'
import { nameColumns } from './comparison-tables.ts'

/** What a page says of how its numbers came about. */
export interface Background {
  /** Names and values: model, images, budget, seed and so on. */
  readonly settings: SettingRows
  readonly machine: Readonly<Record<string, string>>
  /** When the evaluation was made, as ISO text. */
  readonly created: string
  /** The version of zeroth that made it. */
  readonly zeroth: string
  /** What reruns it. */
  readonly command: string
}

/** Settings, machine, how to get the same numbers again, and what they are for. */
export function background(data: Background, runs: readonly AttackRun[]): Markup {
  const machine = [['zeroth', data.zeroth] as const, ...Object.entries(data.machine)]
  return html`<section aria-labelledby="settings"><h2 id="settings">Settings</h2>
${ownSettings(runs)}<div class="wide">${factTable('Evaluation', data.settings.map(named))}</div></section>
<section aria-labelledby="machine"><h2 id="machine">Machine and versions</h2>
<div class="wide">${factTable('This evaluation', machine)}</div></section>
<section aria-labelledby="reproduce"><h2 id="reproduce">How to reproduce</h2>
<p>The same command gives the same numbers, as long as the model gives the same answers.</p>
<pre class="command"><code>${data.command}</code></pre></section>
<section aria-labelledby="use"><h2 id="use">Responsible use</h2>
<p>These pictures and numbers are for finding out and improving how robust a model is: attack only models that are yours or that you have been asked to test, and tell their owners what you find.</p></section>\n`
}

function named([name, value]: readonly [string, string]): readonly [Markup, string] {
  return [html`${name}`, value]
}

/** A table of what each method alone was set to. */
function ownSettings(runs: readonly AttackRun[]): Markup | undefined {
  const names = [...new Set(runs.flatMap(({ settings = [] }) => settings.map(([name]) => name)))]
  if (names.length === 0) return undefined
  const settingOf = (run: AttackRun, name: string) => run.settings?.find(([each]) => each === name)?.[1] ?? '–'
  const columns: PageColumn<AttackRun>[] = [
    ...nameColumns(runs),
    ...names.map((name) => ({ title: name, cell: (run: AttackRun) => settingOf(run, name) })),
  ]
  return pageTable('Settings of each method', columns, runs)
}
