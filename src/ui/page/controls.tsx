import { useEffect, useRef, useState } from 'preact/hooks'
import type { WorkDetail, WorkRow } from '../api.ts'
import { workHref } from './route.ts'
import { mayControl, post } from './server.ts'
import { useMessages } from './store.ts'

interface Props {
  readonly row: WorkRow
  readonly detail: WorkDetail
}

/** Stops a work, or resumes it, as Ctrl-C and `zeroth resume` do. */
export function Controls({ row, detail }: Props) {
  const [asked, setAsked] = useState('')
  const [error, setError] = useState('')
  useEffect(() => setAsked(''), [row.state])
  const ask = async (what: 'stop' | 'resume'): Promise<void> => {
    setAsked(what)
    setError('')
    await post(`works/${row.id}/${what}`).catch((failure: Error) => {
      setAsked('')
      setError(failure.message)
    })
  }
  useMessages((message) => {
    // What keeps a work from being resumed is the only thing that is said of one that does not run.
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
          <a href={workHref(row.parent ?? '')}>The whole</a> can be resumed.
        </span>
      )}
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
  detail: { row, executes },
  isAsked,
  onResume,
}: {
  readonly detail: WorkDetail
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
        <h2 id="resume-title">Resume {row.name}?</h2>
        <p>On the machine of this server, it</p>
        <ul>
          {executes.map(({ what, text }) => (
            <li key={`${what} ${text}`}>
              {what} <code>{text}</code>
            </li>
          ))}
        </ul>
        <p class="remark">Resume only what you, or someone you trust, began.</p>
        <div class="controls">
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
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </dialog>
    </>
  )
}
