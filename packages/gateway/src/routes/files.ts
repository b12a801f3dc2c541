/**
 * Uploads and downloads of files. A file is read by those who may read a conversation that has it, and by its uploader. To every
 * other caller it does not exist. A browser gets only pictures to show: other files are saved, and none of them runs.
 */
import { FileRefused, type StoredFile } from '@holdpoint/runtime'
import { refuse, ok, type RouteAnswer } from '../http/route-answer.ts'
import { fileAnswer } from '../http/file-answer.ts'
import { route, type Route, type RouteRequest } from '../http/route.ts'
import { by, id, z } from '../schemas.ts'
import { uploadedBytes, UploadBroken } from '../http/uploaded-bytes.ts'
import { hasEvents, refuseRight, seesWholeTenant } from './access-rules.ts'
import { authorOf } from './request-author.ts'

const storedFile = z
  .object({
    id: z.string(),
    mediaType: z.string(),
    name: z.string().optional(),
    bytes: z.number().int(),
    sha256: z.string(),
  })
  .openapi('StoredFile')

export const fileRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/files',
    name: 'uploadLimits',
    tag: 'files',
    summary: 'Which uploads are accepted',
    scopes: ['agent', 'reader', 'resolver'],
    query: z.strictObject({}),
    responses: {
      200: {
        description: 'The largest file in bytes, and the media types, such as `image/*`.',
        schema: z.object({ maxBytes: z.number().int(), mediaTypes: z.array(z.string()) }).openapi('UploadLimits'),
      },
    },
    handle: async ({ runtime }) => {
      const { maxBytes, mediaTypes } = runtime.files.limits
      return ok({ maxBytes, mediaTypes })
    },
  }),
  route({
    method: 'post',
    path: '/api/files',
    name: 'uploadFile',
    tag: 'files',
    summary: 'Upload a file for a message. The body is the file, and its Content-Type the media type',
    scopes: ['agent', 'resolver'],
    query: z.strictObject({
      by,
      name: z.string().max(1000).optional().openapi({ description: 'The name of the file.' }),
    }),
    bytes: true,
    responses: {
      201: { description: 'The file is stored. It is removed after a day if no message has it.', schema: storedFile },
    },
    problems: ['quota-exceeded', 'file-refused', 'too-large', 'content-type'],
    handle: async ({ query, caller, runtime, services, request }) => {
      const from = await authorOf({ caller, services }, query.by)
      if ('answer' in from) return from.answer
      const bytes = uploadedBytes(request, runtime.files.limits.maxBytes)
      if (!(Symbol.asyncIterator in bytes)) return bytes
      try {
        const mediaType = request.headers.get('content-type') ?? ''
        const name = query.name === undefined ? {} : { name: query.name }
        const file = await runtime.files.upload(bytes, { mediaType, ...name, by: from.by })
        const exceeded = await services.tenantLimits.takeBytes(caller.tenant, file.bytes)
        if (exceeded)
          return refuse('too-many-requests', exceeded.why, { headers: { 'retry-after': String(exceeded.wait) } })
        return ok(shown(file), 201)
      } catch (error) {
        if (error instanceof UploadBroken) return refuse('bad-request', error.message)
        if (!FileRefused.is(error)) throw error
        return refusedFile(error)
      }
    },
  }),
  route({
    method: 'get',
    path: '/api/files/{id}',
    name: 'readFile',
    tag: 'files',
    summary: 'Read a file of a conversation, or one that the caller uploaded',
    scopes: ['agent', 'reader', 'resolver'],
    params: z.object({ id }),
    query: z.strictObject({}),
    responses: {
      200: { description: 'The bytes, with the media type of the file.' },
      304: { description: 'The client has the file: its hash is the `ETag`.' },
    },
    problems: ['not-found'],
    handle: async (asked) => {
      const { params, runtime, request, services } = asked
      const file = await runtime.files.find(params.id)
      if (!file || !(await mayRead(asked, file))) return refuse('not-found', `There is no file "${params.id}".`)
      if (request.headers.get('if-none-match') === `"${file.sha256}"`) return { status: 304 }
      return fileAnswer(file, runtime.files.read(file), services.problem)
    },
  }),
]

function shown({ id: which, mediaType, name, bytes, sha256 }: StoredFile): object {
  return { id: which, mediaType, ...(name !== undefined && { name }), bytes, sha256 }
}

function refusedFile({ reason, message }: FileRefused): RouteAnswer {
  switch (reason) {
    case 'too-large':
      // The rest of the body is not read, so the connection cannot be reused.
      return refuse('too-large', message, { headers: { connection: 'close' } })
    case 'type':
      return refuse('content-type', message, { headers: { connection: 'close' } })
    case 'empty':
    case 'unsupported':
      return refuse('file-refused', message)
  }
}

async function mayRead(asked: RouteRequest, { by: uploader, conversations }: StoredFile): Promise<boolean> {
  const { caller, runtime, services } = asked
  if (uploader !== undefined && uploader === caller.by) return true
  if (conversations.length === 0) return seesWholeTenant(caller) && !services.authorize
  for (const conversation of conversations) {
    const exists = await hasEvents(runtime, conversation)
    if (exists && !(await refuseRight(asked, conversation, 'conversation.read'))) return true
  }
  return false
}
