import { defineConfig } from 'vitepress'
import { sections } from '../../pages.mjs'

/** @param {string} file */
const link = (file) => `/${file.replace(/index$/, '')}`

export default defineConfig({
  title: 'zeroth',
  description: 'Minimise what you can only query: a function, a program, a web service, a neural network.',
  lang: 'en',
  // Relative addresses: the site works in any folder of a server, and from files.
  base: './/',
  cleanUrls: false,
  // No icon of its own: without this, every page asks for one that is not there.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  lastUpdated: false,
  markdown: { math: false },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: ['Start', 'Methods', 'Reference', 'Results']
      .map((text) => {
        const [file] = sections.find((each) => each.text === text)?.pages[0] ?? ['']
        return { text, link: link(file) }
      })
      .concat({ text: 'Playground', link: '/playground/index.html', target: '_self' }),
    sidebar: sections.map(({ text, pages }) => ({
      text,
      collapsed: !['Start', 'Tasks'].includes(text),
      items: pages.map(([file, title]) => ({ text: title, link: link(file) })),
    })),
  },
})
