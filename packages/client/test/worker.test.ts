import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import type { ClaimedCall } from '@holdpoint/protocol'
import { worker, type ConnectOptions, type WorkerContext } from '@holdpoint/client'
import { desk } from './desk.ts'

const until = (check: () => unknown): Promise<unknown> =>
  vi.waitFor(async () => expect(await check()).toBeTruthy(), { timeout: 60_000, interval: 10 })
const quick = { wait: 0.2, graceMs: 500 }
/** A short claim, for tests that lose it. A machine that pauses this long loses it too. */
const brief = { ...quick, ttlMs: 2000 }

const silence = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

test('a worker runs a waiting call, and the turn continues', async () => {
  const { client } = await desk()
  const ship = vi.fn<(input: { to: string }) => unknown>((input) => ({ parcel: `for ${input.to}` }))
  const working = worker(client, { ...quick, tools: { ship } })
  const sent = await client.conversations.send('c1', 'ship Ada Bob', { wait: 10 })
  // Waiting for the turn includes waiting for its workers.
  expect(sent).toMatchObject({ result: { status: 'done' } })
  const view = await client.conversations.view('c1')
  expect(view?.turns[0]?.steps[0]?.calls.map(({ outcome }) => outcome)).toEqual([
    { ok: true, value: { parcel: 'for Ada' } },
    { ok: true, value: { parcel: 'for Bob' } },
  ])
  await working.stop()
  expect(ship).toHaveBeenCalledTimes(2)
})

test('the model reads the error of a handler, and an error for an invalid result', async () => {
  const { client } = await desk()
  const ship = ({ to }: { to: string }) => {
    if (to === 'Ada') throw new Error('The lorry broke down.')
    return 'a parcel'
  }
  const working = worker(client, { ...quick, tools: { ship }, concurrency: 2 })
  await client.conversations.send('c1', 'ship Ada Bob')
  await until(async () => (await client.conversations.view('c1'))?.status === 'idle')
  const calls = (await client.conversations.view('c1'))?.turns[0]?.steps[0]?.calls ?? []
  expect(calls[0]?.outcome).toMatchObject({ error: { message: 'The lorry broke down.' } })
  expect(calls[1]?.outcome).toMatchObject({ ok: false })
  await working.stop()
})

test('several workers share the load, and no call runs twice', async () => {
  const { client, another } = await desk()
  const done: string[] = []
  const workers = Array.from({ length: 3 }, (_, nth) =>
    worker(another(), {
      ...quick,
      concurrency: 2,
      tools: {
        ship: async (_input, { call }) => {
          await new Promise((resolve) => setTimeout(resolve, 20))
          done.push(`${nth} ${call.callId}`)
          return { parcel: call.callId }
        },
      },
    }),
  )
  for (let n = 0; n < 8; n++) await client.conversations.send(`c${n}`, 'ship Ada Bob Cleo')
  await until(() => done.length >= 24)
  await Promise.all(workers.map((each) => each.stop()))
  expect(new Set(done.map((each) => each.split(' ')[1])).size).toBe(24)
  expect(done).toHaveLength(24)
  expect(new Set(done.map((each) => each.split(' ')[0])).size).toBeGreaterThan(1)
})

test('a worker runs at most `concurrency` calls at a time', async () => {
  const { client } = await desk()
  let now = 0
  let most = 0
  let done = 0
  const ship = async () => {
    most = Math.max(most, ++now)
    await new Promise((resolve) => setTimeout(resolve, 30))
    now--
    done++
    return { parcel: 'x' }
  }
  const working = worker(client, { ...quick, tools: { ship }, concurrency: 2 })
  await client.conversations.send('c1', 'ship Ada Bob Cleo Dora Eve')
  await until(() => done === 5)
  await working.stop()
  expect(most).toBe(2)
})

