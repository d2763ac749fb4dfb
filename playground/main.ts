import {
  attackView,
  conclusion,
  digitButtons,
  digitLabel,
  digitPixels,
  digitShape,
  markDigit,
  type Subject,
} from './attack-view.ts'
import { solvers } from './compute.ts'
import { byId, copied, fill } from './dom.ts'
import { functionsTab } from './functions-tab.ts'
import { asCommand, attacks, functions, hashOf, ownPlace, type State, stateOf } from './state.ts'
import { type Running, serveOrders, startWorker } from './worker.ts'

const secondsOfAttack = 60

/** The tab of digits: choose one, attack it, and see it change. */
export function digitsTab(script: string, change: (changes: Partial<State>) => void) {
  const attackButton = byId('attackDigit', HTMLButtonElement)
  const message = byId('attackMessage', HTMLElement)
  const digits = byId('digits', HTMLElement)
  const view = attackView()
  let state: State | undefined
  let working: Running | undefined

  digits.replaceChildren(...digitButtons((digit) => change({ digit })))
  attackButton.onclick = () => (working === undefined ? attack() : stop('Stopped.'))
  byId('copyCommand', HTMLButtonElement).onclick = () =>
    state && copied(asCommand(state), byId('commandCopied', HTMLElement))

  function show(next: State): void {
    const isOther = state?.digit !== next.digit
    state = next
    stop('')
    markDigit(digits, next.digit)
    if (isOther) view.showOriginal(subjectOf(next.digit))
  }

  function attack(): void {
    if (state === undefined) return
    const { digit, attack: name, limit, queries, seed } = state
    const subject = subjectOf(digit)
    const { pixels, label } = subject
    attackButton.textContent = 'Stop'
    message.textContent = 'Attacking …'
    const task = { pixels, label, attack: name, limit, queries, seed }
    working = startWorker({ kind: 'attack', task }, { script, seconds: secondsOfAttack }, (answer) => {
      if (answer.kind === 'error') stop(answer.message)
      if (answer.kind !== 'attack') return
      view.showFrame(answer.frame, subject)
      if (answer.frame.isLast) stop(conclusion(answer.frame))
    })
  }

  function stop(said: string): void {
    working?.stop()
    working = undefined
    attackButton.textContent = 'Attack'
    message.textContent = said
  }

  return { show }
}

function subjectOf(digit: number): Subject {
  return {
    shape: digitShape,
    pixels: digitPixels(digit),
    label: digitLabel(digit),
    nameOf: String,
    called: (index) => `a ${index}`,
  }
}

const numbers = ['learningRate', 'queries', 'seed', 'noise', 'limit'] as const
const panels = { functions: 'functions', digits: 'attacks' } as const
const words = ['solver', 'rival', 'attack', 'function'] as const

function startPage(script: string): void {
  let state = stateOf(location.hash)
  const change = (changes: Partial<State>): void => {
    state = { ...state, ...changes }
    history.replaceState(null, '', hashOf(state))
    show(true)
  }
  fill('function', [...functions.map(({ name }) => [name, name] as const), ['own', 'your own']])
  fill(
    'solver',
    Object.keys(solvers).map((name) => [name, name] as const),
  )
  fill('rival', [['', 'none'], ...Object.keys(solvers).map((name) => [name, name] as const)])
  fill(
    'attack',
    attacks.map((name) => [name, name] as const),
  )
  const tabs = { functions: functionsTab(script, change), digits: digitsTab(script, change) }

  for (const name of numbers) {
    for (const input of document.querySelectorAll<HTMLInputElement>(`[name=${name}]`)) {
      input.onchange = () => input.checkValidity() && change({ [name]: input.valueAsNumber })
    }
  }
  for (const name of words) {
    byId(name, HTMLSelectElement).onchange = ({ target }) => {
      const { value } = target as HTMLSelectElement
      change(name === 'function' ? { function: value, start: startOf(value) } : { [name]: value })
    }
  }
  for (const axis of [0, 1] as const) {
    const input = byId(`start${axis}`, HTMLInputElement)
    input.onchange = () => {
      if (!input.checkValidity()) return
      const { valueAsNumber: value } = input
      change({ start: axis === 0 ? [value, state.start[1]] : [state.start[0], value] })
    }
  }
  for (const form of document.forms) form.onsubmit = (event) => event.preventDefault()
  const names = ['functions', 'digits'] as const
  for (const name of names) {
    const tab = byId(`tab-${name}`, HTMLButtonElement)
    tab.onclick = () => change({ tab: name })
    tab.onkeydown = ({ key }) => {
      if (key !== 'ArrowLeft' && key !== 'ArrowRight') return
      const other = names[1 - names.indexOf(name)] as (typeof names)[number]
      change({ tab: other })
      byId(`tab-${other}`, HTMLButtonElement).focus()
    }
  }
  addEventListener('hashchange', () => {
    state = stateOf(location.hash)
    show(false)
  })
  show(false)

  function show(mayRunCode: boolean): void {
    for (const name of names) {
      const isShown = state.tab === name
      byId(panels[name], HTMLElement).hidden = !isShown
      const tab = byId(`tab-${name}`, HTMLButtonElement)
      tab.ariaSelected = String(isShown)
      tab.tabIndex = isShown ? 0 : -1
    }
    for (const name of numbers) {
      for (const input of document.querySelectorAll<HTMLInputElement>(`[name=${name}]`))
        input.value = String(state[name])
    }
    for (const name of words) byId(name, HTMLSelectElement).value = state[name]
    for (const axis of [0, 1] as const)
      byId(`start${axis}`, HTMLInputElement).value = String(Number(state.start[axis].toPrecision(4)))
    byId('about', HTMLElement).textContent = functions.find(({ name }) => name === state.function)?.about ?? ''
    byId('codePart', HTMLElement).hidden = state.function !== 'own'
    byId('code', HTMLTextAreaElement).value = state.code
    byId('ratePart', HTMLElement).hidden = ![state.solver, state.rival].some((name) => solvers[name]?.hasRate)
    if (state.tab === 'digits') tabs.digits.show(state)
    else tabs.functions.show(state, mayRunCode)
  }
}

function startOf(name: string): readonly [number, number] {
  return (functions.find((each) => each.name === name) ?? ownPlace).start
}

// The one script of the page; a worker is started from its text, and then does the other half.
if (typeof document === 'undefined') serveOrders()
else startPage(document.currentScript?.textContent ?? '')
