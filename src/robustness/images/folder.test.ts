import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { encode } from 'fast-png'
import { afterAll, describe, expect, test } from 'vitest'
import type { Dataset } from './dataset.ts'
import { classLabels, type FolderOptions, folderDataset, parseCsv } from './folder.ts'

describe('folder', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'zeroth-folder-')))
  afterAll(() => rmSync(base, { recursive: true }))
  let folders = 0

  /** A folder of grey images of one pixel with the given bytes, and of texts. */
  function make(files: Record<string, number | string>): string {
    const folder = join(base, String(folders++))
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      const png = () => encode({ width: 1, height: 1, channels: 1, data: Uint8Array.of(content as number) })
      writeFileSync(join(folder, name), typeof content === 'string' ? content : png())
    }
    return folder
  }

  const each = <T>({ count }: Dataset, f: (index: number) => T) => Array.from({ length: count }, (_, i) => f(i))
  const titles = (set: Dataset) => each(set, set.title)
  const labels = (set: Dataset) => each(set, set.label)
  const bytes = (set: Dataset) =>
    Promise.all(each(set, async (i) => Math.round(255 * ((await set.read(i)).pixels[0] as number))))
  const open = (files: Record<string, number | string>, options: Partial<FolderOptions> = {}) =>
    folderDataset({ folder: make(files), ...options })

  describe('with a table', () => {
    test('files come in its order, with the classes of its column', async () => {
      const table = '\ufefffile,index,name\r\nb.png,7,"x, y"\r\nsub/a.png,0,z\r\n'
      const set = await open({ 'labels.csv': table, 'b.png': 20, 'sub/a.png': 10, 'c.png': 30 })
      expect(set.count).toBe(2)
      expect(titles(set)).toEqual(['b.png', 'sub/a.png'])
      expect(labels(set)).toEqual([7, 0])
      expect(await bytes(set)).toEqual([20, 10])
      expect(set.shape).toBeUndefined()
      expect(set.classNames).toBeUndefined()
      expect(set.labelNames).toEqual(
        new Map([
          [7, 'x, y'],
          [0, 'z'],
        ]),
      )
    })

    test.each([
      ['file,label,name\na.png,1,cat\nb.png,1,cat\n', new Map([[1, 'cat']])],
      ['file,label,name\na.png,1,cat\nb.png,2,\n', new Map([[1, 'cat']])],
      ['file,label,name\na.png,1,tom\nb.png,1,kitty\n', undefined],
      ['file,label,name\na.png,1,cat\nb.png,2,cat\n', undefined],
      ['file,label,name\na.png,cat,tom\nb.png,dog,rex\n', undefined],
      ['file,name\na.png,\nb.png,\n', undefined],
    ])('a column name holds the names of classes where each has one of its own: %j', async (table, names) => {
      const options = table.startsWith('file,name') ? { column: 'name' } : {}
      expect((await open({ 'labels.csv': table, 'a.png': 1, 'b.png': 2 }, options)).labelNames).toEqual(names)
    })

    test('the column is index, label or class, the first there is, unless one is named', async () => {
      const files = { 'labels.csv': 'class,label,file,other\n3,2,a.png,dog\n4,1,b.png,cat\n', 'a.png': 1, 'b.png': 2 }
      expect(labels(await open(files))).toEqual([2, 1])
      expect(labels(await open(files, { column: 'class' }))).toEqual([3, 4])
      const named = await open(files, { column: 'other' })
      expect(labels(named)).toEqual([1, 0])
      expect(named.classNames).toEqual(['cat', 'dog'])
    })

    test('table and file column can be named', async () => {
      const files = { 'meta/t.csv': 'path,label\na.png,5\n', 'labels.csv': 'file\nb.png\n', 'a.png': 1, 'b.png': 2 }
      const set = await open(files, { labels: 'meta/t.csv', fileColumn: 'path' })
      expect([titles(set), labels(set)]).toEqual([['a.png'], [5]])
      const unlabeled = await open(files)
      expect([titles(unlabeled), labels(unlabeled)]).toEqual([['b.png'], [undefined]])
    })

    test.each([
      ['file,label\na.png,1\nmissing.png,2\n', /labels.csv line 3: there is no file "missing.png" in /],
      ['file,label\n\n"../a.png",1\n', /labels.csv line 3: must be a path inside .* without "..", got "..\/a.png"/],
      ['file,label\n/etc/hosts,1\n', /labels.csv line 2: must be a path inside .*, got "\/etc\/hosts"/],
      ['file,label\na.png,1\na.png,2\n', /labels.csv line 3: names "a.png" again, after .*labels.csv line 2/],
      ['file,label\na.png,-1\n', /labels.csv line 2: classes must be whole numbers of at least 0, .* got "-1"/],
      [
        'file,kind\na.png,1\n',
        /labels.csv: has no column index, label, class \(columns: file, kind\); name the one that holds the classes/,
      ],
      [
        'image,label\na.png,1\n',
        /labels.csv: has no column "file" \(columns: image, label\); name the one that is meant with "fileColumn", as in \{ folder: \{ folder: PATH, fileColumn: NAME \} \}/,
      ],
      [
        'file;label\na.png;1\n',
        /labels.csv: has no column "file" \(columns: file;label\); separate the columns by commas/,
      ],
      ['file,label\n', /labels.csv: names no images/],
      ['file,label\na.png\n', /labels.csv line 2: has 1 cells, the header has 2/],
    ])('%j is refused', async (table, message) => {
      await expect(open({ 'labels.csv': table, 'a.png': 1 })).rejects.toThrow(message)
    })

    test('a column or a table that is not there is refused', async () => {
      const files = { 'labels.csv': 'file,label\na.png,1\n', 'a.png': 1 }
      await expect(open(files, { column: 'klass' })).rejects.toThrow(/has no column "klass" \(columns: file, label\)/)
      await expect(open(files, { labels: 'other.csv' })).rejects.toThrow(
        /other.csv: cannot be read \(there is no such file/,
      )
      await expect(open({ 'a.png': 1 }, { column: 'label' })).rejects.toThrow(/column needs a table/)
      const notText = make(files)
      writeFileSync(join(notText, 'labels.csv'), Uint8Array.of(0xff, 0xfe, 0x41))
      await expect(folderDataset({ folder: notText })).rejects.toThrow(/labels.csv: is not UTF-8 text/)
    })

    test('a link that leads out of the folder is refused, also if it is put there later', async () => {
      const folder = make({ 'labels.csv': 'file\na.png\n', 'a.png': 1 })
      const secret = join(make({ 'secret.png': 9 }), 'secret.png')
      const set = await folderDataset({ folder })
      unlinkSync(join(folder, 'a.png'))
      symlinkSync(secret, join(folder, 'a.png'))
      await expect(set.read(0)).rejects.toThrow('is a link that leads out of it')
      await expect(folderDataset({ folder })).rejects.toThrow(/line 2: .* is a link that leads out of it/)
    })
  })

  describe('without a table', () => {
    test('each folder is a class, in the order of their names', async () => {
      const set = await open({
        'dog/b.png': 3,
        'cat/z.PNG': 2,
        'cat/a.jpeg': 1,
        'README.md': '',
        '.git/x.png': 0,
        'cat/.x.png': 0,
      })
      expect(titles(set)).toEqual(['cat/a.jpeg', 'dog/b.png', 'cat/z.PNG'])
      expect(labels(set)).toEqual([0, 1, 0])
      expect(set.classNames).toEqual(['cat', 'dog'])
      expect(await bytes(set)).toEqual([1, 3, 2])
    })

    test('the first images are of all classes in turn, as even as the folders allow', async () => {
      const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })
      await fc.assert(
        fc.asyncProperty(sizes, fc.nat(16), async (counts, upTo) => {
          const files = counts.flatMap((count, i) => Array.from({ length: count }, (_, at) => [`${i}/${at}.png`, at]))
          const first = labels(await open(Object.fromEntries(files))).slice(0, upTo)
          const seen = counts.map((_, i) => first.filter((label) => label === i).length)
          const most = Math.max(0, ...seen)
          // A class with fewer than the others has no more.
          expect(seen.every((count, i) => count >= most - 1 || count === counts[i])).toBe(true)
        }),
        { numRuns: 20 },
      )
    })

    test('folders with numbers for names are these classes', async () => {
      const set = await open({ '10/a.png': 1, '2/a.png': 2, '0/a.png': 3 })
      expect(titles(set)).toEqual(['0/a.png', '10/a.png', '2/a.png'])
      expect(labels(set)).toEqual([0, 10, 2])
    })

    test('images in one place have no class', async () => {
      const set = await open({ 'b.png': 2, 'a.png': 1, 'notes.txt': '' })
      expect(titles(set)).toEqual(['a.png', 'b.png'])
      expect(labels(set)).toEqual([undefined, undefined])
      expect(set.classNames).toBeUndefined()
    })

    test('what is neither is refused', async () => {
      await expect(open({ 'a.png': 1, 'cat/b.png': 2 })).rejects.toThrow(
        /holds images \(a.png\) beside folders \(cat\)/,
      )
      await expect(open({ 'cat/a.png': 1, 'dog/b.txt': '' })).rejects.toThrow(/dog: holds no images/)
      await expect(open({ 'notes.txt': '' })).rejects.toThrow(/holds no images \(.jpg, .*\) and no folders of them/)
      const missing = join(base, 'missing')
      await expect(folderDataset({ folder: missing })).rejects.toThrow(
        `${missing}: cannot be read (there is no such file`,
      )
    })

    test.each(['b.gif', 'cat/b.BMP', 'cat/b.tiff'])('%s is refused, not left out', async (name) => {
      const beside = name.includes('/') ? 'cat/a.png' : 'a.png'
      await expect(open({ [beside]: 1, [name]: 2 })).rejects.toThrow(
        /b\.\w+: is an image of a format that is not read \(allowed are JPEG, PNG, WebP\): convert it to PNG/,
      )
      // A table says which images are meant.
      const set = await open({ [beside]: 1, [name]: 2, 'labels.csv': `file,label\n${beside},0\n` })
      expect(titles(set)).toEqual([beside])
    })

    test('a folder that is a link out of the folder is refused when read', async () => {
      const folder = make({ 'cat/a.png': 1 })
      symlinkSync(make({ 'x.png': 1 }), join(folder, 'dog'))
      const set = await folderDataset({ folder })
      await expect(set.read(1)).rejects.toThrow('is a link that leads out of it')
    })
  })

  describe('images', () => {
    test('are in color unless grey is asked for, and in the size asked for', async () => {
      const files = { 'a.png': 100 }
      expect((await (await open(files)).read(0)).shape).toEqual({ channels: 3, height: 1, width: 1 })
      const set = await open(files, { channels: 1, size: { height: 2, width: 3 } })
      expect(set.shape).toEqual({ channels: 1, height: 2, width: 3 })
      expect(await set.read(0)).toEqual({ shape: set.shape, pixels: new Float32Array(6).fill(100 / 255) })
    })

    test('are not looked at before they are read; what is wrong with one names it', async () => {
      const set = await open({ 'a.png': 'not a PNG', 'b.png': 2 })
      expect((await set.read(1)).pixels[0]).toBe(Math.fround(2 / 255))
      await expect(set.read(0)).rejects.toThrow(/a.png: is not an image that can be read: found bytes that begin with/)
    })

    test('options are checked at once', async () => {
      await expect(open({ 'a.png': 1 }, { resize: 'stretch' })).rejects.toThrow('folderDataset.size is required')
      await expect(open({ 'a.png': 1 }, { sise: 3 } as never)).rejects.toThrow('folderDataset has no option sise')
    })
  })
})