test('a worker reports once that a tool is not streaming, and continues', async () => {
  const { client, another } = await desk()
  const notStreaming: ConnectOptions['fetch'] = async (url, init) => {
    const told = await fetch(url, init)
    return url.endsWith('/progress') ? Response.json({ ...((await told.json()) as object), shown: false }) : told
  }
  const errors: string[] = []
  const results: string[] = []
  const working = worker(another({ fetch: notStreaming }), {
    ...brief,
    tools: {
      ship: async (_input, { progress }) => {
        await progress({ percent: 10 })
        await progress({ percent: 90 })
        return { parcel: 'p' }
      },
    },
    onError: ({ message }) => errors.push(message),
    onResult: ({ verdict }) => results.push(verdict),
  })
  for (const id of ['c1', 'c2']) await client.conversations.create({ id })
  for (const id of ['c1', 'c2']) await client.conversation(id).send('ship Ada')
  await until(() => results.length === 2)
  await working.stop()
  expect(results).toEqual(['accepted', 'accepted'])
  expect(errors).toEqual([
    'Tool "ship" reports progress, but its declaration does not say "streaming: true", so its progress is not shown.',
  ])
})

test('the claim is renewed while a long handler runs, and progress is shown', async () => {
  const { client, another } = await desk()
  const began: string[] = []
  let told = 0
  const counting: ConnectOptions['fetch'] = (url, init) => {
    if (url.endsWith('/progress')) told++
    return fetch(url, init)
  }
  const slow = async (_input: unknown, { call, progress, signal }: WorkerContext) => {
    began.push(call.callId)
    await progress({ percent: 50 })
    // A claim is renewed after a third of its time. Without that, it would have expired by now.
    await until(() => told >= 1 + 5)
    return { parcel: signal.aborted ? 'lost' : 'kept' }
  }
  const workers = [another({ fetch: counting }), another({ fetch: counting })].map((each) =>
    worker(each, { ...brief, tools: { ship: slow } }),
  )
  const live = client.conversation('c1')
  const seen: unknown[] = []
  live.subscribe((view) => seen.push(...view.live.progress.map(({ value }) => value)))
  await client.conversations.create({ id: 'c1' })
  await live.send('ship Ada')
  await until(() => live.view.status === 'idle' && live.view.turns.length === 1)
  expect(began).toHaveLength(1)
  expect(live.view.turns[0]?.steps[0]?.calls[0]?.outcome).toEqual({ ok: true, value: { parcel: 'kept' } })
  expect(seen).toContainEqual({ percent: 50 })
  live.close()
  await Promise.all(workers.map((each) => each.stop()))
})

test('a paused worker loses its claim to another worker, and gets `claim-lost` when it continues', async () => {
  const { client, another } = await desk()
  let dead = false
  // A paused process sends nothing.
  const dying = another({
    attempts: 1,
    fetch: (url, init) => (dead ? silence(init.signal) : fetch(url, init)),
    timeoutMs: 400,
  })
  const lost = vi.fn<() => void>()
  const first = worker(dying, {
    ...brief,
    tools: {
      ship: (_input, { signal }) => {
        dead = true
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            lost()
            resolve({ parcel: 'from the dead' })
          })
        })
      },
    },
  })
  await client.conversations.send('c1', 'ship Ada')
  await until(() => dead)
  const second = worker(client, { ...quick, tools: { ship: () => ({ parcel: 'from the second' }) } })
  await until(async () => (await client.conversations.view('c1'))?.status === 'idle')
  const view = await client.conversations.view('c1')
  expect(view?.turns[0]?.steps[0]?.calls[0]?.outcome).toEqual({ ok: true, value: { parcel: 'from the second' } })
  await until(() => lost.mock.calls.length === 1)
  await Promise.all([first.stop(), second.stop()])
})

