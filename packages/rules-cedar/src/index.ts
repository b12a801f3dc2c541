export { cedarEvaluator } from './cedar-evaluator.ts'
export { cedarText } from './cedar-text.ts'
