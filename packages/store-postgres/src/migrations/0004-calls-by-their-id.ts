/** For whoever knows a call and not where it waits. */
export const callsByTheirId = `
create index holds_open_call on :schema.holds (tenant, call_id) where open;
`
