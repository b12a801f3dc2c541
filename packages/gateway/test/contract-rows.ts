/** One row per operation of the OpenAPI document: a valid request and an invalid one. */
import { at, read, type Row } from './contract-row.ts'
import { spaceRows } from './contract-space-rows.ts'
import { ruleRows } from './contract-rule-rows.ts'
import { channelRows } from './contract-channel-rows.ts'
import { mcpRows } from './contract-mcp-rows.ts'
import { exportRows } from './contract-export-rows.ts'
import { insightRows } from './contract-insight-rows.ts'

export const rows: Readonly<Record<string, Row>> = {
  listWorkers: read('/api/workers?limit=10', '/api/workers?limit=0'),
  changes: read('/api/changes?wait=0', '/api/changes?wait=soon'),
  health: read('/api/health', '/api/health?x=1'),
  ready: read('/api/ready', '/api/ready?x=1'),

  createAgent: {
    valid: () => ({ path: '/api/agents', body: { name: 'new', tools: [] } }),
    status: 201,
    invalid: () => ({ path: '/api/agents', body: { tools: [] } }),
    other: 'own',
    another: () => ({ path: '/api/agents', body: { name: 'newer' } }),
  },
  listAgents: read('/api/agents?limit=10', '/api/agents?limit=0'),
  getAgent: {
    valid: ({ agent }) => ({ path: at('agents', agent) }),
    status: 200,
    invalid: () => ({ path: at('agents', 'x'.repeat(300)) }),
    other: 404,
  },
  updateAgent: {
    valid: ({ agent }) => ({ path: at('agents', agent), body: { name: agent, instructions: 'Be kind.' } }),
    status: 200,
    invalid: ({ agent }) => ({ path: at('agents', agent), body: { name: 'other' } }),
    other: 404,
    another: ({ agent }) => ({ path: at('agents', agent), body: { name: agent } }),
  },
  deleteAgent: {
    valid: ({ agent }) => ({ path: at('agents', agent) }),
    status: 204,
    invalid: ({ agent }) => ({ path: at('agents', agent), body: {} }),
    other: 404,
    another: () => ({ path: at('agents', 'another') }),
  },

  createConversation: {
    valid: () => ({ path: '/api/conversations', body: { id: 'fresh', agent: 'desk' } }),
    status: 201,
    invalid: () => ({ path: '/api/conversations', body: { idd: 'fresh' } }),
    other: 'own',
    another: () => ({ path: '/api/conversations', body: { id: 'fresher' } }),
  },
  listConversations: {
    valid: () => ({ path: '/api/conversations?status=idle' }),
    status: 200,
    invalid: () => ({ path: '/api/conversations?status=sleepy' }),
    other: 'own',
  },
  eraseConversation: {
    valid: ({ talk }) => ({ path: at('conversations', talk) }),
    status: 204,
    invalid: ({ talk }) => ({ path: `${at('conversations', talk)}?cancel=yes` }),
    other: 404,
    another: ({ refund }) => ({ path: at('conversations', refund.id) }),
  },
  viewConversation: {
    valid: ({ talk }) => ({ path: at('conversations', talk) }),
    status: 200,
    invalid: ({ talk }) => ({ path: `${at('conversations', talk)}?turns=many` }),
    other: 404,
  },
  sendMessage: {
    valid: ({ talk }) => ({ path: `${at('conversations', talk, 'messages')}?wait=5`, body: { content: 'and?' } }),
    status: 200,
    invalid: ({ talk }) => ({ path: at('conversations', talk, 'messages'), body: { content: '' } }),
    other: 'own',
    another: ({ talk }) => ({ path: at('conversations', talk, 'messages'), body: { content: 'something else' } }),
  },
  cancelConversation: {
    valid: ({ refund }) => ({ path: at('conversations', refund.id, 'cancel'), body: { message: 'enough' } }),
    status: 200,
    invalid: ({ refund }) => ({ path: at('conversations', refund.id, 'cancel'), body: { message: 5 } }),
    other: 404,
    another: ({ shipped }) => ({ path: at('conversations', shipped.id, 'cancel'), body: {} }),
  },
  continueConversation: {
    valid: ({ refund }) => ({ path: `${at('conversations', refund.id, 'continue')}?wait=5`, body: {} }),
    status: 200,
    invalid: ({ refund }) => ({ path: `${at('conversations', refund.id, 'continue')}?wait=1000`, body: {} }),
    other: 404,
    another: ({ shipped }) => ({ path: at('conversations', shipped.id, 'continue'), body: {} }),
  },
  explainConversation: {
    valid: ({ talk }) => ({ path: at('conversations', talk, 'explain') }),
    status: 200,
    invalid: ({ talk }) => ({ path: `${at('conversations', talk, 'explain')}?turn=1` }),
    other: 404,
  },
  listParticipants: {
    valid: ({ talk }) => ({ path: at('conversations', talk, 'participants') }),
    status: 200,
    invalid: ({ talk }) => ({ path: at('conversations', talk.padEnd(300, 'x'), 'participants') }),
    other: 404,
  },
  changeParticipants: {
    valid: ({ talk }) => ({ path: at('conversations', talk, 'participants'), body: { add: ['ben'] } }),
    status: 200,
    invalid: ({ talk }) => ({ path: at('conversations', talk, 'participants'), body: { add: 'ben' } }),
    other: 404,
    another: ({ talk }) => ({ path: at('conversations', talk, 'participants'), body: { add: ['cy'] } }),
  },
  events: {
    valid: ({ talk }) => ({ path: `${at('conversations', talk, 'events')}?after=1&limit=1` }),
    status: 200,
    invalid: ({ talk }) => ({ path: `${at('conversations', talk, 'events')}?after=-1` }),
    other: 404,
  },

  ...spaceRows,

  listHolds: {
    valid: () => ({ path: '/api/holds?kind=approval&limit=5' }),
    status: 200,
    invalid: () => ({ path: '/api/holds?kind=wish' }),
    other: 'own',
  },
  getHold: {
    valid: ({ refund }) => ({ path: at('holds', refund.id, refund.callId) }),
    status: 200,
    invalid: ({ refund }) => ({ path: at('holds', refund.id, 'x'.repeat(300)) }),
    other: 404,
  },
  resolve: {
    valid: ({ refund }) => ({ path: at('holds', refund.id, refund.callId, 'resolve'), body: { kind: 'approve' } }),
    status: 200,
    invalid: ({ refund }) => ({ path: at('holds', refund.id, refund.callId, 'resolve'), body: { kind: 'shrug' } }),
    other: 404,
    another: ({ refund }) => ({ path: at('holds', refund.id, refund.callId, 'resolve'), body: { kind: 'reject' } }),
  },
  toolResult: {
    valid: ({ shipped: { runId, callId } }) => ({
      path: at('runs', runId, 'tool-results'),
      body: { callId, result: { parcel: 'p1' } },
    }),
    status: 200,
    invalid: ({ shipped: { runId, callId } }) => ({ path: at('runs', runId, 'tool-results'), body: { callId } }),
    other: 404,
    another: ({ shipped: { runId, callId } }) => ({
      path: at('runs', runId, 'tool-results'),
      body: { callId, error: 'broken' },
    }),
  },

  listCalls: {
    valid: () => ({ path: '/api/calls?status=waiting&tool=ship&limit=5' }),
    status: 200,
    invalid: () => ({ path: '/api/calls?status=resolved' }),
    other: 'own',
  },
  getCall: {
    valid: ({ shipped: { callId } }) => ({ path: at('calls', callId) }),
    status: 200,
    invalid: () => ({ path: at('calls', 'x'.repeat(300)) }),
    other: 404,
  },
  claimCalls: {
    valid: () => ({ path: '/api/calls/claim', body: { tools: ['ship'], max: 2 } }),
    status: 200,
    invalid: () => ({ path: '/api/calls/claim', body: { tools: [] } }),
    other: 'own',
    another: () => ({ path: '/api/calls/claim', body: { tools: ['refund'] } }),
  },
  callProgress: {
    valid: ({ shipped: { callId, claim } }) => ({ path: at('calls', callId, 'progress'), body: { claim, value: 1 } }),
    status: 200,
    invalid: ({ shipped: { callId, claim } }) => ({ path: at('calls', callId, 'progress'), body: { claim, ttlMs: 1 } }),
    other: 404,
    another: ({ shipped: { callId, claim } }) => ({ path: at('calls', callId, 'progress'), body: { claim, value: 2 } }),
  },
  callResult: {
    valid: ({ shipped: { callId, claim } }) => ({
      path: at('calls', callId, 'result'),
      body: { claim, result: { parcel: 'p1' } },
    }),
    status: 200,
    invalid: ({ shipped: { callId, claim } }) => ({
      path: at('calls', callId, 'result'),
      body: { claim, result: { parcel: 7 } },
    }),
    other: 404,
    another: ({ shipped: { callId, claim } }) => ({
      path: at('calls', callId, 'result'),
      body: { claim, error: 'no' },
    }),
  },
  releaseCall: {
    valid: ({ shipped: { callId, claim } }) => ({ path: at('calls', callId, 'release'), body: { claim } }),
    status: 204,
    invalid: ({ shipped: { callId } }) => ({ path: at('calls', callId, 'release'), body: {} }),
    other: 404,
    another: ({ shipped: { callId } }) => ({ path: at('calls', callId, 'release'), body: { claim: 'other' } }),
  },

  ...ruleRows,
  ...channelRows,
  ...mcpRows,

  whoAmI: {
    valid: () => ({ path: '/api/me' }),
    status: 200,
    invalid: () => ({ path: '/api/me?for=grace' }),
    other: 'own',
  },
  createKey: {
    valid: () => ({ path: '/api/keys', body: { name: 'ci', scopes: ['worker'], tools: ['ship'] } }),
    status: 201,
    invalid: () => ({ path: '/api/keys', body: { name: 'ci', scopes: ['worker', 'agent'], tools: ['ship'] } }),
    other: 'own',
    another: () => ({ path: '/api/keys', body: { name: 'cd', scopes: ['worker'] } }),
  },
  listKeys: {
    valid: () => ({ path: '/api/keys?limit=2' }),
    status: 200,
    invalid: () => ({ path: '/api/keys?limit=2&limit=3' }),
    other: 'own',
  },
  revokeKey: {
    valid: ({ keyId }) => ({ path: at('keys', keyId) }),
    status: 204,
    invalid: ({ keyId }) => ({ path: `${at('keys', keyId)}?force=1` }),
    other: 404,
    another: () => ({ path: at('keys', 'other') }),
  },
  assignHold: {
    valid: ({ refund }) => ({ path: at('holds', refund.id, refund.callId, 'assign'), body: { assignee: 'ann' } }),
    status: 200,
    invalid: ({ refund }) => ({ path: at('holds', refund.id, refund.callId, 'assign'), body: { assignee: 5 } }),
    other: 404,
    another: ({ refund }) => ({ path: at('holds', refund.id, refund.callId, 'assign'), body: { assignee: null } }),
  },
  commentOnHold: {
    valid: ({ refund }) => ({ path: at('holds', refund.id, refund.callId, 'comments'), body: { text: 'Why?' } }),
    status: 201,
    invalid: ({ refund }) => ({ path: at('holds', refund.id, refund.callId, 'comments'), body: { text: ' ' } }),
    other: 404,
    another: ({ refund }) => ({ path: at('holds', refund.id, refund.callId, 'comments'), body: { text: 'So?' } }),
  },
  listPeople: {
    valid: () => ({ path: '/api/people?limit=2' }),
    status: 200,
    invalid: () => ({ path: '/api/people?limit=0' }),
    other: 'own',
  },
  putPerson: {
    valid: () => ({ path: at('people', 'ann'), body: { name: 'Ann', groups: ['finance'] } }),
    status: 200,
    invalid: () => ({ path: at('people', 'ann'), body: { groups: 'finance' } }),
    other: 'own',
    another: () => ({ path: at('people', 'ann'), body: { groups: [] } }),
  },
  removePerson: {
    valid: ({ person }) => ({ path: at('people', person) }),
    status: 204,
    invalid: ({ person }) => ({ path: `${at('people', person)}?force=1` }),
    other: 404,
    another: () => ({ path: at('people', 'other') }),
  },
  handOver: {
    valid: ({ person }) => ({ path: at('people', person, 'hand-over'), body: { to: 'bob' } }),
    status: 200,
    invalid: ({ person }) => ({ path: at('people', person, 'hand-over'), body: { to: 5 } }),
    other: 'own',
    another: ({ person }) => ({ path: at('people', person, 'hand-over'), body: { to: 'eve' } }),
  },
  erasePerson: {
    valid: ({ person }) => ({ path: at('people', person, 'erase'), body: { to: 'bob' } }),
    status: 200,
    invalid: ({ person }) => ({ path: at('people', person, 'erase'), body: { to: 5 } }),
    other: 'own',
    another: ({ person }) => ({ path: at('people', person, 'erase'), body: { to: 'eve' } }),
  },
  exportPerson: {
    valid: ({ person }) => ({ path: at('people', person, 'export') }),
    status: 200,
    invalid: ({ person }) => ({ path: `${at('people', person, 'export')}?limit=1` }),
    other: 'own',
  },
  ...exportRows,
  ...insightRows,
  listMySessions: {
    valid: () => ({ path: '/api/me/sessions?limit=2' }),
    status: 200,
    invalid: () => ({ path: '/api/me/sessions?by=ada' }),
    other: 'own',
  },
  endMySession: {
    valid: () => ({ path: at('me', 'sessions', 'one') }),
    status: 204,
    invalid: () => ({ path: `${at('me', 'sessions', 'one')}?by=ada` }),
    other: 'own',
    another: () => ({ path: at('me', 'sessions', 'two') }),
  },
  endMyOtherSessions: {
    valid: () => ({ path: '/api/me/sessions' }),
    status: 204,
    invalid: () => ({ path: '/api/me/sessions?all=1' }),
    other: 'own',
    another: () => ({ path: at('me', 'sessions', 'two') }),
  },
  listSessions: {
    valid: ({ person }) => ({ path: at('people', person, 'sessions') }),
    status: 200,
    invalid: ({ person }) => ({ path: `${at('people', person, 'sessions')}?limit=0` }),
    other: 'own',
  },
  endSessions: {
    valid: ({ person }) => ({ path: at('people', person, 'sessions') }),
    status: 204,
    invalid: ({ person }) => ({ path: `${at('people', person, 'sessions')}?force=1` }),
    other: 'own',
    another: () => ({ path: at('people', 'other', 'sessions') }),
  },
  usage: {
    valid: () => ({ path: '/api/usage' }),
    status: 200,
    invalid: () => ({ path: '/api/usage?tenants=all' }),
    other: 'own',
  },
  listDelegations: {
    valid: () => ({ path: '/api/delegations' }),
    status: 200,
    invalid: () => ({ path: '/api/delegations?limit=1' }),
    other: 'own',
  },
  delegate: {
    valid: () => ({ path: at('delegations', 'bob'), body: { until: Date.now() + 60_000, by: 'ann' } }),
    status: 200,
    invalid: () => ({ path: at('delegations', 'bob'), body: { until: 'later' } }),
    other: 'own',
    another: () => ({ path: at('delegations', 'bob'), body: { until: Date.now() + 90_000, by: 'ann' } }),
  },
  endDelegation: {
    valid: () => ({ path: `${at('delegations', 'bob')}?by=ann` }),
    status: 204,
    invalid: () => ({ path: `${at('delegations', 'bob')}?by=` }),
    other: 'own',
    another: () => ({ path: `${at('delegations', 'cy')}?by=ann` }),
  },
}
