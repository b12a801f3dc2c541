/**
 * The hash chain of each log (core's `chain.ts`), and what shows that a part of a conversation was changed or lost. What was written
 * before has none of it.
 *
 * - `head_seq` and `head_hash`: a batch that the log must have. It is the newest whenever the conversation is not running. While it
 *   runs, only appends that change its row write them, so that the others write no page more.
 * - `base_hash`: the SHA-256 of `base`.
 */
export const chain = `
alter table batches add column hash text not null default '';
alter table conversations add column head_seq integer;
alter table conversations add column head_hash text;
alter table conversations add column base_hash text;
`
