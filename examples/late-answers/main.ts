import assert from 'node:assert/strict'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { agent, chat, tool } from 'holdpoint'
import { z } from 'zod'

const ports = testPorts() // a manual clock: the example moves the time
const input = z.object({})
const calls = (name: string) => ({ calls: [{ name }] })
const lastMessage = (model: ReturnType<typeof scriptedModel>) =>
  model.requests.at(-1)?.prompt.findLast(({ role }) => role === 'user')

// #region expiry
const askOwner = tool({
  name: 'owner.ask',
  description: 'Ask the owner',
  executor: 'human',
  timeout: '2 days',
  onExpire: { answer: 'no opinion' }, // or 'error' (the default), 'reject', 'cancel'
  input,
})
const model = scriptedModel([calls('owner.ask'), 'Then I decide.'])
const { session, holds } = await chat(agent({ name: 'desk', model, tools: [askOwner], ports }), 'Which colour?')
await ports.clock.advance(2 * 24 * 60 * 60 * 1000)
const decided = await session.continue() // finds that the deadline has passed
console.log(JSON.stringify(decided.steps[0]?.calls[0]?.outcome), decided.text)
console.log('the owner, on day 3:', (await session.answer(holds[0]?.callId ?? '', 'red')).verdict)
// #endregion
assert.equal(decided.status, 'done')

// #region late
const stock = tool({
  name: 'stock',
  description: 'Ask the warehouse',
  executor: 'external',
  timeout: '30 s',
  late: 'inbox',
  input,
})
const clerk = scriptedModel([calls('stock'), 'The warehouse is silent.', 'It says 7.'])
const shop = await chat(agent({ name: 'shop', model: clerk, tools: [stock], ports }), 'How many are left?')
await ports.clock.advance(30_000)
console.log((await shop.session.continue()).text)
console.log('after the deadline:', (await shop.session.answer(shop.holds[0]?.callId ?? '', 7)).message)
console.log((await shop.session.continue()).text)
// #endregion
assert.match(JSON.stringify(lastMessage(clerk)), /result.{1,4}7/)

// #region async
const report = tool({
  name: 'report',
  description: 'Make the report',
  executor: 'external',
  async: true,
  timeout: '1 day',
  input,
})
const analyst = scriptedModel([calls('report'), 'It will be ready tonight.', 'Here it is: 12 pages.'])
const work = await chat(agent({ name: 'analyst', model: analyst, tools: [report], ports }), 'Make the report')
console.log(`${work.status}: ${work.text} Still held: ${work.holds.length}`)
await work.session.answer(work.holds[0]?.callId ?? '', { pages: 12 })
const told = await work.session.continue() // the answer starts a new turn
console.log(`${told.status}: ${told.text}`)
// #endregion
assert.equal(work.session.holds.length, 0)
assert.equal(work.session.events.filter(({ type }) => type === 'turn.started').length, 2)
