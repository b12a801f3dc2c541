/** Reads an export line by line, so that memory does not grow with the export. */
import { HoldpointHttpError } from './http-error.ts'
import { tenantHeader, type Http, type RequestOptions } from './http.ts'
import { readPieces } from './read-text.ts'

/** Throws when the export ends before its last line, which has the type `end`. It is not repeated: lines were given out. */
export async function* exportLines<Line extends { readonly type: string }>(
  http: Http,
  path: string,
  options: Omit<RequestOptions, 'key'> = {},
): AsyncGenerator<Line, void, undefined> {
  for await (const text of exportText(http, path, options)) yield JSON.parse(text) as Line
}

/** The lines as they are, without their line feeds. */
export async function* exportText(
  http: Http,
  path: string,
  { signal, tenant }: Omit<RequestOptions, 'key'> = {},
): AsyncGenerator<string, void, undefined> {
  const headers = { accept: 'application/x-ndjson', ...(tenant !== undefined && tenantHeader(tenant)) }
  const response = await http.open(path, headers, signal ?? new AbortController().signal)
  let last = ''
  for await (const text of linesOf(response, http.maxChars)) {
    last = text
    yield text
  }
  if (!last.startsWith('{"type":"end"')) throw incomplete()
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
