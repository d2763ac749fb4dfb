import { useEffect, useRef, useState } from 'preact/hooks'
import { settingsOf } from '../../report/run/runs.ts'
import type { JobDetail, JobView } from '../api.ts'
import { announce, Copyable, Missing, Notice, Section, StateBadge, Tags } from './elements.tsx'
import { EvaluationView } from './evaluation-view.tsx'
import { MembersView } from './members-view.tsx'
import { jobHref } from './route.ts'
import { RunView } from './run-view.tsx'
import { get, keepRows, mayControl, post, rows, useFetched, useMessages, warnings } from './store.ts'
import { bytesText, dateText, doneShare, kindText, stopText } from './text.ts'

/** Milliseconds in which images that get done are gathered before their summary is fetched again. */
const patience = 1000

/** One job: what it is, how far it is, what it has found. */
export function JobScreen({ id }: { readonly id: string }) {
  const state = rows.value.get(id)?.state
  const members = [...rows.value.values()].filter(({ parent }) => parent === id).map(({ state: each }) => each)
  const { value, error, reload } = useFetched(`work ${id} ${state} ${members.join()}`, async () => {
    const detail = await get<JobDetail>(`works/${id}`)
    keepRows([detail.job, ...(detail.members ?? [])])
    return detail
  })
  useItemsDone(id, reload)
  const row = rows.value.get(id) ?? value?.job
  useAnnouncements(row)
  useEffect(() => {
    document.title = row === undefined ? 'zeroth' : `${row.name} · zeroth`
  }, [row?.name])
  if (row === undefined || value === undefined) {
    return error === undefined ? <p class="remark">Loading…</p> : <Missing error={error} />
  }
  return (
    <>
      <Head row={row} detail={value} />
      <Warnings id={id} detail={value} />
      {row.problem !== undefined && <Notice isError>{row.problem}</Notice>}
      {row.state === 'failed' && row.reason !== undefined && <Notice isError>It failed: {stopText(row.reason)}</Notice>}
      {row.state !== 'damaged' && <View row={row} detail={value} />}
      <Background id={id} detail={value} />
    </>
  )
}

function View({ row, detail }: { readonly row: JobView; readonly detail: JobDetail }) {
  if (row.kind === 'run') return <RunView row={row} detail={detail} />
  if (row.kind === 'evaluation') return <EvaluationView row={row} detail={detail} />
  return <MembersView row={row} detail={detail} />
}

function Head({ row, detail }: { readonly row: JobView; readonly detail: JobDetail }) {
  const parent = row.parent === undefined ? undefined : rows.value.get(row.parent)
  return (
    <header class="head">
      <nav aria-label="Where this is">
        <a href="#/">Jobs</a>
        {row.parent !== undefined && (
          <>
            {' / '}
            <a href={jobHref(row.parent)}>{parent?.name ?? 'the whole'}</a>
          </>
        )}
      </nav>
      <h1>{row.name}</h1>
      <p class="about">
        <StateBadge state={row.state} />
        <span>
          {kindText(row.kind)}
          {row.about !== '' && `: ${row.about}`}
        </span>
        {row.created !== undefined && <span>{dateText(row.created)}</span>}
        <Tags tags={row.tags} />
      </p>
      {row.note !== undefined && <p class="note">{row.note}</p>}
      <Controls row={row} detail={detail} />
    </header>
  )
}

/** Tells those who do not see it when the state changes, and at each tenth of the job. */
function useAnnouncements(row: JobView | undefined): void {
  const before = useRef<{ state: string; tenth: number }>(undefined)
  const tenth = row === undefined ? 0 : Math.floor(10 * (doneShare(row) ?? 0))
  useEffect(() => {
    if (row === undefined) return
    const last = before.current
    before.current = { state: row.state, tenth }
    if (last === undefined) return
    if (last.state !== row.state) announce(`${row.name} is now ${row.state}`)
    else if (row.state === 'running' && last.tenth !== tenth) announce(`${row.name}: ${10 * tenth} percent done`)
  }, [row?.state, tenth])
}

