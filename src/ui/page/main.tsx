import { render } from 'preact'
import { App } from './app.tsx'
import { takeMessage } from './store.ts'
import { connect, onMessage } from './stream.ts'
import './style.css'

onMessage(takeMessage)
connect()
const place = document.getElementById('app')
if (place !== null) render(<App />, place)