describe('list-images', () => {
  const given = (...texts: string[]) => texts.map((text, i) => ({ where: `line ${i + 2}`, text }))

  test('whole numbers are classes as they are', () => {
    expect(classLabels(given('7', '0', '007', ' 999 '))).toEqual({ labels: [7, 0, 7, 999] })
  })

  test('names are counted in the order of their characters, the same for every locale', () => {
    const { labels, classNames } = classLabels(given('cat', 'Zebra', 'ärger', 'cat', 'dog'))
    expect(classNames).toEqual(['Zebra', 'cat', 'dog', 'ärger'])
    expect(labels).toEqual([1, 0, 3, 1, 2])
  })

  test('names that every object has are names like others', () => {
    const { labels, classNames } = classLabels(given('constructor', '__proto__', 'toString'))
    expect(classNames).toEqual(['__proto__', 'constructor', 'toString'])
    expect(labels).toEqual([1, 0, 2])
  })

  test('an empty text is a class that is not known', () => {
    expect(classLabels(given('3', '', ' ')).labels).toEqual([3, undefined, undefined])
    expect(classLabels(given('b', '', 'a'))).toEqual({ labels: [1, undefined, 0], classNames: ['a', 'b'] })
    expect(classLabels(given('', ''))).toEqual({ labels: [undefined, undefined], classNames: undefined })
  })

  test.each([['-1'], ['1.5'], ['1e3'], ['0x10'], ['Infinity'], ['99999999999999999999'], ['cat']])(
    '%j among whole numbers is refused',
    (text) => {
      const rule = 'classes must be whole numbers of at least 0, or all of them names'
      expect(() => classLabels(given('1', text))).toThrow(`line 3: ${rule}, got "${text}"`)
    },
  )
})

