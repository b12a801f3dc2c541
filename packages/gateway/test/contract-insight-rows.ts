/** The rows of search, usage and health. */
import { read, type Row } from './contract-row.ts'

export const insightRows: Readonly<Record<string, Row>> = {
  search: read('/api/search?in=calls&state=waiting', '/api/search?state=lost'),
  usageReport: read('/api/usage/report?since=0', '/api/usage/report?since=soon'),
  systemHealth: read('/api/system', '/api/system?x=1'),
}
