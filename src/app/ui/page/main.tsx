import './style.css'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { CompareScreen } from './compare-screen.tsx'
import { LiveRegion, Notice } from './elements.tsx'
import { ImageScreen } from './image-screen.tsx'
import { JobScreen } from './job-screen.tsx'
import { JobsScreen } from './jobs-screen.tsx'
import { route } from './route.ts'
import { connect, connection, onMessage, takeMessage } from './store.ts'

const states = { connecting: 'connecting', live: 'live', lost: 'connection lost', locked: 'locked' } as const

/** The whole page. */
export function App() {
  const { screen, id, index } = route.value
  useEffect(() => scrollTo(0, 0), [screen, id, index])
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <div class="top">
        <nav aria-label="Main">
          <a class="brand" href="#/">
            zeroth
          </a>
        </nav>
        <span class={`connection ${connection.value}`}>{states[connection.value]}</span>
      </div>
      <main id="main" tabIndex={-1}>
        {connection.value === 'lost' && (
          <Notice>
            The server does not answer: what is shown may be out of date. <code>zeroth ui</code> starts it again.
          </Notice>
        )}
        {connection.value === 'locked' && (
          <Notice>
            The server was started anew and has another token: open the address that <code>zeroth ui</code> printed.
            What is shown here may be out of date.
          </Notice>
        )}
        <Screen />
      </main>
      <LiveRegion />
    </>
  )
}

function Screen() {
  const { screen, id, index } = route.value
  if (screen === 'jobs') return <JobsScreen />
  if (screen === 'job') return <JobScreen key={id} id={id} />
  if (screen === 'image') return <ImageScreen key={`${id} ${index}`} id={id} index={index} />
  if (screen === 'compare') return <CompareScreen />
  return (
    <Notice>
      There is nothing at this address. <a href="#/">All jobs</a>
    </Notice>
  )
}

onMessage(takeMessage)
connect()
const place = document.getElementById('app')
if (place !== null) render(<App />, place)
