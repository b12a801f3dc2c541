/** The rows of the contract for MCP servers. */
import type { Row } from './contract-row.ts'

const ACCEPT = '/api/mcp/servers/tracker/tools/find/accept'

export const mcpRows: Readonly<Record<string, Row>> = {
  listMcpServers: {
    valid: () => ({ path: '/api/mcp/servers' }),
    status: 200,
    invalid: () => ({ path: '/api/mcp/servers?x=1' }),
    other: 'own',
  },
  acceptMcpTool: {
    valid: () => ({
      path: ACCEPT,
      body: { fingerprint: '1'.repeat(64) },
    }),
    status: 200,
    invalid: () => ({ path: ACCEPT, body: { fingerprint: 'x' } }),
    other: 404,
    another: () => ({
      path: ACCEPT,
      body: { fingerprint: '2'.repeat(64) },
    }),
  },
}
