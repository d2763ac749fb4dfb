import { useEffect } from 'preact/hooks'
import { CompareScreen } from './compare-screen.tsx'
import { Notice } from './elements.tsx'
import { ImageScreen } from './image-screen.tsx'
import { LiveRegion } from './live-region.tsx'
import { route } from './route.ts'
import { connection } from './stream.ts'
import { WorkScreen } from './work-screen.tsx'
import { WorksScreen } from './works-screen.tsx'

const states = { connecting: 'connecting', live: 'live', lost: 'connection lost' } as const

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
        <Screen />
      </main>
      <LiveRegion />
    </>
  )
}

function Screen() {
  const { screen, id, index } = route.value
  if (screen === 'works') return <WorksScreen />
  if (screen === 'work') return <WorkScreen key={id} id={id} />
  if (screen === 'image') return <ImageScreen key={`${id} ${index}`} id={id} index={index} />
  if (screen === 'compare') return <CompareScreen />
  return (
    <Notice>
      There is nothing at this address. <a href="#/">All works</a>
    </Notice>
  )
}
