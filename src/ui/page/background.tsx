import { settingsOf } from '../../report/run/run-groups.ts'
import type { WorkDetail } from '../api.ts'
import { Copyable, Section } from './elements.tsx'
import { warnings } from './store.ts'
import { bytesText } from './text.ts'

/** Settings that are shown. */
const mostSettings = 200

/** What the reader should know. */
export function Warnings({ id, detail }: { readonly id: string; readonly detail: WorkDetail }) {
  const all = [...new Set([...detail.warnings, ...(warnings.value.get(id) ?? [])])]
  if (all.length === 0) return null
  return (
    <Section title="Warnings">
      <ul class="warnings">
        {all.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Section>
  )
}

/** The settings of a work, how to run it again, and its files. */
export function Background({ id, detail }: { readonly id: string; readonly detail: WorkDetail }) {
  return (
    <>
      <Settings spec={detail.spec} />
      {Object.keys(detail.spec).length > 0 && <RunAgain id={id} detail={detail} />}
      <Files detail={detail} />
    </>
  )
}

function RunAgain({ id, detail }: { readonly id: string; readonly detail: WorkDetail }) {
  return (
    <Section title="Run it again">
      <p>
        Save{' '}
        <a href={`api/works/${id}/spec`} download="spec.json">
          spec.json
        </a>{' '}
        (what may be secret is left out) and run
      </p>
      <Copyable text={detail.command} />
      {detail.run?.hash !== undefined && (
        <p class="remark">
          With the same answers, the points are the same to the last bit: <code class="hash">{detail.run.hash}</code>
        </p>
      )}
    </Section>
  )
}

function Settings({ spec }: { readonly spec: WorkDetail['spec'] }) {
  const settings = [...settingsOf(spec)].slice(0, mostSettings)
  if (settings.length === 0) return null
  return (
    <Section title="Settings">
      <dl class="facts">
        {settings.map(([path, { text }]) => (
          <div key={path}>
            <dt>
              <code>{path}</code>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

function Files({ detail: { files, zeroth, machine } }: { readonly detail: WorkDetail }) {
  const about = Object.entries(machine ?? {}).map(([name, value]) => [name, String(value)] as const)
  return (
    <Section title="Files and machine">
      <dl class="facts">
        {files.map(({ name, bytes }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{bytesText(bytes)}</dd>
          </div>
        ))}
        {[['zeroth', zeroth ?? 'unknown'] as const, ...about].map(([name, value]) => (
          <div key={`machine ${name}`}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