describe('csv', () => {
  const cells = (text: string) => parseCsv(text, 't.csv').rows.map((row) => row.cells)
  const lines = (text: string) => parseCsv(text, 't.csv').rows.map((row) => row.line)

  describe('reads', () => {
    test.each([
      [
        'plain cells',
        'a,b\n1,2\n3,4\n',
        [
          ['1', '2'],
          ['3', '4'],
        ],
      ],
      [
        'CRLF, and no line ending at the end',
        'a,b\r\n1,2\r\n3,4',
        [
          ['1', '2'],
          ['3', '4'],
        ],
      ],
      ['CR alone', 'a,b\r1,2\r', [['1', '2']]],
      ['quoted cells with commas, quotes and line breaks', 'a,b\n"1,""x""","2\r\n3"\n', [['1,"x"', '2\r\n3']]],
      ['empty cells, quoted or not', 'a,b,c\n,"",\n', [['', '', '']]],
      ['an empty cell at the very end', 'a,b\n1,', [['1', '']]],
      ['blank lines by skipping them', '\n\na,b\n\n1,2\n\r\n\n', [['1', '2']]],
      ['spaces as they are', 'a,b\n 1 ,\t2\n', [[' 1 ', '\t2']]],
      ['an empty quoted cell alone in its line', 'a\n""\n', [['']]],
      ['a header alone', 'a,b\n', []],
    ])('%s', (_, text, expected) => {
      expect(cells(text)).toEqual(expected)
    })

    test('numbers lines as an editor does, also behind cells of several lines', () => {
      expect(lines('a,b\r\n1,"x\r\ny\nz"\r\n\r\n3,4\r\n5,6')).toEqual([2, 6, 7])
    })

    test('cells of ten million characters', () => {
      const long = 'x'.repeat(10_000_000)
      expect(cells(`a,b\n${long},"${long}"`)[0]?.map((cell) => cell.length)).toEqual([1e7, 1e7])
    })

    test('whatever was written by the rules', () => {
      const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é'), maxLength: 6 })
      const table = fc
        .integer({ min: 1, max: 4 })
        .chain((width) =>
          fc
            .array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 5 })
            .map((rows) => ({ width, rows })),
        )
      fc.assert(
        fc.property(table, ({ width, rows }) => {
          const header = Array.from({ length: width }, (_, i) => `c${i}`)
          const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
          const text = [header, ...rows].map((row) => row.map(quoted).join(',')).join('\r\n')
          expect(cells(text)).toEqual(rows)
        }),
      )
    })
  })

  describe('refuses', () => {
    test.each([
      ['', 't.csv: is empty, a line with the names of the columns is required'],
      ['a,b\n1\n', 't.csv line 2: has 1 cells, the header has 2'],
      ['a,b\n\n"x\ny",2,3\n', 't.csv line 3: has 3 cells, the header has 2'],
      ['a,b,a\n', 't.csv: has two columns called "a"'],
      [
        'a,b\n1,"2\n3,4\n',
        't.csv line 2: a quoted cell must be closed and end there (quotes inside it are written twice)',
      ],
      [
        'a,b\n1,"2"3\n',
        't.csv line 2: a quoted cell must be closed and end there (quotes inside it are written twice)',
      ],
      ['a,b\n1,2"\n', 't.csv line 2: a cell with quotes in it must be quoted (quotes inside it are written twice)'],
    ])('%j', (text, message) => {
      expect(() => parseCsv(text, 't.csv')).toThrow(message)
    })
  })
})
