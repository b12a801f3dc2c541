/** Our side: a runtime on its store, used through its public API only. */
import { holdpoint, type PendingHold, type Runtime, type TurnResult } from 'holdpoint'
import { conversationId, SAID } from './facts.ts'
import { freeAgent, type AgentShape } from './free-agent.ts'
import { eachTimed, inFlight, timed, type Side } from './side.ts'

export async function ours(place: string, shape: AgentShape): Promise<Side> {
  const hp = await holdpoint({ store: place, agents: [freeAgent(shape)] })
  let waiting: PendingHold[] = []
  const turn = async (conversation: string): Promise<void> => expect('done', await hp.send(conversation, SAID))
  return {
    turns: (conversation, count) => eachTimed(count, () => turn(conversation)),
    fresh: (from, count) => eachTimed(count, (nth) => turn(conversationId(from + nth))),
    crowd: async (from, conversations, turns) => {
      const all = range(from, conversations).map(conversationId)
      const took = await timed(() =>
        inFlight(conversations, all, async (id) => {
          for (let nth = 0; nth < turns; nth++) await turn(id)
        }),
      )
      return [took]
    },
    hold: async (from, count, width) => {
      const all = range(from, count).map(conversationId)
      return [await timed(() => inFlight(width, all, async (id) => expect('held', await hp.send(id, SAID))))]
    },
    find: async () => {
      const took = await timed(async () => {
        waiting = await allPending(hp)
      })
      return [waiting.length, took]
    },
    resolve: async (count, width) => {
      const next = waiting.splice(0, count)
      return [
        await timed(() =>
          inFlight(width, next, async ({ conversationId: id, callId }) => {
            const { verdict } = await hp.approve(id, callId)
            if (verdict !== 'accepted') throw new Error(`The approval of ${id} was ${verdict}.`)
            expect('done', await hp.continue(id))
          }),
        ),
      ]
    },
    pending: (times) => eachTimed(times, () => hp.pending()),
    close: () => hp.close(),
  }
}

async function allPending(hp: Runtime): Promise<PendingHold[]> {
  const all: PendingHold[] = []
  let after: string | undefined
  do {
    const page = await hp.pending({ limit: 1000, ...(after !== undefined && { after }) })
    all.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return all
}

function expect(status: TurnResult['status'], result: TurnResult): void {
  if (result.status !== status)
    throw new Error(`A turn is ${result.status} (${result.reason}: ${result.message}), not ${status}.`)
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, nth) => from + nth)
}
