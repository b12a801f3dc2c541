/** `kill -9` of the process that tells people of a hold and takes their answers. The service decides the moment. */
import { existsSync, readFileSync } from 'node:fs'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { proves } from '@holdpoint/testing'
import type { LogEvent, Store } from '@holdpoint/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startChild, type Child } from '../../crash/child.ts'
import { sqlitePlace } from './places.ts'
import { TelegramStandIn, type Moment } from './telegram-stand-in.ts'

vi.setConfig({ testTimeout: 240_000 })

const [ADA, BEN] = [7, 8]
/** Longer than a claim. */
const LATER_MS = 120_000

interface Running {
  readonly child: Child
  /** A person presses a button in the newest of their messages. Rejects when the process dies before it answers. */
  press(user: number, button: 'approve' | 'reject', nth?: number): Promise<number>
}

interface Desk {
  readonly telegram: TelegramStandIn
  /** Starts the next process. The clock of its channels is past the claims of the one before. */
  start(env?: Readonly<Record<string, string>>): Running
  /** The log, read without a runtime. */
  log(): Promise<readonly LogEvent[]>
  /** How many copies are marked as shown. */
  marks(): Promise<number>
  paid(): number
}

async function openDesk(): Promise<Desk> {
  const telegram = await TelegramStandIn.open()
  const { place } = sqlitePlace()
  let started = 0
  const read = async <T>(what: (store: Store) => Promise<T>): Promise<T> => {
    const store = await sqliteStore(place)
    try {
      return await what(store)
    } finally {
      await store.close()
    }
  }
  return {
    telegram,
    start: (env = {}) => {
      const args = [place, telegram.apiRoot, String(LATER_MS * started++)]
      const onSources = { NODE_OPTIONS: '--conditions=@holdpoint/source' }
      const child = startChild('channel-process.ts', { args, env: { ...onSources, ...env } })
      onTestFinished(() => child.kill())
      const press: Running['press'] = async (user, button, nth = -1) => {
        const { port } = await child.line('port')
        return telegram.press(port, user, button, telegram.of(user).at(nth))
      }
      return { child, press }
    },
    log: () => read((store) => store.read({ tenant: '', id: 'c' }, 0)),
    marks: () =>
      read(async (store) => (await store.documents({ tenant: '', kind: 'channels.copy', limit: 9 })).items.length),
    paid: () => (existsSync(`${place}.paid`) ? readFileSync(`${place}.paid`, 'utf8').trim().split('\n').length : 0),
  }
}

/** A condition that another process makes true. */
function soon(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 120_000, interval: 20 })
}

/** Both have a message, and the process knows which: nothing else can bring a message up to date. */
async function bothTold({ telegram, marks }: Desk): Promise<void> {
  await soon(async () => expect(await marks()).toBe(2))
  for (const user of [ADA, BEN]) expect(telegram.of(user).length).toBeGreaterThan(0)
}

/** How the hold ended in the newest message of each person. */
async function endInCopies({ telegram }: Desk): Promise<string> {
  const ends = (): readonly string[] =>
    [ADA, BEN].map((user) => /It was (\w+ by \w+)\./.exec(telegram.of(user).at(-1)?.text ?? '')?.[1] ?? 'open')
  await soon(() => expect(ends()).not.toContain('open'))
  expect(new Set(ends()).size).toBe(1)
  for (const user of [ADA, BEN]) expect(telegram.of(user).length, 'told twice at most').toBeLessThanOrEqual(2)
  return ends()[0]!
}

/** Everything that was decided, in the words of a copy. */
async function decisions({ log }: Desk): Promise<readonly string[]> {
  return (await log()).flatMap((event) => {
    if (!('resolution' in event) || !('by' in event)) return []
    return [`${event.type === 'call.approved' ? 'approved' : 'rejected'} by ${String(event.by)}`]
  })
}

test.each<readonly [string, Moment]>([
  ['between the commit and the message', 'asked'],
  ['between the message and its answer', 'done'],
  ['between the answer of the service and its mark', 'answered'],
])(proves('channel.told-at-least-once', 'kill -9 %s: each is told, and one press decides'), async (_name, moment) => {
  const desk = await openDesk()
  const { telegram } = desk
  telegram.killAt('sendMessage', moment, () => first.child)
  const first = desk.start({ SEND: 'yes' })
  expect(await first.child.died).toBe('SIGKILL')
  expect(await desk.marks()).toBe(0)

  const second = desk.start()
  await bothTold(desk)
  // A message without a mark was sent again.
  expect(telegram.messages.length).toBeGreaterThanOrEqual(moment === 'asked' ? 2 : 3)
  expect(await second.press(ADA, 'approve')).toBe(200)
  expect(await endInCopies(desk)).toBe('approved by ada')
  // An older message still has its buttons: a press is answered, and decides nothing.
  expect(await second.press(BEN, 'reject', 0)).toBe(200)
  expect(telegram.told).toEqual(['Recorded.', expect.stringContaining('Nothing was decided.')])
  expect(await decisions(desk)).toEqual(['approved by ada'])
  await soon(() => expect(desk.paid()).toBe(1))
})

test.each<
  readonly [
    string,
    { readonly env?: string; readonly at?: readonly ['answerCallbackQuery' | 'editMessageText', Moment] },
  ]
>([
  ['before the decision of a press is written', { env: 'call.approved:before:1' }],
  ['after the decision of a press is written', { env: 'call.approved:after:1' }],
  ['between the decision and its answer', { at: ['answerCallbackQuery', 'asked'] }],
  ['between the answer and its receipt', { at: ['answerCallbackQuery', 'answered'] }],
  ['between the edit of a copy and its mark', { at: ['editMessageText', 'done'] }],
])(
  proves('hold.resolves-once', 'channel.told-at-least-once', 'kill -9 %s: one decision, and every copy says it'),
  async (_name, { env, at }) => {
    const desk = await openDesk()
    const { telegram } = desk
    const first = desk.start({ SEND: 'yes', ...(env !== undefined && { CRASH_AT: env }) })
    await bothTold(desk)
    if (at) telegram.killAt(...at, () => first.child)
    // The service gets no answer.
    await first.press(ADA, 'approve').catch(() => {})
    expect(await first.child.died).toBe('SIGKILL')
    const before = await decisions(desk)
    expect(before).toEqual(env === 'call.approved:before:1' ? [] : ['approved by ada'])

    const second = desk.start()
    // It repeats the press, while another person decides otherwise.
    expect(await Promise.all([second.press(ADA, 'approve'), second.press(BEN, 'reject')])).toEqual([200, 200])
    const end = await endInCopies(desk)
    expect(await decisions(desk)).toEqual([end])
    if (before.length > 0) expect([end]).toEqual(before)
    expect(desk.paid()).toBeLessThanOrEqual(end === 'approved by ada' ? 1 : 0)
  },
)
