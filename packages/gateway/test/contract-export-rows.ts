/** The rows of export and import. */
import { at, type Row } from './contract-row.ts'
import { Lines } from './kit.ts'

export const exportRows: Readonly<Record<string, Row>> = {
  forkConversation: {
    valid: ({ talk }) => ({ path: at('conversations', talk, 'fork'), body: { at: 1, to: 'copy' } }),
    status: 201,
    invalid: ({ talk }) => ({ path: at('conversations', talk, 'fork'), body: { at: 0 } }),
    other: 404,
    another: ({ talk }) => ({ path: at('conversations', talk, 'fork'), body: { at: 2 } }),
  },
  replayTurn: {
    valid: ({ talk }) => ({ path: at('conversations', talk, 'replay'), body: { agent: 'desk' } }),
    status: 200,
    invalid: ({ talk }) => ({ path: at('conversations', talk, 'replay'), body: { model: 'desk' } }),
    other: 404,
    another: ({ talk }) => ({ path: at('conversations', talk, 'replay'), body: { instructions: 'Be brief.' } }),
  },
  uploadFile: {
    valid: () => ({ path: '/api/files?name=a.txt', body: new Lines('A file.') }),
    status: 201,
    invalid: () => ({ path: '/api/files?size=1', body: new Lines('A file.') }),
    other: 'own',
    another: () => ({ path: '/api/files?name=b.txt', body: new Lines('A file.') }),
  },
  uploadLimits: {
    valid: () => ({ path: '/api/files' }),
    status: 200,
    invalid: () => ({ path: '/api/files?limit=1' }),
    other: 'own',
  },
  readFile: {
    valid: ({ file }) => ({ path: at('files', file) }),
    status: 200,
    invalid: ({ file }) => ({ path: `${at('files', file)}?limit=1` }),
    other: 404,
  },
  exportConversation: {
    valid: ({ talk }) => ({ path: at('conversations', talk, 'export') }),
    status: 200,
    invalid: ({ talk }) => ({ path: `${at('conversations', talk, 'export')}?limit=1` }),
    other: 404,
  },
  exportAll: {
    valid: () => ({ path: '/api/export' }),
    status: 200,
    invalid: () => ({ path: '/api/export?after=1' }),
    other: 'own',
  },
  import: {
    valid: () => ({ path: '/api/import', body: exported('moved') }),
    status: 200,
    invalid: () => ({ path: '/api/import', body: new Lines('{"type":"event"}') }),
    other: 'own',
    another: () => ({ path: '/api/import', body: exported('moved', 'other') }),
  },
}

function exported(...ids: readonly string[]): Lines {
  const logs = ids.flatMap((id) => [
    { type: 'conversation', data: { id } },
    { type: 'event', conversationId: id, event: { seq: 1, at: 5, type: 'conversation.opened', agent: 'desk' } },
  ])
  const first = { type: 'export', format: 'holdpoint.conversations', version: 1 }
  const end = { type: 'end', conversations: ids.length, events: ids.length }
  return new Lines([first, ...logs, end].map((line) => `${JSON.stringify(line)}\n`).join(''))
}