test('`stop` waits for running handlers, and gives the calls of the others back', async () => {
  const { client, another } = await desk()
  const began: string[] = []
  const stubborn = worker(another(), {
    ...quick,
    concurrency: 2,
    tools: {
      ship: async ({ to }: { to: string }) => {
        began.push(to)
        await new Promise((resolve) => setTimeout(resolve, to === 'Ada' ? 100 : 1_000_000))
        return { parcel: to }
      },
    },
  })
  await client.conversations.send('c1', 'ship Ada Bob')
  await until(() => began.length === 2)
  await stubborn.stop()
  const { items } = await client.holds.list({ tool: 'ship' })
  expect(items.map(({ input }) => input)).toEqual([{ to: 'Bob' }])
  const taken: ClaimedCall[] = [...(await client.calls.claim({ tools: ['ship'] })).items]
  expect(taken.map(({ input }) => input)).toEqual([{ to: 'Bob' }])
})

test('a worker waits for a gateway that is down, and fails with an invalid credential', async () => {
  const { client, another, line } = await desk()
  const errors: Error[] = []
  const working = worker(another({ attempts: 1 }), {
    ...quick,
    tools: { ship: () => ({ parcel: 'x' }) },
    onError: (error) => errors.push(error),
  })
  line.refuse(true)
  await until(() => errors.length > 0)
  line.refuse(false)
  await client.conversations.send('c1', 'ship Ada')
  await until(async () => (await client.conversations.view('c1'))?.status === 'idle')
  await working.stop()
  const stranger = worker(another({ key: 'hp_wrong' }), { ...quick, tools: { ship: () => 1 } })
  await expect(stranger.done).rejects.toMatchObject({ code: 'unauthorised' })
})

test('a wrong key is reported to `onError`, or ends the program', async () => {
  const { another, line } = await desk()
  const errors: unknown[] = []
  worker(another({ key: 'hp_wrong' }), { tools: { ship: () => 1 }, onError: (error) => errors.push(error) })
  await until(() => errors.length > 0)
  expect(errors).toMatchObject([{ code: 'unauthorised' }])

  const program = `import { connect, worker } from '@holdpoint/client'
    worker(connect({ url: '${line.url}', key: 'hp_wrong' }), { tools: { ship: () => 1 } })
    setTimeout(() => {}, 60_000)`
  const flags = ['--conditions=@holdpoint/source', '--input-type=module', '-e', program]
  const ended = await promisify(execFile)(process.execPath, flags, { cwd: import.meta.dirname }).catch(
    (error: { code: number; stderr: string }) => error,
  )
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('unauthorised') })
})

test('`stop` does not wait for a pending claim, and a call that arrives then is free for other workers', async () => {
  const { client, another } = await desk()
  let asked = 0
  const counting: ConnectOptions['fetch'] = (url, init) => {
    asked++
    return fetch(url, init)
  }
  // The default: a claim waits for 10 s.
  const idle = worker(another({ fetch: counting }), { tools: { ship: () => ({ parcel: 'x' }) } })
  await until(() => asked === 1)
  await until(async () => (await client.calls.workers()).items.length === 1)
  const began = Date.now()
  await idle.stop()
  expect(Date.now() - began).toBeLessThan(9000)
  await client.conversations.send('c1', 'ship Ada', { wait: 5 })
  expect((await client.calls.claim({ tools: ['ship'], wait: 1 })).items).toHaveLength(1)
})

test('a call that was claimed during `stop` is given back', async () => {
  const { client, another } = await desk()
  await client.conversations.send('c1', 'ship Ada', { wait: 5 })
  let stopping: Promise<void> | undefined
  // The gateway responds, but the worker no longer reads the response.
  const late: ConnectOptions['fetch'] = async (url, init) => {
    const response = await fetch(url, { ...init, signal: null })
    if (!stopping && url.endsWith('/claim')) {
      stopping = working.stop()
      throw init.signal?.reason
    }
    return response
  }
  const ran: string[] = []
  const working = worker(another({ fetch: late }), { tools: { ship: () => (ran.push('ship'), { parcel: 'x' }) } })
  await until(() => stopping !== undefined)
  await stopping
  expect(ran).toEqual([])
  expect((await client.calls.claim({ tools: ['ship'] })).items).toHaveLength(1)
})
