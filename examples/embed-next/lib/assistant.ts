import { gateway } from '@holdpoint/gateway'
import { holdpoint, openStore } from 'holdpoint'
import { agents } from './agents.ts'
import { userOf } from './login.ts'

// #region assistant
// A development server loads this module again after each change, and the store must be opened once.
const opened = globalThis as { assistant?: ReturnType<typeof open> }

export function assistant(): ReturnType<typeof open> {
  return (opened.assistant ??= open())
}

async function open() {
  const store = await openStore(process.env['STORE'] ?? 'assistant.db')
  const runtime = await holdpoint({ store, agents })
  const authenticate = ({ headers }: Request) => userOf(headers.get('cookie')) // { id: 'ada', name: 'Ada' }, or undefined
  return { runtime, store, gateway: gateway({ runtime, store, agents, hosts: ['localhost'], auth: { authenticate } }) }
}
// #endregion
