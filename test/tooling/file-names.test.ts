/** The check of file names: a file is named after what it exports. */
import { expect, test } from 'vitest'
import { nameProblems, needlessExceptions, wordsOf } from '../../scripts/file-names.ts'

const folder = 'packages/core/src'

test.each([
  ['turn-state.ts', 'export interface TurnState {}'],
  ['holds.ts', 'export function holdRoutes() {}'],
  ['policies.ts', 'export const policy = 1'],
  ['expire-hold.ts', 'export function decideExpire() {}'],
  ['people.ts', 'export interface Person {}'],
  ['openid-provider.ts', 'export class OpenIdProvider {}'],
  ['approval-card.tsx', "export function ApprovalCard() {}\nexport const other = 'x'"],
  ['index.ts', "export { turn } from './turn.ts'"],
  ['writer-thread.ts', 'start()'],
])('%s may hold: %s', (name, text) => {
  expect(nameProblems(`${folder}/${name}`, text)).toEqual([])
})

test.each([
  ['begun.ts', 'export function ownTurn() {}'],
  ['page.ts', 'export function newestTurns() {}'],
  ['decide-space.ts', 'export function decideTurn() {}'],
])('%s may not hold: %s', (name, text) => {
  expect(nameProblems(`${folder}/${name}`, text)).toHaveLength(1)
})

test('a name is taken apart into words', () => {
  expect(['TurnState', 'turn-state', 'TURN_STATE', 'aHTTPServer'].map(wordsOf)).toEqual([
    ['turn', 'state'],
    ['turn', 'state'],
    ['turn', 'state'],
    ['a', 'http', 'server'],
  ])
})

test('an exception that no file needs is a problem', () => {
  expect(needlessExceptions({ 'a.ts': 'why', 'b.ts': 'why' }, new Set(['a.ts']))).toHaveLength(1)
})
