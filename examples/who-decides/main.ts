import assert from 'node:assert/strict'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool, type Principal, type ResolveResult } from 'holdpoint'
import { z } from 'zod'

const ports = testPorts() // a manual clock: the example moves the time
const store = memoryStore({ now: ports.now })

// #region tool
const refund = tool({
  name: 'refund',
  description: 'Pay money back',
  input: z.object({ euros: z.number() }),
  approval: ({ input: { euros } }) => ({
    required: euros > 50,
    reason: `${euros} euros is more than 50`,
    approvers: { anyOf: ['group:finance'], count: 2 }, // two people of finance, and not the one who asked
    remindAfter: '1 h',
    escalate: { after: '4 h', to: ['group:board'] },
  }),
  run: ({ input }) => `${input.euros} euros were paid`,
})
// #endregion

const model = scriptedModel(({ prompt }) => {
  const last = prompt.at(-1)
  return last?.role === 'tool' ? 'It is paid.' : { calls: [{ name: 'refund', input: { euros: 80 } }] }
})
const hp = await holdpoint({ store, agents: [agent({ name: 'desk', model, tools: [refund], ports })], ports })

// #region people
// Your authentication makes these. The gateway makes them from keys, tokens and sessions.
const ann: Principal = { id: 'ann', kind: 'person', groups: ['finance'] }
const bob: Principal = { id: 'bob', kind: 'person', groups: ['finance'] }
const cleo: Principal = { id: 'cleo', kind: 'person', groups: ['finance', 'support'] }
const eve: Principal = { id: 'eve', kind: 'person', groups: ['support'] }
const kim: Principal = { id: 'kim', kind: 'person', groups: ['board'] }
// #endregion

// #region decide
const say = (who: string, { verdict, remaining, message }: ResolveResult) =>
  console.log(`${who}: ${verdict === 'accepted' ? `accepted, ${remaining} to go` : `${verdict}. ${message}`}`)

const { holds } = await hp.send('order-1', 'Pay back order 1', { by: cleo })
const callId = holds[0]?.callId ?? ''
say('cleo, who asked', await hp.approve('order-1', callId, { by: cleo }))
say('eve of support', await hp.approve('order-1', callId, { by: eve }))
say('ann of finance', await hp.approve('order-1', callId, { by: ann }))
say('ann again', await hp.approve('order-1', callId, { by: ann }))
say('bob of finance', await hp.approve('order-1', callId, { by: bob }))
console.log((await hp.continue('order-1')).text)
// #endregion

// #region work
const second = (await hp.send('order-2', 'Pay back order 2', { by: cleo })).holds[0]?.callId ?? ''
await hp.assign('order-2', second, { by: ann }) // others see that it is assigned to ann, and may still decide
await hp.comment('order-2', second, 'The parcel is on its way back.', { by: ann })
const [shown] = (await hp.pending({ by: bob, view: 'mine' })).items // what bob may decide
console.log(
  shown?.assignee,
  shown?.comments?.map(({ by, text }) => `${by}: ${text}`),
  shown?.may,
)
console.log((await hp.pending({ by: eve, view: 'mine' })).items.length, 'holds for eve')
console.log((await hp.pending({ by: cleo, view: 'asked' })).items[0]?.may?.why)
// #endregion

// #region delegate
const until = ports.now() + 3 * 24 * 60 * 60 * 1000
const eveForAnn: Principal = { ...eve, delegations: [{ from: ann, until }] } // the gateway keeps delegations for you
say('eve, for ann', await hp.approve('order-2', second, { by: eveForAnn }))
say('ann herself', await hp.approve('order-2', second, { by: ann }))
// #endregion

// #region escalate
say('kim of the board', await hp.approve('order-2', second, { by: kim }))
await ports.clock.advance(4 * 60 * 60 * 1000) // an hour: a reminder; four hours: the board may decide too
say('kim, 4 hours later', await hp.approve('order-2', second, { by: kim }))
const events = await hp.events('order-2')
console.log(events.flatMap(({ type }) => (type.startsWith('hold.') ? [type] : [])).join(', '))
// #endregion

const endorsed = events.filter((event) => event.type === 'call.endorsed')
assert.deepEqual(
  endorsed.map(({ by, onBehalfOf }) => [by, onBehalfOf]),
  [
    ['eve', 'ann'],
    ['kim', undefined],
  ],
)
await hp.close()
await store.close()
