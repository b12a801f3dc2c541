/** `kill -9` between the bytes of an upload and the event that names them, and a disk that is full during an upload. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import type { LogEvent } from '@holdpoint/core'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { manualClock, proves, scriptedModel, testPorts } from '@holdpoint/testing'
import { agent, holdpoint, type Runtime, type Store } from 'holdpoint'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startChild, type Child } from '../../crash/child.ts'
import { shortFiles, smallDisk, type Disk } from './full-disk.ts'
import { sqlitePlace } from './places.ts'

vi.setConfig({ testTimeout: 240_000 })

const BYTES = 1_000_000
const SHA256 = createHash('sha256').update(new Uint8Array(BYTES).fill(7)).digest('hex')
/** More than the time that an unused file is kept. */
const LATER_MS = 26 * 3_600_000

async function startUploads(place: string, env: Readonly<Record<string, string>> = {}): Promise<Child & Told> {
  const told: Record<string, unknown>[] = []
  const onSources = { NODE_OPTIONS: '--conditions=@holdpoint/source' }
  const child = startChild('upload-process.ts', {
    args: [place],
    env: { ...onSources, ...env },
    hear: (line) => told.push(line),
  })
  onTestFinished(() => child.kill())
  await child.line('ready')
  return { ...child, told }
}

interface Told {
  readonly told: readonly Record<string, unknown>[]
}

interface Restarted {
  readonly runtime: Runtime
  readonly store: Store
  log(): Promise<readonly LogEvent[]>
  /** Moves the clock until the condition is true. */
  until(check: () => void | Promise<void>): Promise<void>
  close(): Promise<void>
}

/** A runtime on what the dead process left, some time later. */
async function restart(place: string, laterMs: number): Promise<Restarted> {
  const clock = manualClock(Date.now() + laterMs)
  const store = await sqliteStore(place, { now: clock.now })
  const desk = agent({ name: 'desk', model: scriptedModel(['Seen.', 'Seen.']) })
  const ports = testPorts({ clock, prefix: `later-${laterMs}` })
  const runtime = await holdpoint({ store, agents: [desk], ports, onProblem: () => {} })
  const tick = { on: true }
  const ticking = (async () => {
    while (tick.on) {
      await clock.advance(200)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })()
  const close = async (): Promise<void> => {
    if (!tick.on) return
    await runtime.close()
    await store.close()
    tick.on = false
    await ticking
  }
  onTestFinished(close)
  return {
    runtime,
    store,
    log: () => store.read({ tenant: '', id: 'c' }, 0),
    until: (check) => vi.waitFor(check, { timeout: 120_000, interval: 20 }),
    close,
  }
}

/** The names in the folder of files, except those that say which tenant it is of. */
function filesOf(place: string): readonly string[] {
  const folder = `${place}-files`
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) => (entry.isFile() && entry.name !== 'tenant.json' ? [entry.name] : []))
}

async function storedIds({ store }: Restarted): Promise<readonly string[]> {
  return (await store.files!().walk({ limit: 10 })).items.map(({ id }) => id)
}

async function hashOf({ runtime }: Restarted, id: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of runtime.files.read({ id, sha256: SHA256 })) hash.update(piece)
  return hash.digest('hex')
}

function partOf(id: string) {
  const file = { kind: 'stored', id, bytes: BYTES, sha256: SHA256 } as const
  return { type: 'file', mediaType: 'image/png', file } as const
}

const PROVES = 'bad-input.nothing-half-written'

test(
  proves(PROVES, 'kill -9 in the middle of the bytes: no file is there, and the rest goes after a day'),
  async () => {
    const { place } = sqlitePlace()
    const child = await startUploads(place)
    child.say({ bytes: BYTES, pause: true })
    await child.line('paused')
    await child.kill()
    expect(filesOf(place)).toEqual([expect.stringMatching(/^\.part-/)])

    const soon = await restart(place, 0)
    expect(await storedIds(soon)).toEqual([])
    expect(await soon.store.files!().usage('')).toBe(0)
    await soon.close()
    const later = await restart(place, LATER_MS)
    await later.until(() => expect(filesOf(place)).toEqual([]))
  },
)

