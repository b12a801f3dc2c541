export { conversationOf } from './response-id.ts'
export { ResponseStream, type ResponseStreamOptions } from './response-stream.ts'
export { RESPONSE_HEADERS, ResponseWire } from './response-wire.ts'
export {
  responseRequest,
  takeResponseRequest,
  type ResponseAnswer,
  type ResponsePorts,
  type ResponseRequest,
  type ResponseTaken,
} from './take-response-request.ts'
