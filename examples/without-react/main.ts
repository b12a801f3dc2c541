/** Opens page.ts on a document without a browser, and uses it as a person would. */
import assert from 'node:assert/strict'
import { Window } from 'happy-dom'
import { openDesk } from '../react/desk.ts'
import { openPage } from './page.ts'

const window = new Window()
Object.assign(globalThis, { document: window.document })
const { document } = window
document.body.innerHTML = '<main></main><aside></aside><form><input><button>Send</button></form>'
const main = document.querySelector('main')!
const aside = document.querySelector('aside')!
const desk = await openDesk()
openPage(desk.client)

document.querySelector('input')!.value = 'I want my money back'
document.querySelector('form')!.dispatchEvent(new window.Event('submit'))
await until(() => aside.textContent.includes('Approve'))
console.log(aside.textContent)
aside.querySelector('button')!.click()
await until(() => main.textContent.includes('You have your money back.'))
await until(() => aside.textContent === '')
console.log([...main.children].map(({ textContent }) => textContent).join('\n'))
await desk.close()
process.exit()

async function until(there: () => boolean): Promise<void> {
  const ends = Date.now() + 30_000
  while (!there()) {
    assert(Date.now() < ends, `It did not come to ${there.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
