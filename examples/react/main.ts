/** Renders app.tsx, owned.tsx and room.tsx without a browser, and uses them as a person would. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Window, type HTMLElement } from 'happy-dom'
import { rolldown } from 'rolldown'
import { agents } from './agents.ts'
import type * as pages from './app.tsx'
import { concierge } from './concierge.ts'
import { openGateway } from './open-gateway.ts'
import type * as owned from './owned.tsx'
import type * as rooms from './room.tsx'

const window = new Window()
Object.assign(globalThis, { window, document: window.document })
const { createElement } = await import('react')
const { createRoot } = await import('react-dom/client')
const root = fileURLToPath(new URL('../../', import.meta.url))
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache/react-'))
const desk = await openGateway(agents)
const hotel = await openGateway([concierge])
try {
  const { App } = await built<typeof pages>('app.tsx')
  const place = show(createElement(App, { client: desk.client }))
  await until(() => place.textContent.includes('Nothing waits'))
  await desk.client.conversations.send('order-17', 'I want my money back')
  await until(() => place.textContent.includes('1 waiting'))
  await until(() => place.textContent.includes('browser.time_zone: settled'))
  console.log(place.querySelector('[role=group] p')?.textContent)
  await press(place, 'Approve')
  await until(() => place.textContent.includes('You have your money back.'))
  await until(() => place.textContent.includes('Nothing waits'))
  console.log(place.querySelectorAll('article').length, 'messages')

  const { Inbox } = await built<typeof owned>('owned.tsx')
  const inbox = show(createElement(Inbox, { client: desk.client }))
  await desk.client.conversations.send('order-17', 'More')
  await until(() => inbox.textContent.includes('Runs with exactly this'))
  assert.match(inbox.textContent, /50 euros will be paid out/)
  await press(inbox, 'Approve')
  await until(() => !inbox.textContent.includes('Runs with exactly this'))
  await until(() => place.textContent.split('You have your money back.').length === 3)
  console.log('approved twice')

  const member = { kind: 'agent', id: 'concierge' } as const
  await hotel.client.spaces.create({ id: 'trip', name: 'Trip', by: 'ada', members: [{ member }] })
  const { Room } = await built<typeof rooms>('room.tsx')
  const room = show(createElement(Room, { client: hotel.client }))
  await hotel.client.spaces.post('trip', 'Book a room', { from: { kind: 'human', id: 'ada' } })
  await until(() => room.querySelector('figure')?.textContent === 'A chart of {"prices":[90,120]}')
  await press(room, 'Confirm the booking')
  await until(() => room.textContent.includes('The booking is confirmed.'))
  await until(() => room.textContent.includes('book is settled')) // by the fallback
  console.log('booked in a space')
} finally {
  await desk.close()
  await hotel.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exit()

/** Node strips types, but not JSX: a bundler does that. */
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

/** A card that has just appeared does not accept an answer at first. */
async function press(place: HTMLElement, name: string): Promise<void> {
  const ready = () =>
    [...place.querySelectorAll('button')].find(
      (each) => each.textContent === name && each.getAttribute('aria-disabled') !== 'true',
    )
  await until(() => ready() !== undefined)
  ready()?.click()
}

async function until(holds: () => boolean): Promise<void> {
  const ends = Date.now() + 10_000
  while (!holds()) {
    assert(Date.now() < ends, `This did not become true: ${holds.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
