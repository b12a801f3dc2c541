/** Reads the export of a person line by line, so that memory does not grow with the export. */
import { paths, type ExportLine } from '@holdpoint/protocol'
import { HoldpointHttpError } from './http-error.ts'
import { tenantHeader, type Http, type RequestOptions } from './http.ts'
import { readPieces } from './read-text.ts'

/** Throws when the export ends before its last line, which has the type `end`. It is not repeated: lines were given out. */
export async function* exportPerson(
  http: Http,
  id: string,
  { signal, tenant }: Omit<RequestOptions, 'key'> = {},
): AsyncGenerator<ExportLine, void, undefined> {
  const headers = { accept: 'application/x-ndjson', ...(tenant !== undefined && tenantHeader(tenant)) }
  const response = await http.open(paths.personExport(id), headers, signal ?? new AbortController().signal)
  let last: ExportLine['type'] | undefined
  for await (const text of linesOf(response, http.maxChars)) {
    const line = JSON.parse(text) as ExportLine
    last = line.type
    yield line
  }
  if (last !== 'end') throw incomplete()
}

async function* linesOf(response: Response, maxChars: number): AsyncGenerator<string, void, undefined> {
  let rest = ''
  const pieces = readPieces(response)
  try {
    for (;;) {
      const { done, value } = await pieces.next().catch((error: unknown) => {
        throw incomplete(error)
      })
      if (done) return
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > maxChars) throw new RangeError(`A line of the export is larger than ${maxChars} characters.`)
      yield* lines
    }
  } finally {
    await pieces.return()
  }
}

function incomplete(cause?: unknown): HoldpointHttpError {
  return new HoldpointHttpError('The export ended before its last line. Ask for it again.', { status: 0, cause })
}
