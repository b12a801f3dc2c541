/** Spaces and autonomous agents in the console: messages, calls, holds and plans, updated live. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Locator } from 'playwright-core'
import { answer, shoot, stage, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let here: Stage
beforeAll(async () => {
  here = await stage()
})
// Each open window sends requests when something changes. Together they would exceed the rate limit.
afterEach(() => Promise.all(here.browser.contexts().map((context) => context.close())))
afterAll(() => here.close())

test('two agents and a person in a space: a chart is shown, an e-mail waits there for approval, and goes out', async () => {
  const page = await here.open('/')
  await page.getByRole('button', { name: 'Get the launch ready' }).click()
  await page.waitForURL(/\/spaces\/front-desk$/)
  await page.getByRole('article', { name: 'desk is writing' }).waitFor()
  await page.getByRole('article', { name: 'desk said' }).getByText('@books, please draw the sales').waitFor()
  await page.getByRole('figure').getByText('Sales by quarter').first().waitFor()
  await page.getByRole('article', { name: 'books said' }).getByText('The third quarter was the best').waitFor()
  const card = page.getByRole('region', { name: /Approve email.send/ })
  await card.getByText('reports.example.org', { exact: true }).waitFor()
  expect(await page.locator('[data-tool="email.send"]').getAttribute('data-status')).toBe('requires_action')
  expect(await page.getByRole('list', { name: 'Members' }).last().innerText()).toContain('working here')
  await shoot(page, 'space-approval')
  await answer(card.getByRole('button', { name: 'Approve', exact: true }))
  await page.getByRole('article', { name: 'desk said' }).getByText('The e-mail to ada@example.org is out.').waitFor()
  await page.locator('[data-tool="email.send"][data-status="complete"]').waitFor()
  await page.reload()
  await page.getByRole('article', { name: 'desk said' }).getByText('is out.').waitFor()
  expect(await page.getByRole('article', { name: 'you said' }).count()).toBe(1)
  expect(here.complaints).toEqual([])
})

test('a plan is made by an agent, counts down on its page, and fires while its page is open', async () => {
  const page = await here.open('/spaces/front-desk')
  await page.getByLabel('Message', { exact: true }).fill('Remind us in a few seconds')
  await page.keyboard.press('Enter')
  await page.getByRole('article', { name: 'desk said' }).getByText('I will, in 20 seconds').waitFor()
  await page.goto(`${here.url}/agents/desk`)
  await page.getByRole('navigation', { name: 'Views of the agent' }).getByText('Activity').click()
  await page.waitForURL(/\/agents\/desk\/life$/)
  const plans = page.getByRole('region', { name: 'Plans' })
  await plans.getByText('Remind everybody to stretch').waitFor()
  await plans.getByText(/^in 1\d s$/).waitFor()
  await page.getByText('Everybody here stretches now and then').waitFor()
  await shoot(page, 'agent-life')
  // The test need not wait 20 seconds: the plan with that id gets an earlier time.
  const [plan] = await here.client.agents.plans('desk')
  await here.client.agents.setPlan('desk', { id: plan?.id ?? '', what: plan?.what ?? '', runAfter: '2 seconds' })
  await plans.getByText('None. The agent makes plans').waitFor()
  await page.getByRole('link', { name: 'Conversation of this agent' }).click()
  await page.getByText('A plan fired').first().waitFor()
  await page.goto(`${here.url}/spaces/front-desk`)
  await page.getByRole('article', { name: 'desk said' }).getByText('It is time: remind everybody to stretch!').waitFor()
  expect(here.complaints).toEqual([])
})

test('a user adds and cancels a plan, and an invalid plan shows an error', async () => {
  const page = await here.open('/agents/books/life')
  const plans = page.getByRole('region', { name: 'Plans' })
  await plans.getByLabel('What the agent should do').fill('Close the books')
  await plans.getByLabel('When').fill('whenever')
  await plans.getByRole('button', { name: 'Add plan' }).click()
  await plans.getByRole('alert').getByText('The plan is invalid').waitFor()
  await plans.getByLabel('What the agent should do').fill('Close the books')
  await plans.getByLabel('Type of schedule').selectOption('cron')
  await plans.getByLabel('When').fill('0 9 * * 1')
  await plans.getByLabel('When').press('Enter')
  await plans.getByText('0 9 * * 1').waitFor()
  await plans.getByRole('button', { name: 'Cancel: Close the books' }).click()
  await plans.getByText('None. The agent makes plans').waitFor()
  expect(await here.client.agents.plans('books')).toEqual([])
})

test('a user creates a space with the keyboard and answers a question there, and another user joins', async () => {
  const page = await here.open('/spaces')
  await page.getByLabel('Name of the new space').focus()
  await page.keyboard.type('The office')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/spaces\/(?!front-desk)./)
  await page.getByText('No messages yet').waitFor()
  await page.getByLabel('Message', { exact: true }).focus()
  await page.keyboard.type('We need a budget')
  await page.keyboard.press('Enter')
  const form = page.getByRole('region', { name: 'How much may the launch cost?' })
  await form.getByLabel('amount').fill('900')
  await answer(form.getByRole('button', { name: 'Answer' }), () => form.getByLabel('amount').press('Enter'))
  await page.getByRole('article', { name: 'desk said' }).getByText('the launch may cost 900 EUR').waitFor()

  const other = await here.open('/settings')
  await other.getByLabel('Your name').fill('grace')
  await other.goto(page.url())
  await other.getByRole('button', { name: 'Join as grace' }).click()
  await other.getByLabel('Message', { exact: true }).fill('Good morning')
  await other.keyboard.press('Enter')
  await page.getByRole('article', { name: 'grace said' }).getByText('Good morning').waitFor()
  await page.getByRole('list', { name: 'Members' }).last().getByText('grace').waitFor()
  const space = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '')
  // Both pages were visible, so both people have read it.
  await vi.waitFor(async () => {
    const view = await here.client.spaces.view(space)
    const people = view?.members.filter(({ member }) => member.kind === 'human')
    expect(people?.map(({ read }) => read >= (view?.messages.at(-1)?.seq ?? 0))).toEqual([true, true])
  }, 30_000)
  expect(here.complaints).toEqual([])
})

test('a member whose key may not resolve holds can answer a question in the space', async () => {
  const { client, url, browser } = here
  const from = { kind: 'human', id: 'you' } as const
  await client.spaces.create({
    id: 'members',
    name: 'Members',
    by: 'you',
    members: [{ member: { kind: 'agent', id: 'desk' } }],
  })
  const { key = '' } = await client.keys.create({ name: 'a member', scopes: ['agent'], mayActFor: true })
  const page = await (await browser.newContext()).newPage()
  await page.goto(url)
  await page.evaluate((given) => sessionStorage.setItem('holdpoint.key', given), key)
  await page.goto(`${url}/spaces/members`)
  await client.spaces.post('members', 'We need a budget', { from })
  const form = page.getByRole('region', { name: 'How much may the launch cost?' })
  await form.getByLabel('amount').fill('700')
  await answer(form.getByRole('button', { name: 'Answer' }))
  await page.getByRole('article', { name: 'desk said' }).getByText('the launch may cost 700 EUR').waitFor()
  const view = await client.spaces.view('members')
  expect(view?.messages).toContainEqual(expect.objectContaining({ name: 'budget.ask', status: 'complete' }))
})

test('a space in which agents only answer each other becomes quiet and says why', async () => {
  await here.client.spaces.create({
    id: 'chatter',
    name: 'Chatter',
    agentMessages: 0,
    by: 'you',
    members: [{ member: { kind: 'agent', id: 'books' } }],
  })
  await here.client.spaces.post('chatter', 'Please draw the sales', { from: { kind: 'human', id: 'you' } })
  const page = await here.open('/spaces/chatter')
  await page.getByRole('article', { name: 'books said' }).getByText('did not wake any agent').waitFor()
  await page.getByText('The agents have reached the limit').waitFor()
  await shoot(page, 'space-quiet')
  await page.getByLabel('Message', { exact: true }).fill('Thank you')
  await page.keyboard.press('Enter')
  await page.getByText('The agents have reached the limit').waitFor({ state: 'detached' })
  expect((await here.client.spaces.view('chatter'))?.quiet).toBe(false)
})

test('an owner changes roles and removes members in the list of members, and the only owner stays', async () => {
  const members = [
    { member: { kind: 'agent' as const, id: 'books' } },
    { member: { kind: 'human' as const, id: 'grace' } },
  ]
  await here.client.spaces.create({ id: 'board', name: 'Board', by: 'you', members })
  const page = await here.open('/spaces/board')
  const list = page.getByRole('list', { name: 'Members' }).last()
  const row = (name: string): Locator => list.getByRole('listitem').filter({ hasText: name })
  for (const name of ['you', 'grace', 'books']) await row(name).getByText('change', { exact: true }).click()
  await shoot(page, 'space-members')
  await row('you').getByLabel('Role of you').selectOption('reader')
  await row('you').getByRole('alert').getByText('This is the only owner').waitFor()
  expect(await row('you').getByLabel('Role of you').inputValue()).toBe('owner')
  await row('books').getByLabel('Role of books').selectOption('reader')
  await row('books').getByText('agent, reader').waitFor()
  await row('grace').getByLabel('Role of grace').selectOption('owner')
  await row('grace').getByText('person, owner').waitFor()
  await row('books').getByRole('button', { name: 'Remove books' }).click()
  await row('books').waitFor({ state: 'detached' })
  await row('you').getByRole('button', { name: 'Leave as you' }).click()
  await page.getByText('You are not a member of this space.').waitFor()
  const { items } = await here.client.spaces.events('board')
  const changes = items.filter(({ type }) => type.startsWith('member.')).slice(-4)
  expect(changes.map((event) => 'by' in event && event.by)).toEqual(['you', 'you', 'you', 'you'])
  expect((await here.client.spaces.view('board'))?.members).toMatchObject([{ member: { id: 'grace' }, role: 'owner' }])
  expect(here.complaints).toEqual([])
})

test('a half-filled form is kept while the user reads older messages', async () => {
  const { client } = here
  await client.spaces.create({
    id: 'long',
    name: 'Long',
    by: 'you',
    members: [{ member: { kind: 'agent', id: 'desk' } }],
  })
  const from = { kind: 'human', id: 'you' } as const
  for (let nth = 0; nth < 40; nth++)
    await client.spaces.post('long', `Nothing to do ${nth}${'\n…'.repeat(12)}`, { from })
  await client.spaces.post('long', 'We need a budget', { from })
  const page = await here.open('/spaces/long')
  const amount = page.getByRole('region', { name: 'How much may the launch cost?' }).getByLabel('amount')
  await amount.fill('900')
  const region = page.getByRole('region', { name: 'Messages' })
  await region.evaluate((element) => (element.scrollTop = 0))
  await page.getByText('Nothing to do 2', { exact: false }).first().waitFor()
  await page.getByRole('button', { name: 'Jump to the latest' }).click()
  expect(await amount.inputValue()).toBe('900')
  // A screen reader announces messages of others that arrive from now on.
  await client.spaces.post('long', 'Take your time', { from: { kind: 'agent', id: 'desk' } })
  await page.locator('[aria-live="polite"]').getByText('desk: Take your time').waitFor({ state: 'attached' })
  expect(here.complaints).toEqual([])
})
