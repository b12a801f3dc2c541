/** The rows of the contract about rules and evidence. */
import { at, type Row } from './contract-row.ts'
import type { Fixtures } from './fixtures.ts'

function about({ rule: { fingerprint } }: Fixtures, euros: number): object {
  return { effect: 'allow', tool: 'refund', fingerprint, when: [{ at: '/euros', equals: euros }] }
}

export const ruleRows: Readonly<Record<string, Row>> = {
  listRules: {
    valid: () => ({ path: '/api/rules?limit=10&search=refund' }),
    status: 200,
    other: 'own',
    invalid: () => ({ path: '/api/rules?limit=0' }),
  },
  saveRule: {
    valid: (scene) => ({ path: '/api/rules', body: about(scene, 7) }),
    status: 201,
    invalid: (scene) => ({ path: '/api/rules', body: { ...about(scene, 7), when: [{ at: 'euros', equals: 7 }] } }),
    other: 'own',
    another: (scene) => ({ path: '/api/rules', body: about(scene, 8) }),
  },
  backtestRules: {
    valid: (scene) => ({ path: '/api/rules/backtest', body: { rules: [about(scene, 5)] } }),
    status: 200,
    invalid: () => ({ path: '/api/rules/backtest', body: { rules: [] } }),
    other: 'own',
    another: (scene) => ({ path: '/api/rules/backtest', body: { rules: [about(scene, 6)] } }),
  },
  getRule: {
    valid: ({ rule }) => ({ path: at('rules', rule.id) }),
    status: 200,
    invalid: ({ rule }) => ({ path: `${at('rules', rule.id)}?x=1` }),
    other: 404,
  },
  changeRule: {
    valid: (scene) => ({ path: at('rules', scene.rule.id), body: { ...about(scene, 6), version: scene.rule.version } }),
    status: 200,
    invalid: (scene) => ({ path: at('rules', scene.rule.id), body: about(scene, 6) }),
    other: 404,
    another: (scene) => ({ path: at('rules', scene.rule.id), body: { ...about(scene, 9), version: 2 } }),
  },
  revokeRule: {
    valid: ({ rule }) => ({ path: at('rules', rule.id, 'revoke'), body: { reason: 'Too wide' } }),
    status: 200,
    invalid: ({ rule }) => ({ path: at('rules', rule.id, 'revoke'), body: { why: 'Too wide' } }),
    other: 404,
    another: ({ rule }) => ({ path: at('rules', rule.id, 'revoke'), body: { reason: 'Not needed' } }),
  },
  getEvidence: {
    valid: ({ refund }) => ({ path: at('holds', refund.id, refund.callId, 'evidence') }),
    status: 200,
    invalid: ({ refund }) => ({ path: `${at('holds', refund.id, refund.callId, 'evidence')}?x=1` }),
    other: 404,
  },
  listSignedHeads: {
    valid: ({ talk }) => ({ path: at('conversations', talk, 'signed-heads') }),
    status: 200,
    invalid: ({ talk }) => ({ path: `${at('conversations', talk, 'signed-heads')}?limit=1` }),
    other: 404,
  },
  listSigningKeys: {
    valid: () => ({ path: '/api/signing-keys' }),
    status: 200,
    invalid: () => ({ path: '/api/signing-keys?limit=1' }),
    other: 'own',
  },
  listAdminLog: {
    valid: () => ({ path: '/api/admin-log?limit=10' }),
    status: 200,
    other: 'own',
    invalid: () => ({ path: '/api/admin-log?limit=0' }),
  },
}
