/** What a file is, by its name or type. */
export function kindOf({ name, type }: File): 'model' | 'preprocessing' | 'names' | 'picture' {
  if (/\.onnx$/i.test(name)) return 'model'
  if (/\.preprocessing\.json$/i.test(name)) return 'preprocessing'
  if (/\.(txt|csv|json)$/i.test(name)) return 'names'
  if (type.startsWith('image/')) return 'picture'
  const allowed = 'an .onnx file, a picture (PNG, JPEG, WebP), names of classes (.txt, .csv, .json)'
  throw new Error(`${name} is none of what this page takes: ${allowed} or a .preprocessing.json`)
}

/** Takes files that are dropped anywhere on the page, or chosen. */
export function acceptFiles(take: (files: readonly File[]) => void): void {
  const mark = (isDragged: boolean) => document.body.classList.toggle('dragged', isDragged)
  addEventListener('dragover', (event) => {
    event.preventDefault()
    mark(true)
  })
  addEventListener('dragleave', (event) => event.relatedTarget === null && mark(false))
  addEventListener('drop', (event) => {
    event.preventDefault()
    mark(false)
    take([...(event.dataTransfer?.files ?? [])])
  })
  for (const input of document.querySelectorAll<HTMLInputElement>('input[type=file]')) {
    input.onchange = () => take([...(input.files ?? [])])
  }
}

/** Saves what a canvas shows, in its own size. */
export function saveAsPng(canvas: HTMLCanvasElement, name: string): void {
  canvas.toBlob((blob) => {
    if (blob === null) return
    const link = document.createElement('a')
    link.href = URL.createObjectURL(blob)
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 1000)
  })
}
