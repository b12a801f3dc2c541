/** How long a node's lease is valid, and who may take over its conversations. */
import type { Scene, Cases } from './scene.ts'
import { at, draft, written } from './drafts.ts'
import { holds, same } from './expect.ts'

const MINUTE = 60_000

export const claimCases: Cases = {
  'a running conversation without an owner can be claimed, and driven': async ({ store }) => {
    const { epoch } = await written(store, draft('c', 0, { status: 'running' }))
    const claimed = await store.claim(at('c'), 'a')
    holds(claimed !== undefined && claimed > epoch, `a newer epoch than ${epoch}: ${claimed}`)
    await written(store, draft('c', 1, { status: 'running', epoch: claimed }))
  },

  'a claim takes no conversation from an owner with a valid lease': async ({ store, another }) => {
    const { epoch } = await driven(store)
    const other = await another()
    await other.beat('b', MINUTE)
    same(await other.claim(at('c'), 'b'), undefined, 'the claim of another')
    same((await written(store, draft('c', 1, { status: 'running', epoch }))).epoch, epoch, 'the epoch')
  },

  'a node that claims its own conversation is told its epoch, which stays': async ({ store, another, advance }) => {
    const { epoch } = await driven(store)
    const other = await another()
    same(await other.claim(at('c'), 'a'), epoch, 'claimed by the owner')
    await advance(2 * MINUTE)
    same(await store.claim(at('c'), 'a'), epoch, 'claimed by the owner, that was late but not replaced')
    await written(store, draft('c', 1, { status: 'running', epoch }))
    const taken = await other.claim(at('c'), 'b')
    same(await store.claim(at('c'), 'b'), taken, 'claimed again by its new owner')
    await written(store, draft('c', 2, { status: 'idle', ...(taken !== undefined && { epoch: taken }) }))
    same(await store.claim(at('c'), 'b'), undefined, 'claimed once it rests')
  },

  'a claim succeeds once the owner’s lease ran out, and fences it': async ({ store, another, advance }) => {
    const { epoch } = await driven(store)
    await advance(2 * MINUTE)
    const claimed = await (await another()).claim(at('c'), 'b')
    holds(claimed !== undefined && claimed > epoch, `a newer epoch than ${epoch}: ${claimed}`)
    same(await store.append(draft('c', 1, { epoch })), { result: 'fenced' }, 'the old owner')
    await written(store, draft('c', 1, { epoch: claimed }))
  },

  'a claim succeeds once the owner left': async ({ store, another }) => {
    await driven(store)
    await store.leave('a')
    holds((await (await another()).claim(at('c'), 'b')) !== undefined, 'b takes it')
  },

  'a conversation that rests cannot be claimed': async ({ store }) => {
    await written(store, draft('idle', 0, { status: 'idle' }))
    await written(store, draft('held', 0, { status: 'held', wakeAt: 1 }))
    for (const id of ['idle', 'held', 'unknown']) same(await store.claim(at(id), 'a'), undefined, `claiming ${id}`)
    const { owned } = await written(store, draft('held', 1, { status: 'running', node: 'b' }))
    same(owned, true, 'owned by the node that makes it run')
  },

  'a conversation that came to rest cannot be claimed, though its owner is gone': async ({ store }) => {
    const { epoch } = await written(store, draft('c', 0, { status: 'running', node: 'a' }))
    await written(store, draft('c', 1, { status: 'idle', epoch }))
    same(await store.claim(at('c'), 'b'), undefined, 'the claim')
  },

  'a conversation claimed by a node with a valid lease cannot be claimed again': async ({ store }) => {
    await store.beat('a', MINUTE)
    await written(store, draft('c', 0, { status: 'running' }))
    const claimed = await store.claim(at('c'), 'a')
    same(await store.claim(at('c'), 'b'), undefined, 'the second claim')
    same((await store.due({ agents: ['desk'], limit: 9 })).conversations, [], 'due')
    same((await written(store, draft('c', 1, { status: 'running', node: 'b' }))).epoch, claimed, 'the epoch')
  },

  'of many claims at the same moment, one wins': async ({ store, another }) => {
    const handles = [store, await another(), await another()]
    const nodes = Array.from({ length: 9 }, (_, n) => `node-${n}`)
    for (const node of nodes) await store.beat(node, MINUTE)
    for (let round = 0; round < 10; round++) {
      const id = `c${round}`
      await written(store, draft(id, 0, { status: 'running' }))
      const claims = await Promise.all(nodes.map((node, n) => (handles[n % 3] ?? store).claim(at(id), node)))
      const won = claims.filter((epoch) => epoch !== undefined)
      same(won.length, 1, 'how many won')
      await written(store, draft(id, 1, { epoch: won[0] ?? -1 }))
    }
  },
}

export const leaseCases: Cases = {
  'a beat tells the store’s own time': async ({ store, another, advance }) => {
    const before = await store.beat('a', MINUTE)
    await advance(10 * MINUTE)
    const passed = (await (await another()).beat('b', MINUTE)) - before
    holds(passed >= 10 * MINUTE && passed < 11 * MINUTE, `ten minutes passed, and the store says ${passed} ms`)
  },

  'a node owns its work until its lease runs out': async (scene) => {
    await driven(scene.store)
    await scene.advance(MINUTE - 10_000)
    await drivenIs(scene, true, 'ten seconds before')
    await scene.advance(20_000)
    await drivenIs(scene, false, 'ten seconds after')
  },

  'every heartbeat renews the lease': async (scene) => {
    await driven(scene.store)
    for (let n = 0; n < 4; n++) {
      await scene.advance(MINUTE - 10_000)
      await (await scene.another()).beat('a', MINUTE)
    }
    await drivenIs(scene, true, 'after four beats in time')
    await scene.store.beat('a', 1000)
    await scene.advance(5000)
    await drivenIs(scene, false, 'after a beat for a second only')
  },

  'a node that was late but not replaced goes on': async (scene) => {
    const { epoch } = await driven(scene.store)
    await scene.advance(2 * MINUTE)
    await scene.store.beat('a', MINUTE)
    await drivenIs(scene, true, 'after the late beat')
    await written(scene.store, draft('c', 1, { status: 'running', epoch }))
  },

  'a node that leaves frees everything it drove, and nothing else': async ({ store, another }) => {
    await store.beat('a', MINUTE)
    await store.beat('b', MINUTE)
    for (const id of ['a1', 'a2', 'b1']) {
      await written(store, draft(id, 0, { status: 'running', node: id.slice(0, 1) }))
    }
    await (await another()).leave('a')
    const { conversations } = await store.due({ agents: ['desk'], limit: 9 })
    same(conversations.map(({ id }) => id).toSorted(), ['a1', 'a2'], 'due')
  },

  'a node that was never there may leave': async ({ store }) => {
    await store.leave('unknown')
    await store.leave('unknown')
  },
}

/** `c` runs, and `a`, which has a lease of a minute, owns it. */
async function driven(store: Scene['store']): Promise<{ readonly epoch: number }> {
  await store.beat('a', MINUTE)
  const { epoch, owned } = await written(store, draft('c', 0, { status: 'running', node: 'a' }))
  same(owned, true, 'owned')
  return { epoch }
}

async function drivenIs({ store }: Scene, owned: boolean, when: string): Promise<void> {
  const { conversations } = await store.due({ agents: ['desk'], limit: 9 })
  same(conversations, owned ? [] : [at('c')], `conversations without an owner, ${when}`)
}
