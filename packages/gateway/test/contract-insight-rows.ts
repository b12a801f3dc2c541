/** The rows of search, usage and health. */
import { read, type Row } from './contract-row.ts'

export const insightRows: Readonly<Record<string, Row>> = {
  search: read('/api/search?in=calls&state=waiting', '/api/search?state=lost'),
}