/** Fetches the summary again when images have got done. */
function useItemsDone(id: string, reload: () => void): void {
  const [, setTimer] = useState<ReturnType<typeof setTimeout>>()
  useMessages((message) => {
    if (message.type !== 'item' || message.id !== id) return
    setTimer((timer) => {
      if (timer !== undefined) return timer
      return setTimeout(() => {
        setTimer(undefined)
        reload()
      }, patience)
    })
  })
}

interface Props {
  readonly row: JobView
  readonly detail: JobDetail
}

/** Stops a job, or resumes it, as Ctrl-C and `zeroth resume` do. */
function Controls({ row, detail }: Props) {
  const [asked, setAsked] = useState('')
  const [error, setError] = useState('')
  useEffect(() => setAsked(''), [row.state])
  const ask = async (what: 'stop' | 'resume'): Promise<void> => {
    setAsked(what)
    setError('')
    await post(`works/${row.id}/${what}`, what === 'resume' ? { shown: detail.shown } : {}).catch((failure: Error) => {
      setAsked('')
      setError(failure.message)
    })
  }
  useMessages((message) => {
    // What keeps a job from being resumed is the only thing that is said of one that does not run.
    if (message.type !== 'warning' || message.id !== row.id || asked !== 'resume') return
    setAsked('')
    setError(message.message)
  })
  const isPart = row.parent !== undefined
  const canResume = !isPart && (row.state === 'interrupted' || row.state === 'failed')
  return (
    <div class="controls">
      {mayControl && row.state === 'running' && (
        <button type="button" disabled={asked !== ''} onClick={() => void ask('stop')}>
          {asked === 'stop' ? 'Stopping…' : isPart ? 'Stop all of it' : 'Stop'}
        </button>
      )}
      {mayControl && canResume && (
        <Resume detail={detail} isAsked={asked === 'resume'} onResume={() => void ask('resume')} />
      )}
      {isPart && row.state === 'interrupted' && (
        <span class="remark">
          <a href={jobHref(row.parent ?? '')}>The whole</a> can be resumed.
        </span>
      )}
      {mayControl && <EditLabel key={row.id} row={row} />}
      {detail.report !== undefined && (
        <a class="button" href={`api/works/${row.id}/report`} target="_blank" rel="noreferrer">
          Report
        </a>
      )}
      {error !== '' && <span role="alert">{error}</span>}
    </div>
  )
}

/** Resuming executes what is in the folder, and that may be a stranger's: it is shown first. */
function Resume({
  detail: { job, executes, refusal },
  isAsked,
  onResume,
}: {
  readonly detail: JobDetail
  readonly isAsked: boolean
  readonly onResume: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const close = (): void => dialog.current?.close()
  return (
    <>
      <button type="button" disabled={isAsked} onClick={() => dialog.current?.showModal()}>
        {isAsked ? 'Resuming…' : 'Resume'}
      </button>
      <dialog ref={dialog} aria-labelledby="resume-title">
        <h2 id="resume-title">Resume {job.name}?</h2>
        <p>On the server, this</p>
        <ul class="executes">
          {executes.map(({ what, text }) => (
            <li key={`${what} ${text}`}>
              {what} <code>{text}</code>
            </li>
          ))}
        </ul>
        {refusal === undefined ? (
          <p class="remark">Only resume jobs you trust.</p>
        ) : (
          <Notice isError>It cannot be resumed from this page: {refusal}.</Notice>
        )}
        <div class="controls">
          {refusal === undefined && (
            <button
              type="button"
              class="first"
              onClick={() => {
                close()
                onResume()
              }}
            >
              Resume
            </button>
          )}
          <button type="button" onClick={close}>
            {refusal === undefined ? 'Cancel' : 'Close'}
          </button>
        </div>
      </dialog>
    </>
  )
}

/** Edits name, tags and note of a job, and is the way to the trash. */
function EditLabel({ row }: { readonly row: JobView }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [error, setError] = useState('')
  const send = async (what: 'label' | 'remove', body: object): Promise<void> => {
    try {
      const { id } = await post<{ id: string }>(`works/${row.id}/${what}`, body)
      dialog.current?.close()
      if (id !== row.id) location.hash = what === 'remove' ? '#/' : jobHref(id)
    } catch (failure) {
      setError((failure as Error).message)
    }
  }
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        Edit
      </button>
      <dialog ref={dialog} aria-labelledby="edit-title" onClose={() => setError('')}>
        <h2 id="edit-title">Edit {row.name}</h2>
        <LabelForm
          row={row}
          error={error}
          onSave={(label) => void send('label', label)}
          onRemove={() => void send('remove', {})}
          onCancel={() => dialog.current?.close()}
        />
      </dialog>
    </>
  )
}

