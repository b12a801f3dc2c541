import { openStore, agent, holdpoint } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { mcpServers } from '../src/index.ts'
import { everythingOverHttp, EVERYTHING } from './everything.ts'

const peer = await everythingOverHttp()
const store = await openStore('/tmp/hM-scratch.db')
const mcp = mcpServers({
  store,
  servers: [
    { name: 'ev', url: peer.url },
    { name: 'io', transport: 'stdio', command: process.execPath, args: [EVERYTHING, 'stdio'] },
  ],
})
const call = (name: string, input: any) => ({ calls: [{ name, input }] })
const model = scriptedModel([
  call('ev.echo', { message: 'hi' }),
  'ok',
  call('io.echo', { message: 'hi' }),
  'ok',
  call('ev.trigger-long-running-operation', { duration: 2, steps: 4 }),
  'ok',
  call('ev.trigger-elicitation-request', {}),
  'ok',
  call('io.trigger-elicitation-request', {}),
  'ok',
  call('ev.simulate-research-query', { topic: 'x', ambiguous: false }),
  'ok',
  call('ev.simulate-research-query', { topic: 'y', ambiguous: true }),
  'ok',
])
const hp = await holdpoint({ store, agents: [agent({ name: 'desk', model, plugins: [mcp.plugin] })] })
const show = (x: any) => console.log(JSON.stringify(x).slice(0, 600))
let n = 0
const say = async () => {
  const t = Date.now()
  const r = await hp.send('c' + ++n, 'go')
  console.log(n, r.status, r.text, Date.now() - t)
  const ev = await hp.events('c' + n)
  const s = ev.filter((e: any) => e.type === 'call.settled' || e.type === 'call.held')
  for (const e of s) show(e)
  return r
}
hp.subscribe
await say()
console.log(
  (await mcp.status()).map((s) => [s.name, s.health, s.era, s.version, s.tools.length, s.lastError, s.refused]),
)
await say()
await say()
for (const i of [1, 2]) {
  const r = await say()
  const h = r.holds[0]!
  console.log(JSON.stringify(h.answerSchema).slice(0, 1500))
  const a = await hp.answer('c' + n, h.callId, { name: 'Ada', check: true })
  show(a)
  const w = await hp.continue('c' + n)
  show([w.status, w.text])
  const ev = await hp.events('c' + n)
  show(ev.filter((e: any) => e.type === 'call.settled'))
}
let r = await say()
for (let i = 0; i < 30 && r.status === 'held'; i++) {
  await new Promise((f) => setTimeout(f, 500))
  r = (await hp.continue('c' + n)) as any
  show([r.status, r.holds?.[0]?.reason])
}
show((await hp.events('c' + n)).filter((e: any) => e.type === 'call.settled'))
r = await say()
for (let i = 0; i < 60 && r.status === 'held'; i++) {
  await new Promise((f) => setTimeout(f, 500))
  r = (await hp.continue('c' + n)) as any
  const h = r.holds?.[0]
  show([r.status, h?.reason, h?.kind])
  if (h?.kind === 'elicitation') {
    show(h.answerSchema)
    show(
      await hp.answer('c' + n, h.callId, {
        interpretation:
          h.answerSchema.properties.interpretation?.oneOf?.[0]?.const ??
          h.answerSchema.properties.interpretation?.enum?.[0] ??
          'technical',
      }),
    )
  }
}
show((await hp.events('c' + n)).filter((e: any) => e.type === 'call.settled'))
await hp.close()
await mcp.close()
await peer.kill()
