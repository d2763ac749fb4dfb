/** Colours by name; `c1` to `c6` are those of the curves. */
export type Colors = Readonly<Record<string, string>>

/** On paper and on light screens. */
export const light: Colors = {
  paper: '#ffffff',
  panel: '#f6f7f8',
  ink: '#1b1f24',
  muted: '#59626d',
  rule: '#dde1e6',
  shade: '#e1e5ea',
  mark: '#fff3d1',
  link: '#1f5fc4',
  bad: '#b42318',
  good: '#17714f',
  c1: '#1f5fc4',
  c2: '#e8590c',
  c3: '#2b9c8f',
  c4: '#b072f0',
  c5: '#8a2862',
  c6: '#4c3812',
}

/** On dark screens. */
export const dark: Colors = {
  paper: '#15181c',
  panel: '#1d2126',
  ink: '#e7eaed',
  muted: '#a0a9b3',
  rule: '#343a42',
  shade: '#2c3239',
  mark: '#40361a',
  link: '#7ab4f8',
  bad: '#ff8f85',
  good: '#5fcf9f',
  c1: '#5aa2f5',
  c2: '#ff6f2e',
  c3: '#5fe0cf',
  c4: '#8f63f2',
  c5: '#c8709f',
  c6: '#f6cc52',
}

const hues = 6

/** How a curve is drawn: six colours that stay apart for colour-blind eyes, then the same six dashed, then grey. */
export interface CurveStyle {
  readonly color: string
  readonly dash?: string
}

/** How many curves can be told apart by their style. */
export const distinctStyles = 2 * hues

/** The style of the n-th curve. */
export function curveStyle(index: number): CurveStyle {
  if (index >= distinctStyles) return { color: 'var(--muted)' }
  const color = `var(--c${(index % hues) + 1})`
  return index < hues ? { color } : { color, dash: '5 3' }
}

/** The palette as CSS variables of a selector; dark on dark screens, never in print. */
export function paletteCss(selector: string): string {
  return `${selector}{${variables(light)}}@media screen and (prefers-color-scheme:dark){${selector}{${variables(dark)}}}`
}

function variables(colors: Colors): string {
  return Object.entries(colors)
    .map(([name, color]) => `--${name}:${color}`)
    .join(';')
}
