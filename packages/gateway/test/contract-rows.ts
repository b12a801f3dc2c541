/** One row per operation of the OpenAPI document: a request that is taken, and one that is not. */
import type { Scene } from './scene.ts'

interface Ask {
  readonly path: string
  readonly body?: unknown
}

export interface Row {
  valid(scene: Scene): Ask
  readonly status: number
  /** Undefined where nothing can be wrong. */
  invalid?(scene: Scene): Ask
  /** 422 unless said. */
  readonly invalidStatus?: number
  /** What another tenant is told who asks the same: 404, or `own` where everybody has their own. */
  readonly other: 404 | 409 | 'own'
  /** The same key with this is another request. */
  another?(scene: Scene): Ask
}

const at = (...segments: readonly string[]): string => ['/api', ...segments.map(encodeURIComponent)].join('/')

export const rows: Readonly<Record<string, Row>> = {
  listWorkers: {
    valid: () => ({ path: '/api/workers?limit=10' }),
    status: 200,
    invalid: () => ({ path: '/api/workers?limit=0' }),
    other: 'own',
  },
  changes: {
    valid: () => ({ path: '/api/changes?wait=0' }),
    status: 200,
    other: 'own',
    invalid: () => ({ path: '/api/changes?wait=soon' }),
  },
  health: {
    valid: () => ({ path: '/api/health' }),
    status: 200,
    other: 'own',
    invalid: () => ({ path: '/api/health?x=1' }),
  },
  ready: {
    valid: () => ({ path: '/api/ready' }),
    status: 200,
    other: 'own',
    invalid: () => ({ path: '/api/ready?x=1' }),
  },

  createAgent: {
    valid: () => ({ path: '/api/agents', body: { name: 'new', tools: [] } }),
    status: 201,
    invalid: () => ({ path: '/api/agents', body: { tools: [] } }),
    other: 'own',
    another: () => ({ path: '/api/agents', body: { name: 'newer' } }),
  },
  listAgents: {
    valid: () => ({ path: '/api/agents?limit=10' }),
    status: 200,
    invalid: () => ({ path: '/api/agents?limit=0' }),
    other: 'own',
  },
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
    another: () => ({ path: at('agents', 'somebody') }),
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
  events: {
    valid: ({ talk }) => ({ path: `${at('conversations', talk, 'events')}?after=1&limit=1` }),
    status: 200,
    invalid: ({ talk }) => ({ path: `${at('conversations', talk, 'events')}?after=-1` }),
    other: 404,
  },

  viewLife: {
    valid: () => ({ path: at('agents', 'desk', 'life') }),
    status: 200,
    invalid: () => ({ path: `${at('agents', 'desk', 'life')}?deep=1` }),
    other: 'own',
  },
  trigger: {
    valid: ({ agent }) => ({ path: at('agents', agent, 'trigger'), body: { name: 'paid', data: { euros: 5 } } }),
    status: 202,
    invalid: ({ agent }) => ({ path: at('agents', agent, 'trigger'), body: { data: 1 } }),
    other: 404,
    another: ({ agent }) => ({ path: at('agents', agent, 'trigger'), body: { name: 'paid', data: { euros: 6 } } }),
  },
  listPlans: {
    valid: () => ({ path: at('agents', 'desk', 'plans') }),
    status: 200,
    invalid: () => ({ path: `${at('agents', 'desk', 'plans')}?limit=1` }),
    other: 'own',
  },
  setPlan: {
    valid: () => ({ path: at('agents', 'desk', 'plans'), body: { what: 'Look', cron: '0 9 * * 1' } }),
    status: 200,
    invalid: () => ({ path: at('agents', 'desk', 'plans'), body: { what: 'Look', cron: 'often' } }),
    other: 'own',
    another: () => ({ path: at('agents', 'desk', 'plans'), body: { what: 'Look', runAfter: '1 day' } }),
  },
  removePlan: {
    valid: ({ plan }) => ({ path: at('agents', 'desk', 'plans', plan) }),
    status: 204,
    invalid: ({ plan }) => ({ path: at('agents', 'desk', 'plans', plan), body: {} }),
    other: 404,
    another: () => ({ path: at('agents', 'desk', 'plans', 'none') }),
  },

  createSpace: {
    valid: () => ({ path: '/api/spaces', body: { name: 'Trip', by: 'ada' } }),
    status: 201,
    invalid: () => ({ path: '/api/spaces', body: { title: 'Trip' } }),
    other: 'own',
    another: () => ({ path: '/api/spaces', body: { name: 'Trip', by: 'bob' } }),
  },
  listSpaces: {
    valid: () => ({ path: '/api/spaces?limit=5' }),
    status: 200,
    invalid: () => ({ path: '/api/spaces?limit=5000' }),
    other: 'own',
  },
  viewSpace: {
    valid: ({ space }) => ({ path: `${at('spaces', space.id)}?limit=2` }),
    status: 200,
    invalid: ({ space }) => ({ path: `${at('spaces', space.id)}?before=x` }),
    other: 404,
  },
  putSpaceMember: {
    valid: ({ space }) => ({ path: at('spaces', space.id, 'members', 'human', 'bob'), body: { role: 'reader' } }),
    status: 200,
    invalid: ({ space }) => ({ path: at('spaces', space.id, 'members', 'human', 'bob'), body: { role: 'king' } }),
    other: 404,
    another: ({ space }) => ({ path: at('spaces', space.id, 'members', 'human', 'eve'), body: { role: 'reader' } }),
  },
  removeSpaceMember: {
    valid: ({ space }) => ({ path: at('spaces', space.id, 'members', 'agent', 'desk') }),
    status: 200,
    invalid: ({ space }) => ({ path: at('spaces', space.id, 'members', 'robot', 'desk') }),
    other: 404,
    another: ({ space }) => ({ path: at('spaces', space.id, 'members', 'agent', 'other') }),
  },
  readSpace: {
    valid: ({ space }) => ({
      path: at('spaces', space.id, 'read'),
      body: { upTo: space.said, member: { kind: 'human', id: 'ada' } },
    }),
    status: 200,
    invalid: ({ space }) => ({ path: at('spaces', space.id, 'read'), body: { upTo: -1 } }),
    other: 404,
    another: ({ space }) => ({
      path: at('spaces', space.id, 'read'),
      body: { upTo: 1, member: { kind: 'human', id: 'ada' } },
    }),
  },
  postSpaceMessage: {
    valid: ({ space }) => ({
      path: at('spaces', space.id, 'messages'),
      body: { text: 'Hello', from: { kind: 'human', id: 'ada' }, replyTo: space.said },
    }),
    status: 201,
    invalid: ({ space }) => ({ path: at('spaces', space.id, 'messages'), body: { text: ' ' } }),
    other: 404,
    another: ({ space }) => ({
      path: at('spaces', space.id, 'messages'),
      body: { text: 'Bye', from: { kind: 'human', id: 'ada' } },
    }),
  },
  spaceEvents: {
    valid: ({ space }) => ({ path: `${at('spaces', space.id, 'events')}?after=1&limit=1` }),
    status: 200,
    invalid: ({ space }) => ({ path: `${at('spaces', space.id, 'events')}?after=-1` }),
    other: 404,
  },
  spaceToolResult: {
    valid: ({ space: { id, callId } }) => ({
      path: at('spaces', id, 'tool-results'),
      body: { callId, result: 'large', from: { kind: 'human', id: 'ada' } },
    }),
    status: 200,
    invalid: ({ space: { id, callId } }) => ({ path: at('spaces', id, 'tool-results'), body: { callId } }),
    other: 404,
    another: ({ space: { id, callId } }) => ({ path: at('spaces', id, 'tool-results'), body: { callId, error: 'no' } }),
  },

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
    other: 409,
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
    other: 409,
    another: ({ shipped: { callId, claim } }) => ({
      path: at('calls', callId, 'result'),
      body: { claim, error: 'no' },
    }),
  },
  releaseCall: {
    valid: ({ shipped: { callId, claim } }) => ({ path: at('calls', callId, 'release'), body: { claim } }),
    status: 204,
    invalid: ({ shipped: { callId } }) => ({ path: at('calls', callId, 'release'), body: {} }),
    other: 409,
    another: ({ shipped: { callId } }) => ({ path: at('calls', callId, 'release'), body: { claim: 'other' } }),
  },

  listMcpServers: {
    valid: () => ({ path: '/api/mcp/servers' }),
    status: 200,
    invalid: () => ({ path: '/api/mcp/servers?x=1' }),
    other: 'own',
  },
  acceptMcpTool: {
    valid: () => ({
      path: at('mcp', 'servers', 'tracker', 'tools', 'find', 'accept'),
      body: { fingerprint: '1'.repeat(64) },
    }),
    status: 200,
    invalid: () => ({ path: at('mcp', 'servers', 'tracker', 'tools', 'find', 'accept'), body: { fingerprint: 'x' } }),
    other: 404,
    another: () => ({
      path: at('mcp', 'servers', 'tracker', 'tools', 'find', 'accept'),
      body: { fingerprint: '2'.repeat(64) },
    }),
  },

  createKey: {
    valid: () => ({ path: '/api/keys', body: { name: 'ci', scopes: ['worker'] } }),
    status: 201,
    invalid: () => ({ path: '/api/keys', body: { name: 'ci', scopes: ['god'] } }),
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
}