test(proves(PROVES, 'kill -9 between the bytes and their document: a file that no message can name'), async () => {
  const { place } = sqlitePlace()
  const child = await startUploads(place, { DIE_BEFORE_DOCUMENT: 'yes' })
  child.say({ bytes: BYTES, send: true })
  expect(await child.died).toBe('SIGKILL')
  const [id = ''] = filesOf(place)

  const soon = await restart(place, 0)
  expect(await storedIds(soon)).toEqual([id])
  expect(await soon.runtime.files.find(id)).toBeUndefined()
  const sent = await soon.runtime.submit('c', [partOf(id)], { by: 'ada' })
  expect(sent).toMatchObject({ ok: false, refusal: 'file-missing' })
  expect(await soon.log()).toEqual([])
  await soon.close()
  const later = await restart(place, LATER_MS)
  await later.until(() => expect(filesOf(place)).toEqual([]))
})

test.each([true, false])(
  proves(PROVES, 'kill -9 between the document and the message: sent again (%s), it stays, else it goes after a day'),
  async (again) => {
    const { place } = sqlitePlace()
    const child = await startUploads(place, { CRASH_AT: 'turn.started:before:1' })
    child.say({ bytes: BYTES, send: true })
    expect(await child.died).toBe('SIGKILL')
    const [id = ''] = filesOf(place)
    expect(child.told).toContainEqual({ uploaded: id })

    const soon = await restart(place, 0)
    expect(await soon.log()).toEqual([])
    expect(await hashOf(soon, id)).toBe(SHA256)
    if (again) expect(await soon.runtime.submit('c', [partOf(id)], { by: 'ada', key: 'k' })).toMatchObject({ ok: true })
    await soon.close()
    // A file that nothing has any more shows that the collector has been there.
    const other = await startUploads(place, { DIE_BEFORE_DOCUMENT: 'yes' })
    other.say({ bytes: BYTES })
    await other.died
    expect(filesOf(place)).toHaveLength(2)
    const later = await restart(place, LATER_MS)
    await later.until(() => expect(filesOf(place)).toEqual(again ? [id] : []))
    if (again) expect(await hashOf(later, id)).toBe(SHA256)
    else expect(await later.runtime.files.find(id)).toBeUndefined()
  },
)

test(proves(PROVES, 'kill -9 right after the message: the log names a file that is whole'), async () => {
  const { place } = sqlitePlace()
  const child = await startUploads(place, { CRASH_AT: 'turn.started:after:1' })
  child.say({ bytes: BYTES, send: true })
  expect(await child.died).toBe('SIGKILL')
  const [id = ''] = filesOf(place)
  const later = await restart(place, LATER_MS)
  expect((await later.log())[0]).toMatchObject({ items: [{ message: { parts: [partOf(id)] } }] })
  await later.until(async () => expect((await later.log()).at(-1)?.type).toBe('model.replied'))
  expect(await hashOf(later, id)).toBe(SHA256)
  expect(await later.runtime.files.of('c')).toMatchObject([{ id, conversations: ['c'] }])
})

/** Uploads while there is no space, then when there is. Returns the error. */
async function fillAndUpload(disk: Disk): Promise<string> {
  const { file: place } = disk
  const child = await startUploads(place)
  child.say({ bytes: 1000 })
  const { uploaded: kept } = await child.line('uploaded')
  disk.fill({ child })
  child.say({ bytes: BYTES, send: true })
  const { failed, message } = await child.line('failed')
  expect(failed).toBe('store-unavailable')
  expect(filesOf(place)).toEqual([kept])
  disk.free({ child })
  child.say({ bytes: BYTES, send: true })
  expect(await child.line('sent')).toMatchObject({ sent: { ok: true } })
  await child.kill()
  const later = await restart(place, LATER_MS)
  await later.until(() => expect(filesOf(place)).not.toContain(kept))
  const [{ id } = { id: '' }, ...others] = await later.runtime.files.of('c')
  expect(others).toEqual([])
  expect(await hashOf(later, id)).toBe(SHA256)
  return String(message)
}

test(
  proves(PROVES, 'with a full disk, an upload is refused with the reason, leaves no bytes, and later works'),
  async ({ skip }) => {
    const disk = smallDisk()
    if (!disk) return skip('only who may mount a tmpfs can run this; the next test needs no rights')
    expect(await fillAndUpload(disk)).toMatch(/A file could not be stored in .*: the disk is full\./)
  },
)

test(
  proves(PROVES, 'with files that cannot grow, an upload is refused and leaves no bytes, and later works'),
  async ({ skip }) => {
    const disk = shortFiles()
    if (!disk) return skip('there is no prlimit here')
    expect(await fillAndUpload(disk)).toMatch(/A file could not be stored in .*: EFBIG: file too large/)
  },
)
