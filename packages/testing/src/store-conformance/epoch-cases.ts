/** Owners and epochs of conversations. */
import { at, draft, hold, NOON, sameLog, written } from './drafts.ts'
import { holds, same } from './expect.ts'
import type { Cases, Scene } from './scene.ts'

const MINUTE = 60_000

export const epochCases: Cases = {
  'the node whose append starts a conversation becomes its owner, under a new epoch': async ({ store }) => {
    const resting = await written(store, draft('c', 0))
    const running = await written(store, draft('c', 1, { status: 'running', node: 'a' }))
    same([resting.owned, running.owned], [false, true], 'owned')
    holds(running.epoch > resting.epoch, `the epoch grows: ${resting.epoch}, ${running.epoch}`)
  },

  'an append does not make its node the owner of a conversation that does not run': async ({ store }) => {
    const { epoch } = await written(store, draft('c', 0))
    for (const [index, status] of (['held', 'idle'] as const).entries()) {
      const answer = await written(store, draft('c', index + 1, { status, node: 'a' }))
      same([answer.owned, answer.epoch], [false, epoch], `owned and epoch of a conversation that is ${status}`)
    }
    same((await written(store, draft('d', 0, { status: 'held', node: 'a' }))).owned, false, 'owned, when it is made so')
  },

  'a conversation that was started without a node has no owner': async ({ store }) => {
    same((await written(store, draft('c', 0, { status: 'running' }))).owned, false, 'owned')
    same((await store.due({ agents: ['desk'], limit: 9 })).conversations, [at('c')], 'due')
    const { owned } = await written(store, draft('c', 1, { status: 'running', node: 'a' }))
    same(owned, true, 'owned by the first who would drive')
  },

  'a driver keeps its epoch when the conversation comes to rest and runs again': async ({ store }) => {
    await store.beat('a', MINUTE)
    const { epoch } = await written(store, draft('c', 0, { status: 'running', node: 'a' }))
    for (const [index, status] of (['running', 'held', 'running', 'idle'] as const).entries()) {
      const answer = await written(store, draft('c', index + 1, { status, epoch, node: 'a' }))
      same(answer.epoch, epoch, `the epoch once it is ${status}`)
      if (status === 'running') same(answer.owned, true, 'owned')
    }
  },

  'another process may append while a node owns the conversation, and does not become the owner': async ({
    store,
    another,
  }) => {
    await store.beat('a', MINUTE)
    const { epoch } = await written(store, draft('c', 0, { status: 'running', node: 'a' }))
    const outsider = await written(await another(), draft('c', 1, { status: 'running', node: 'b' }))
    same([outsider.owned, outsider.epoch], [false, epoch], 'owned and epoch of the outsider')
    await written(await another(), draft('c', 2, { status: 'running' }))
    await written(store, draft('c', 3, { status: 'running', epoch }))
  },

  'an owner that appends without its epoch stays the owner, under the same epoch': async ({ store }) => {
    await store.beat('a', MINUTE)
    const { epoch } = await written(store, draft('c', 0, { status: 'running', node: 'a' }))
    const { owned, epoch: still } = await written(store, draft('c', 1, { status: 'running', node: 'a' }))
    same([owned, still], [true, epoch], 'owned and epoch')
  },

  'an append with a node takes over a running conversation whose owner’s lease has expired': async (scene) => {
    await takenAfter(scene, async ({ advance }) => advance(2 * MINUTE))
  },

  'an append with a node takes over a running conversation whose owner has left': async (scene) => {
    await takenAfter(scene, async ({ store }) => store.leave('a'))
  },

  'an append with a node takes over an idle conversation, even if its last owner has a valid lease': async (scene) => {
    for (const [id, status] of [
      ['c', 'held'],
      ['d', 'idle'],
    ] as const) {
      await takenAfter(
        scene,
        async ({ store }, epoch) => void (await written(store, draft(id, 1, { status, epoch }))),
        id,
      )
    }
  },

  'an append with an old epoch is fenced, even if the seq is right': async ({ store }) => {
    const { epoch } = await written(store, draft('c', 0, { status: 'running', node: 'a' }))
    const newer = await written(store, draft('c', 1, { status: 'running', node: 'b' }))
    holds(newer.owned && newer.epoch > epoch, 'b takes over from a, which never sent a heartbeat')
    same(await store.append(draft('c', 2, { epoch })), { result: 'fenced' }, 'the old driver')
    await written(store, draft('c', 2, { epoch: newer.epoch }))
  },

  'an append with an unknown epoch is fenced': async ({ store }) => {
    same(await store.append(draft('new', 0, { epoch: 7 })), { result: 'fenced' }, 'in a new conversation')
    const { epoch } = await written(store, draft('c', 0, { status: 'running', node: 'a' }))
    same(await store.append(draft('c', 1, { epoch: epoch + 1 })), { result: 'fenced' }, 'one too high')
    same(await store.heads([at('new'), at('c')]), [0, 1], 'the last seqs')
  },

  'a fenced append writes nothing': async ({ store }) => {
    const first = draft('c', 0, { status: 'running', node: 'a', base: 'first' })
    const { epoch } = await written(store, first)
    const taken = await store.takeOver(at('c'), 'b')
    const rows = { agent: 'other', base: 'second', holds: [hold('call')], at: NOON + 1 }
    const late = draft('c', 1, { ...rows, many: 2, epoch, key: 'k' })
    same(await store.append(late), { result: 'fenced' }, 'the old driver')
    same(await store.append(late), { result: 'fenced' }, 'the old driver, again')

    await sameLog(store, at('c'), [first])
    const row = { id: 'c', agent: 'desk', status: 'running', seq: 1, createdAt: NOON, updatedAt: NOON }
    same((await store.list({ tenant: '', limit: 9 })).items, [row], 'list')
    same((await store.pending({ tenant: '', limit: 9 })).items, [], 'pending')
    same((await store.load(at('c')))?.base, { seq: 1, state: 'first' }, 'the base')
    const next = await written(store, draft('c', 1, { status: 'idle', key: 'k', ...(taken ? { epoch: taken } : {}) }))
    same(next.epoch, taken, 'the epoch')
  },

  'epochs only grow, for every node and every kind of takeover': async ({ store }) => {
    const epochs: (number | undefined)[] = []
    for (let seq = 0; seq < 8; seq += 2) {
      epochs.push((await written(store, draft('c', seq, { status: 'running', node: `n${seq}` }))).epoch)
      epochs.push(await store.takeOver(at('c'), `m${seq}`))
      await written(store, draft('c', seq + 1, { status: 'idle' }))
    }
    const grown = epochs.every((epoch, index) => epoch !== undefined && epoch > (epochs[index - 1] ?? -1))
    holds(grown, `each epoch is above the one before: ${epochs.join(', ')}`)
  },
}

/** `a` drives, `between` runs, and then `b` appends and becomes the owner. The append of the old driver must be fenced. */
async function takenAfter(
  scene: Scene,
  happens: (scene: Scene, epoch: number) => Promise<void>,
  id = 'c',
): Promise<void> {
  const { store, another } = scene
  await store.beat('a', MINUTE)
  const { epoch } = await written(store, draft(id, 0, { status: 'running', node: 'a' }))
  await happens(scene, epoch)
  const [seq = 0] = await store.heads([at(id)])
  await store.beat('b', MINUTE)
  const taken = await written(await another(), draft(id, seq, { status: 'running', node: 'b' }))
  same(taken.owned, true, 'owned by b')
  holds(taken.epoch > epoch, `the epoch grows: ${epoch}, ${taken.epoch}`)
  same(await store.append(draft(id, seq + 1, { epoch })), { result: 'fenced' }, 'a, under its old epoch')
  await written(store, draft(id, seq + 1, { status: 'running', epoch: taken.epoch }))
}
