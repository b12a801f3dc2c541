/**
 * Exports logs with their hashes and signed heads, for people who check them without the store. If this process has a key, the newest
 * head of each log is signed first, so that the whole export is covered.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { NO_HASH } from '@holdpoint/core/internal/log/chain'
import { CHAIN_FORMAT, CHAIN_VERSION, type BatchLine, type ChainLine } from '@holdpoint/core/internal/log/chain-line'
import type { Batch } from '@holdpoint/core/internal/log/batch'
import type { NewEvent } from '@holdpoint/core/internal/log/log-event'
import type { Address, Store } from '@holdpoint/core/internal/log/store'
import { isTombstone } from '@holdpoint/core/internal/turn/erased'
import type { Engine } from '../node/engine.ts'
import { signedHeads } from '../node/head-signer.ts'
import { logIds } from './export-conversations.ts'

const PAGE = 100

/** The lines before the last one, which has their hash. */
export type ChainBody = Exclude<ChainLine, { readonly type: 'end' }>

/** One log, or all of the tenant. Erased ones are left out. */
export async function* exportChain(
  { store, headSigner }: Pick<Engine, 'store' | 'headSigner'>,
  tenant: string,
  only: string | undefined,
): AsyncGenerator<ChainBody, void, undefined> {
  yield { type: 'export', format: CHAIN_FORMAT, version: CHAIN_VERSION }
  for (const id of only === undefined ? await logIds(store, tenant) : [only]) {
    const address = { tenant, id }
    const [first] = await store.read(address, 0, 1)
    if (!first || isTombstone(first)) {
      if (only === undefined) continue
      throw new HoldpointError('config-invalid', `There is no conversation "${id}" to export.`)
    }
    const signedUntil = (await headSigner?.sign(address)) ?? 0
    yield { type: 'log', tenant, id }
    let last = 0
    for await (const batch of batchesOf(store, address, signedUntil)) {
      yield batch
      last = batch.seq
    }
    // Heads of events that were written after the last batch was read.
    for (const { seq, head } of await signedHeads(store, address))
      if (seq <= last) yield { type: 'signed-head', ...head }
  }
}

/** Ends with the batch that was signed, so that events of a busy log that came afterwards are not left without a signature. */
async function* batchesOf(
  store: Store,
  address: Address,
  signedUntil: number,
): AsyncGenerator<BatchLine, void, undefined> {
  for (let after = 0; signedUntil === 0 || after < signedUntil;) {
    const page: readonly Batch[] = await store.batches(address, after, PAGE)
    if (page.length === 0) return
    for (const batch of page) {
      if (signedUntil > 0 && batch.seq > signedUntil) return
      yield lineOf(address, batch)
      after = batch.seq
    }
  }
}

function lineOf({ id }: Address, { seq, at, hash, events: text }: Batch): BatchLine {
  const events = JSON.parse(text) as readonly NewEvent[]
  if (events.some(isTombstone))
    throw new HoldpointError('config-invalid', `"${id}" was erased while it was exported. Export again.`)
  if (hash !== NO_HASH && JSON.stringify(events) !== text)
    throw new HoldpointError('log-damaged', `The events of "${id}" up to ${seq} are not as they were written.`)
  return { type: 'batch', seq, at, hash, events }
}
