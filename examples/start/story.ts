/** A text that is long enough to watch it stream, with most elements of markdown. */
export const STORY = `## The lighthouse that waited

There was a **lighthouse** whose keeper had to agree before any ship came in. It kept a ledger, and the ledger was never wrong:

1. A ship asked.
2. The keeper slept, or the tower fell, or the keeper was replaced.
3. The ledger remembered, and the ship waited.

> The next keeper read the ledger and continued where it ended.

\`\`\`ts
await ledger.approve('ship-17', { by: 'keeper' })
\`\`\`

And so no ship was ever lost between the asking and the answer.`
