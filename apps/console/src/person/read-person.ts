/** Reads the export of a person: its lines for a file, and what the console says about it before it erases the person. */
import type { Client, ExportLine } from '@holdpoint/client'

export interface PersonSummary {
  /** The export, one JSON object per line. */
  readonly lines: readonly string[]
  /** Ids of conversations. */
  readonly owns: readonly string[]
  readonly takesPartIn: readonly string[]
  /** Spaces and conversations of others, with something that the person did there. */
  readonly elsewhere: readonly string[]
  readonly sessions: number
  readonly delegations: number
  /** Names of keys that may act for the person. */
  readonly keys: readonly string[]
}

export async function readPerson(client: Client, id: string, signal: AbortSignal): Promise<PersonSummary> {
  const lines: string[] = []
  const [owns, takesPartIn, keys]: [string[], string[], string[]] = [[], [], []]
  const elsewhere = new Set<string>()
  const counts = { session: 0, delegation: 0 }
  for await (const line of client.people.export(id, { signal })) {
    lines.push(JSON.stringify(line))
    switch (line.type) {
      case 'conversation': {
        const { id: conversation, owner } = dataOf<{ id: string; owner?: string }>(line)
        ;(owner === id ? owns : takesPartIn).push(conversation)
        break
      }
      case 'event':
        if (line.elsewhere) elsewhere.add(line.conversationId)
        break
      case 'session':
      case 'delegation':
        counts[line.type]++
        break
      case 'key': {
        const { name, mayActFor } = dataOf<{ name: string; mayActFor?: true | readonly string[] }>(line)
        if (mayActFor !== true) keys.push(name)
        break
      }
      case 'export':
      case 'person':
      case 'channels':
      case 'file':
      case 'rule':
      case 'end':
        break
    }
  }
  const { session: sessions, delegation: delegations } = counts
  return { lines, owns, takesPartIn, elsewhere: [...elsewhere], sessions, delegations, keys }
}

function dataOf<T>(line: Extract<ExportLine, { readonly data: object }>): T {
  return line.data as T
}
