/** Opens the page of app.tsx, and the one of owned.tsx, on a document without a browser, and uses them as a person would. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Window, type HTMLElement } from 'happy-dom'
import { rolldown } from 'rolldown'
import type * as pages from './app.tsx'
import { openDesk } from './desk.ts'
import type * as owned from './owned.tsx'

const window = new Window()
Object.assign(globalThis, { window, document: window.document })
const { createElement } = await import('react')
const { createRoot } = await import('react-dom/client')
const root = fileURLToPath(new URL('../../', import.meta.url))
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache/react-'))
const desk = await openDesk()
try {
  const { App } = await built<typeof pages>('app.tsx')
  const place = show(createElement(App, { client: desk.client }))
  await until(() => place.textContent.includes('Nothing waits'))
  await desk.client.conversations.send('order-17', 'I want my money back')
  await until(() => place.textContent.includes('1 waiting'))
  await until(() => place.textContent.includes('browser.time_zone: settled'))
  console.log(place.querySelector('[role=group] p')?.textContent)
  press(place, 'Approve')
  await until(() => place.textContent.includes('You have your money back.'))
  await until(() => place.textContent.includes('Nothing waits'))
  console.log(place.querySelectorAll('article').length, 'messages')

  const { Inbox } = await built<typeof owned>('owned.tsx')
  const inbox = show(createElement(Inbox, { client: desk.client }))
  await desk.client.conversations.send('order-17', 'More')
  await until(() => inbox.textContent.includes('Runs with exactly this'))
  assert.match(inbox.textContent, /50 euros leave the house/)
  press(inbox, 'Approve')
  await until(() => !inbox.textContent.includes('Runs with exactly this'))
  await until(() => place.textContent.split('You have your money back.').length === 3)
  console.log('approved twice')
} finally {
  await desk.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exit()

/** Node takes the types out of a program, but not the elements: that is what everybody's bundler is for. */
async function built<T>(file: string): Promise<T> {
  const bundle = await rolldown({
    input: join(root, 'examples/react', file),
    external: [/^react/, '@holdpoint/client', '@holdpoint/react'],
    resolve: { conditionNames: ['@holdpoint/source', 'import'] },
    checks: { moduleLevelDirective: false },
  })
  const [{ fileName }] = (await bundle.write({ dir: folder, entryFileNames: '[name].mjs' })).output
  return (await import(join(folder, fileName))) as T
}

function show(element: React.ReactNode): HTMLElement {
  const place = window.document.createElement('div')
  window.document.body.append(place)
  createRoot(place as unknown as Element).render(element)
  return place
}

function press(place: HTMLElement, name: string): void {
  const button = [...place.querySelectorAll('button')].find(({ textContent }) => textContent === name)
  assert(button, `no button ${name} in ${place.innerHTML}`)
  button.click()
}

async function until(holds: () => boolean): Promise<void> {
  const ends = Date.now() + 10_000
  while (!holds()) {
    assert(Date.now() < ends, `It did not come to ${holds.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
