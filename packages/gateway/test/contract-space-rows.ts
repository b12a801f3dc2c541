/** The rows of autonomous agents, plans and spaces. */
import { at, type Row } from './contract-row.ts'

export const spaceRows: Readonly<Record<string, Row>> = {
  viewAutonomousAgent: {
    valid: () => ({ path: at('agents', 'desk', 'life') }),
    status: 200,
    invalid: () => ({ path: `${at('agents', 'desk', 'life')}?deep=1` }),
    other: 'own',
  },
  eraseAutonomousAgent: {
    valid: () => ({ path: `${at('agents', 'desk', 'life')}?cancel=true` }),
    status: 204,
    invalid: () => ({ path: `${at('agents', 'desk', 'life')}?cancel=yes` }),
    other: 404,
    another: () => ({ path: at('agents', 'helper', 'life') }),
  },
  eraseSpace: {
    valid: ({ space }) => ({ path: `${at('spaces', space.id)}?by=ada` }),
    status: 204,
    invalid: ({ space }) => ({ path: `${at('spaces', space.id)}?force=1` }),
    other: 404,
    another: () => ({ path: at('spaces', 'other') }),
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
}
