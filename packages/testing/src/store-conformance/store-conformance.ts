/**
 * The contract of a store as a list of cases. Each has its own place, and throws if the store is wrong. They work with any test
 * runner:
 *
 *   for (const { name, run } of storeConformance(openPlace)) test(name, run)
 *
 * The cases check the contract in core's `Store` and nothing more: where it leaves a choice (the order of due
 * conversations, the size of a page, which notifications get lost), every choice passes.
 */
import { appendCases } from './append-cases.ts'
import { chainCases } from './chain-cases.ts'
import { crashCases } from './crash-cases.ts'
import { dataCases } from './data-cases.ts'
import { documentCases } from './document-cases.ts'
import { documentPageCases } from './document-page-cases.ts'
import { fileCases } from './file-cases.ts'
import { dueCases } from './due-cases.ts'
import { epochCases } from './epoch-cases.ts'
import { takeOverCases, leaseCases } from './lease-cases.ts'
import { listCases } from './list-cases.ts'
import { listenCases } from './listen-cases.ts'
import { noteCases } from './note-cases.ts'
import { eraseCases } from './erase-cases.ts'
import { labelCases } from './label-cases.ts'
import { usageCases } from './usage-cases.ts'
import { keyCases, markCases } from './key-and-mark-cases.ts'
import { pendingCases } from './pending-cases.ts'
import { raceCases } from './race-cases.ts'
import { callCases, headCases, loadCases, readCases } from './read-cases.ts'
import { play, type Cases, type OpenPlace } from './scene.ts'

export interface StoreCase {
  readonly name: string
  run(): Promise<void>
}

const ALL: Readonly<Record<string, Cases>> = {
  append: appendCases,
  chain: chainCases,
  mark: markCases,
  key: keyCases,
  epoch: epochCases,
  'take over': takeOverCases,
  lease: leaseCases,
  due: dueCases,
  load: loadCases,
  read: readCases,
  call: callCases,
  heads: headCases,
  pending: pendingCases,
  list: listCases,
  labels: labelCases,
  erase: eraseCases,
  usage: usageCases,
  listen: listenCases,
  data: dataCases,
  note: noteCases,
  document: documentCases,
  documents: documentPageCases,
  files: fileCases,
  race: raceCases,
  crash: crashCases,
}

export function storeConformance(openPlace: OpenPlace): readonly StoreCase[] {
  return Object.entries(ALL).flatMap(([about, cases]) =>
    Object.entries(cases).map(([sentence, act]) => ({
      name: `${about}: ${sentence}`,
      run: () => play(openPlace, act),
    })),
  )
}
