/** How long a node's lease is valid, and who may take over its conversations. */
import type { Scene, Cases } from './scene.ts'
import { at, draft, written } from './drafts.ts'
import { holds, same } from './expect.ts'

const MINUTE = 60_000

export const takeOverCases: Cases = {
  'a node takes over a running conversation without an owner, and drives it': async ({ store }) => {
    const { epoch } = await written(store, draft('c', 0, { status: 'running' }))
    const newEpoch = await store.takeOver(at('c'), 'a')
    holds(newEpoch !== undefined && newEpoch > epoch, `a newer epoch than ${epoch}: ${newEpoch}`)
    await written(store, draft('c', 1, { status: 'running', epoch: newEpoch }))
  },

  'a node cannot take over a conversation whose owner has a valid lease': async ({ store, another }) => {
    const { epoch } = await driven(store)
    const other = await another()
    await other.beat('b', MINUTE)
    same(await other.takeOver(at('c'), 'b'), undefined, 'the takeover by another node')
    same((await written(store, draft('c', 1, { status: 'running', epoch }))).epoch, epoch, 'the epoch')
  },

  'a node that takes over its own conversation gets its epoch, which stays the same': async ({
    store,
    another,
    advance,
  }) => {
    const { epoch } = await driven(store)
    const other = await another()
    same(await other.takeOver(at('c'), 'a'), epoch, 'by the owner')
    await advance(2 * MINUTE)
    same(await store.takeOver(at('c'), 'a'), epoch, 'by the owner, whose lease expired but who was not replaced')
    await written(store, draft('c', 1, { status: 'running', epoch }))
    const taken = await other.takeOver(at('c'), 'b')
    same(await store.takeOver(at('c'), 'b'), taken, 'again by its new owner')
    await written(store, draft('c', 2, { status: 'idle', ...(taken !== undefined && { epoch: taken }) }))
    same(await store.takeOver(at('c'), 'b'), undefined, 'once it rests')
  },

  'a node takes over once the owner’s lease has expired, and the old owner is fenced': async ({
    store,
    another,
    advance,
  }) => {
    const { epoch } = await driven(store)
    await advance(2 * MINUTE)
    const newEpoch = await (await another()).takeOver(at('c'), 'b')
    holds(newEpoch !== undefined && newEpoch > epoch, `a newer epoch than ${epoch}: ${newEpoch}`)
    same(await store.append(draft('c', 1, { epoch })), { result: 'fenced' }, 'the old owner')
    await written(store, draft('c', 1, { epoch: newEpoch }))
  },

  'a node takes over once the owner has left': async ({ store, another }) => {
    await driven(store)
    await store.leave('a')
    holds((await (await another()).takeOver(at('c'), 'b')) !== undefined, 'b takes it')
  },

  'a node cannot take over a conversation at rest': async ({ store }) => {
    await written(store, draft('idle', 0, { status: 'idle' }))
    await written(store, draft('held', 0, { status: 'held', wakeAt: 1 }))
    for (const id of ['idle', 'held', 'unknown'])
      same(await store.takeOver(at(id), 'a'), undefined, `taking over ${id}`)
    const { owned } = await written(store, draft('held', 1, { status: 'running', node: 'b' }))
    same(owned, true, 'owned by the node that makes it run')
  },

  'a node cannot take over a conversation that came to rest, even if its owner is gone': async ({ store }) => {
    const { epoch } = await written(store, draft('c', 0, { status: 'running', node: 'a' }))
    await written(store, draft('c', 1, { status: 'idle', epoch }))
    same(await store.takeOver(at('c'), 'b'), undefined, 'the takeover')
  },

  'a node cannot take over a conversation that a node with a valid lease has just taken over': async ({ store }) => {
    await store.beat('a', MINUTE)
    await written(store, draft('c', 0, { status: 'running' }))
    const newEpoch = await store.takeOver(at('c'), 'a')
    same(await store.takeOver(at('c'), 'b'), undefined, 'the second takeover')
    same((await store.due({ agents: ['desk'], limit: 9 })).conversations, [], 'due')
    same((await written(store, draft('c', 1, { status: 'running', node: 'b' }))).epoch, newEpoch, 'the epoch')
  },

  'of many nodes that take over at the same moment, one succeeds': async ({ store, another }) => {
    const handles = [store, await another(), await another()]
    const nodes = Array.from({ length: 9 }, (_, n) => `node-${n}`)
    for (const node of nodes) await store.beat(node, MINUTE)
    for (let round = 0; round < 10; round++) {
      const id = `c${round}`
      await written(store, draft(id, 0, { status: 'running' }))
      const epochs = await Promise.all(nodes.map((node, n) => (handles[n % 3] ?? store).takeOver(at(id), node)))
      const won = epochs.filter((epoch) => epoch !== undefined)
      same(won.length, 1, 'how many won')
      await written(store, draft(id, 1, { epoch: won[0] ?? -1 }))
    }
  },
}

export const leaseCases: Cases = {
  'a beat returns the time of the store’s clock': async ({ store, another, advance }) => {
    const before = await store.beat('a', MINUTE)
    await advance(10 * MINUTE)
    const passed = (await (await another()).beat('b', MINUTE)) - before
    holds(passed >= 10 * MINUTE && passed < 11 * MINUTE, `ten minutes passed, and the store says ${passed} ms`)
  },

  'a node owns its conversations until its lease expires': async (scene) => {
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

  'a node that was late but not replaced continues': async (scene) => {
    const { epoch } = await driven(scene.store)
    await scene.advance(2 * MINUTE)
    await scene.store.beat('a', MINUTE)
    await drivenIs(scene, true, 'after the late beat')
    await written(scene.store, draft('c', 1, { status: 'running', epoch }))
  },

  'when a node leaves, its conversations can be taken over, and no others': async ({ store, another }) => {
    await store.beat('a', MINUTE)
    await store.beat('b', MINUTE)
    for (const id of ['a1', 'a2', 'b1']) {
      await written(store, draft(id, 0, { status: 'running', node: id.slice(0, 1) }))
    }
    await (await another()).leave('a')
    const { conversations } = await store.due({ agents: ['desk'], limit: 9 })
    same(conversations.map(({ id }) => id).toSorted(), ['a1', 'a2'], 'due')
  },

  'an unknown node may leave': async ({ store }) => {
    await store.leave('unknown')
    await store.leave('unknown')
  },
}

/** Starts conversation `c`, which `a` owns with a lease of a minute. */
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
