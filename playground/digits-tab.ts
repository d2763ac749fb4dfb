import { asCommand } from './as-code.ts'
import { attackView, conclusion, type Subject } from './attack-view.ts'
import { digitButtons, digitLabel, digitPixels, digitShape, markDigit } from './digits.ts'
import { byId, copied } from './dom.ts'
import type { State } from './state.ts'
import { type Running, startWorker } from './worker.ts'

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
