/**
 * The hash chain of each log (core's `chain.ts`). Batches that were written before have no hash.
 */
export const chain = `
alter table batches add column hash text not null default '';
`
