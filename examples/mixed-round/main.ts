import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { agent, chat, tool, type Session } from 'holdpoint'
import { z } from 'zod'

// #region tools
const input = z.object({})
const weather = tool({ name: 'weather', description: 'Look up the weather', input, run: () => 'sunny' })
const budget = tool({ name: 'budget', description: 'Ask the owner', executor: 'human', input })
const camera = tool({
  name: 'camera',
  description: "Take a picture with the user's camera",
  executor: 'client',
  approval: { required: true, reason: 'It uses the camera' },
  input,
  output: z.object({ url: z.url() }),
})
// #endregion
const calls = [{ name: 'weather' }, { name: 'budget' }, { name: 'camera' }]
const model = scriptedModel([{ calls }, 'A sunny picture for 40.', 'You are welcome.'])
const desk = agent({ name: 'desk', model, tools: [weather, budget, camera] })
const show = (when: string, { holds }: Pick<Session, 'holds'>) =>
  console.log(`${when}:`, holds.map(({ name, kind }) => `${name} (${kind})`).join(', ') || 'nothing is held')

// #region round
const { session, steps } = await chat(desk, 'Prepare the picnic')
console.log('weather is done already:', JSON.stringify(steps[0]?.calls[0]?.outcome))
show('at first', session)
const idOf = (name: string) => session.holds.find((hold) => hold.name === name)?.callId ?? ''
const cameraId = idOf('camera')

await session.approve(cameraId, { by: 'ada' }) // approved; now the call waits for the browser
show('after the approval', session)
await session.answer(idOf('budget'), 40)
show('after the budget', session)
// #endregion

// #region while-held
const early = await session.send('Are you done?')
console.log(`a message now: ${early.status}, ${early.message}`)
const queued = await session.send('Thanks, by the way', { whileBusy: 'queue' })
console.log('queued:', queued.status, 'model calls so far:', model.requests.length)
// #endregion

// #region finish
console.log('not a picture:', (await session.answer(cameraId, { url: 'soon' })).verdict)
console.log('a picture:', (await session.answer(cameraId, { url: 'https://acme.test/1.png' })).verdict)
console.log('the turn:', (await session.continue()).text) // a turn for the queued message follows
console.log('the next:', (await session.continue()).text)
// #endregion
assert.equal(session.status, 'completed')
assert.equal(model.requests.length, 3)