interface LabelFormProps {
  readonly row: JobView
  readonly error: string
  readonly onSave: (label: object) => void
  readonly onRemove: () => void
  readonly onCancel: () => void
}

function LabelForm({ row, error, onSave, onRemove, onCancel }: LabelFormProps) {
  const isFixed = row.parent !== undefined || row.state === 'running'
  const save = (event: Event): void => {
    event.preventDefault()
    const data = new FormData(event.currentTarget as HTMLFormElement)
    const text = (field: string): string => String(data.get(field) ?? '')
    const name = isFixed ? {} : { name: text('name').trim() }
    onSave({ ...name, tags: text('tags').split(','), note: text('note') })
  }
  return (
    <form class="form" onSubmit={save}>
      <label>
        Name, also of its folder
        <input name="name" value={row.name} disabled={isFixed} />
      </label>
      <label>
        Tags, separated by commas
        <input name="tags" value={row.tags?.join(', ') ?? ''} />
      </label>
      <label>
        Note
        <textarea name="note" rows={4}>
          {row.note ?? ''}
        </textarea>
      </label>
      {error !== '' && <Notice isError>{error}</Notice>}
      <div class="controls">
        <button type="submit" class="first">
          Save
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="button" class="far" disabled={isFixed} onClick={onRemove}>
          Move to the trash
        </button>
      </div>
      <p class="remark">
        {row.state === 'running'
          ? 'While it runs, it keeps its name and its place.'
          : 'The trash is the folder .trash beside it: move the folder back to restore it.'}
      </p>
    </form>
  )
}

/** Settings that are shown. */
const mostSettings = 200

/** What the reader should know before anything else. */
function Warnings({ id, detail }: { readonly id: string; readonly detail: JobDetail }) {
  const all = [...new Set([...detail.warnings, ...(warnings.value.get(id) ?? [])])]
  if (all.length === 0) return null
  return (
    <ul class="warnings" aria-label="Warnings">
      {all.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  )
}

/** The settings of a job, how to run it again, and its files. */
function Background({ id, detail }: { readonly id: string; readonly detail: JobDetail }) {
  return (
    <>
      <Settings spec={detail.spec} />
      {Object.keys(detail.spec).length > 0 && <RunAgain id={id} detail={detail} />}
      <Files detail={detail} />
    </>
  )
}

function RunAgain({ id, detail }: { readonly id: string; readonly detail: JobDetail }) {
  return (
    <Section title="Run it again">
      <p>
        Save{' '}
        <a href={`api/works/${id}/spec`} download="spec.json">
          spec.json
        </a>{' '}
        (secrets removed) and run
      </p>
      <Copyable text={detail.command} />
      {detail.run?.hash !== undefined && (
        <p class="remark">
          Result hash, to check a rerun: <code class="hash">{detail.run.hash}</code>
        </p>
      )}
    </Section>
  )
}

function Settings({ spec }: { readonly spec: JobDetail['spec'] }) {
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

function Files({ detail: { files, zeroth, machine } }: { readonly detail: JobDetail }) {
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
